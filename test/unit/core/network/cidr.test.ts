import { BlockList } from 'node:net';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { inCidrs, parseCidr } from '../../../../core/network/cidr.ts';
import { parseIp } from '../../../../core/network/ip-address.ts';

const inside = (address: string, ...blocks: readonly string[]): boolean =>
  inCidrs(
    address,
    blocks.map((block) => {
      const cidr = parseCidr(block);
      if (cidr === undefined) throw new TypeError(`${block} is no CIDR`);
      return cidr;
    }),
  );

describe('inCidrs', () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ['10.1.2.3', '10.0.0.0/8', true],
    ['11.0.0.0', '10.0.0.0/8', false],
    ['192.168.1.127', '192.168.1.0/25', true],
    ['192.168.1.128', '192.168.1.0/25', false],
    ['203.0.113.7', '203.0.113.7/32', true],
    ['203.0.113.6', '203.0.113.7/32', false],
    ['203.0.113.7', '0.0.0.0/0', true],
    ['::ffff:10.1.2.3', '10.0.0.0/8', true],
    ['::ffff:0a01:0203', '10.0.0.0/8', true],
    ['10.1.2.3', '::/0', false],
    ['2001:db8::1', '0.0.0.0/0', false],
    ['2001:db8::1', '2001:db8::/32', true],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::/127', true],
    ['2001:db9::1', '2001:db8::/32', false],
    ['fe80::1%eth0', 'fe80::/10', true],
    ['::1', '::1/128', true],
    ['', '0.0.0.0/0', false],
    ['localhost', '0.0.0.0/0', false],
  ];
  for (const [address, block, expected] of rows) {
    it(`${expected ? 'finds' : 'does not find'} ${address === '' ? 'an empty address' : address} in ${block}`, () => {
      expect(inside(address, block)).to.equal(expected);
    });
  }

  it('finds an address in any of several blocks, and none in no block', () => {
    expect(inside('10.1.2.3', '192.168.0.0/16', '10.0.0.0/8')).to.equal(true);
    expect(inside('10.1.2.3')).to.equal(false);
  });

  it('agrees with the runtime on IPv4 and IPv6 blocks', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), fc.nat(32), (address, network, prefix) => {
        const list = new BlockList();
        list.addSubnet(network, prefix);
        const bytes = parseIp(network) ?? new Uint8Array(0);
        const clean = bytes.map((byte, index) => byte & (0xff00 >> Math.min(8, Math.max(0, prefix - 8 * index))));
        expect(inside(address, `${clean.join('.')}/${prefix}`)).to.equal(list.check(address));
      }),
    );
  });
});

describe('parseCidr', () => {
  const bad = ['10.0.0.0', '10.0.0.1/8', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/08', '10.0.0.0/', '010.0.0.0/8'];
  for (const text of [
    ...bad,
    '/8',
    '2001:db8::1/32',
    '::/129',
    '10.0.0.0/8/8',
    'example.org/8',
    ' 10.0.0.0/8',
    '::1::/8',
  ]) {
    it(`refuses ${text}`, () => {
      expect(parseCidr(text)).to.equal(undefined);
    });
  }
});
