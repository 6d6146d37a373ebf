import { expect } from 'chai';
import * as fc from 'fast-check';
import { formatAddress, parseListenAddress, urlOf } from '../../../../core/network/listen-address.ts';
import { LISTEN_ADDRESSES, NO_LISTEN_ADDRESSES } from '../../../support/listen-addresses.ts';

describe('parseListenAddress', () => {
  for (const [text, expected] of LISTEN_ADDRESSES)
    it(`takes ${text}`, () => expect(parseListenAddress(text, '127.0.0.1')).to.deep.equal(expected));

  for (const [why, text] of [['nothing', ''] as const, ...NO_LISTEN_ADDRESSES])
    it(`refuses ${why}: ${JSON.stringify(text)}`, () =>
      expect(parseListenAddress(text, '127.0.0.1')).to.equal(undefined));

  it('puts a port alone on the host that is named for it', () => {
    expect(parseListenAddress('9465', '0.0.0.0')).to.deep.equal({ host: '0.0.0.0', port: 9465 });
  });

  it('reads what formatAddress writes', () => {
    const host = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('localhost', 'orb.example'));
    fc.assert(
      fc.property(host, fc.nat(65_535), (name, port) => {
        const address = { host: name, port };
        expect(parseListenAddress(formatAddress(address), '')).to.deep.equal(address);
      }),
    );
  });

  it('never throws', () => {
    const nearly = fc.string({ unit: fc.constantFrom(...'01:.[]%xe+- a'.split('')), maxLength: 20 });
    fc.assert(fc.property(fc.oneof(nearly, fc.string()), (text) => void parseListenAddress(text, 'localhost')));
  });
});

describe('urlOf', () => {
  it('puts an IPv6 address in brackets', () => {
    expect(urlOf({ host: '::1', port: 80 })).to.equal('http://[::1]:80');
    expect(urlOf({ host: '127.0.0.1', port: 8443 }, 'https')).to.equal('https://127.0.0.1:8443');
  });
});
