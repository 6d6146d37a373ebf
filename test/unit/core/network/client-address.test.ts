import { BlockList, isIPv6 } from 'node:net';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { clientAddress } from '../../../../core/network/client-address.ts';
import { parseCidr, type Cidr } from '../../../../core/network/cidr.ts';

const blocks = (...texts: readonly string[]): readonly Cidr[] =>
  texts.map((text) => {
    const cidr = parseCidr(text);
    if (cidr === undefined) throw new TypeError(`${text} is no CIDR`);
    return cidr;
  });

describe('clientAddress', () => {
  const proxies = blocks('10.0.0.0/8', 'fd00::/8');
  const rows: readonly (readonly [why: string, peer: string, forwarded: string | undefined, client: string])[] = [
    ['no proxy', '203.0.113.7', undefined, '203.0.113.7'],
    ['a header of somebody who is no proxy', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['one proxy', '10.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['a proxy that names nobody', '10.0.0.1', undefined, '10.0.0.1'],
    ['the address of the socket as IPv4-mapped', '::ffff:10.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['two proxies', '10.0.0.1', '203.0.113.7, 10.9.9.9', '203.0.113.7'],
    ['an entry that the client wrote itself', '10.0.0.1', '127.0.0.1, 203.0.113.7', '203.0.113.7'],
    ['a proxy as the client of another', '10.0.0.1', '10.0.0.2,10.0.0.3', '10.0.0.2'],
    ['IPv6 in brackets with a port', 'fd00::1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['IPv6 in brackets', 'fd00::1', '[2001:db8::7]', '2001:db8::7'],
    ['IPv6 alone', 'fd00::1', ' 2001:db8::7 ', '2001:db8::7'],
    ['IPv4 with a port', '10.0.0.1', '203.0.113.7:443', '203.0.113.7'],
    ['a trusted IPv4-mapped entry', '10.0.0.1', '203.0.113.7,::ffff:10.1.1.1', '203.0.113.7'],
    ['a word in place of an address', '10.0.0.1', '203.0.113.7, unknown', ''],
    ['nothing behind the last comma', '10.0.0.1', '203.0.113.7,', ''],
    ['an empty header', '10.0.0.1', '', ''],
    ['garbage left of the entry that decides', '10.0.0.1', '%%%,203.0.113.7', '203.0.113.7'],
    ['a socket that is closed', '', '203.0.113.7', ''],
  ];
  for (const [why, peer, forwarded, client] of rows)
    it(`gives ${client === '' ? 'no address' : client} for ${why}`, () => {
      expect(clientAddress(peer, forwarded, proxies)).to.equal(client);
    });

  it('takes nothing from the header without trusted proxies', () => {
    expect(clientAddress('10.0.0.1', '203.0.113.7', [])).to.equal('10.0.0.1');
  });

  // By another way than the code: the runtime's own block list, and the entries from the left.
  it('agrees with the runtime for any chain of addresses', () => {
    const list = new BlockList();
    list.addSubnet('10.0.0.0', 8, 'ipv4');
    list.addSubnet('fd00::', 8, 'ipv6');
    const isProxy = (address: string): boolean => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
    const near = fc.nat(255).map((last) => `10.0.0.${last}`);
    const mapped = fc.ipV4().map((address) => `::ffff:${address}`);
    const local = fc.nat(65_535).map((last) => `fd00::${last.toString(16)}`);
    const address = fc.oneof(fc.ipV4(), near, mapped, local, near);
    const written = fc.tuple(address, fc.boolean()).map(([text, port]) => {
      const plain = isIPv6(text) ? `[${text}]` : text;
      return { text, entry: port ? `${plain}:8443` : text };
    });
    fc.assert(
      fc.property(address, fc.array(written, { minLength: 1, maxLength: 6 }), (peer, chain) => {
        const all = [...chain.map(({ text }) => text), peer];
        const lastStranger = all.findLastIndex((text) => !isProxy(text));
        const expected = lastStranger < 0 ? all[0] : all[lastStranger];
        const header = chain.map(({ entry }) => entry).join(', ');
        expect(clientAddress(peer, header, proxies)).to.equal(expected);
      }),
    );
  });

  it('never throws, and never gives a text that the header does not hold', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const client = clientAddress('10.0.0.1', header, proxies);
        expect(client === '10.0.0.1' || header.includes(client)).to.equal(true);
      }),
    );
  });
});
