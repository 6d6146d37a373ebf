import { expect } from 'chai';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { allowed } from '../../../../adapters/egress/ranges.ts';

const ROWS: readonly (readonly [ip: string, what: string, allowed: boolean])[] = [
  ['8.8.8.8', 'public', true],
  ['0.0.0.0', 'this network', false],
  ['0.255.255.255', 'end of this network', false],
  ['1.0.0.0', 'first public', true],
  ['9.255.255.255', 'below 10/8', true],
  ['10.0.0.0', 'private', false],
  ['10.255.255.255', 'private', false],
  ['11.0.0.0', 'above 10/8', true],
  ['100.63.255.255', 'below carrier NAT', true],
  ['100.64.0.0', 'carrier NAT', false],
  ['100.100.100.200', 'Alibaba metadata', false],
  ['100.127.255.255', 'carrier NAT', false],
  ['100.128.0.0', 'above carrier NAT', true],
  ['127.0.0.1', 'loopback', false],
  ['127.255.255.254', 'loopback', false],
  ['168.63.129.15', 'beside the Azure host', true],
  ['168.63.129.16', 'Azure host', false],
  ['168.63.129.17', 'beside the Azure host', true],
  ['169.254.169.254', 'cloud metadata', false],
  ['172.15.255.255', 'below 172.16/12', true],
  ['172.16.0.0', 'private', false],
  ['172.31.255.255', 'private', false],
  ['172.32.0.0', 'above 172.16/12', true],
  ['192.0.0.192', 'Oracle metadata', false],
  ['192.0.2.1', 'documentation', false],
  ['192.31.196.1', 'AS112', false],
  ['192.52.193.1', 'AMT', false],
  ['192.88.99.1', '6to4 relay', false],
  ['192.168.1.1', 'private', false],
  ['192.175.48.1', 'AS112', false],
  ['198.17.255.255', 'below benchmarking', true],
  ['198.18.0.1', 'benchmarking', false],
  ['198.19.255.255', 'benchmarking', false],
  ['198.51.100.1', 'documentation', false],
  ['203.0.113.1', 'documentation', false],
  ['223.255.255.255', 'last public', true],
  ['224.0.0.1', 'multicast', false],
  ['240.0.0.1', 'reserved', false],
  ['255.255.255.255', 'broadcast', false],
  ['2606:4700::1111', 'public', true],
  ['2000::', 'first global', true],
  ['3ffe:ffff::1', 'global', true],
  ['::', 'unspecified', false],
  ['::1', 'loopback', false],
  ['::127.0.0.1', 'compatible', false],
  ['::8.8.8.8', 'compatible', false],
  ['::ffff:127.0.0.1', 'mapped loopback', false],
  ['::ffff:7f00:1', 'mapped loopback in hex', false],
  ['::ffff:8.8.8.8', 'mapped public', true],
  ['::FFFF:169.254.169.254', 'mapped metadata', false],
  ['::ffff:0:127.0.0.1', 'SIIT, which only begins like a mapped one', false],
  ['::ffff:0:8.8.8.8', 'SIIT', false],
  ['64:ff9b::8.8.8.8', 'NAT64 of a public one', true],
  ['64:ff9b::7f00:1', 'NAT64 of loopback', false],
  ['64:ff9b::10.0.0.1', 'NAT64 of a private one', false],
  ['64:ff9b:1::8.8.8.8', 'local NAT64', false],
  ['100::1', 'discard', false],
  ['100:0:0:1::1', 'dummy prefix', false],
  ['2001::1', 'Teredo', false],
  ['2001:1ff:ffff::1', 'end of IETF', false],
  ['2001:200::1', 'above IETF', true],
  ['2001:db8::1', 'documentation', false],
  ['2001:db9::1', 'above documentation', true],
  ['2002:7f00:1::', '6to4', false],
  ['2620:4f:8000::1', 'AS112', false],
  ['3fff::1', 'documentation', false],
  ['3fff:0fff::1', 'end of documentation', false],
  ['3fff:1000::1', 'above documentation', true],
  ['4000::1', 'above global', false],
  ['5f00::1', 'segment routing', false],
  ['fc00::1', 'unique local', false],
  ['fd00:ec2::254', 'AWS metadata', false],
  ['fe80::1', 'link-local', false],
  ['fec0::1', 'site-local', false],
  ['ff02::1', 'multicast', false],
  ['2606:4700::1111%eth0', 'a zone id', false],
  ['127.1', 'no address', false],
  ['2130706433', 'no address', false],
  ['[::1]', 'no address', false],
  ['', 'no address', false],
  ['8.8.8.8 ', 'no address', false],
];

const octet = fc.integer({ min: 0, max: 255 });
const v4 = fc.tuple(octet, octet, octet, octet);

describe('allowed', () => {
  for (const [ip, what, expected] of ROWS) {
    it(`${expected ? 'takes' : 'refuses'} ${ip} (${what})`, () => {
      expect(allowed(ip)).to.equal(expected);
    });
  }

  it('agrees with ipaddr.js on IPv4', () => {
    fc.assert(
      fc.property(v4, (parts) => {
        const ip = parts.join('.');
        fc.pre(ip !== '168.63.129.16');
        expect(allowed(ip)).to.equal(ipaddr.parse(ip).range() === 'unicast');
      }),
      { numRuns: 2000 },
    );
  });

  it('judges a mapped and a NAT64 address like the IPv4 in it', () => {
    fc.assert(
      fc.property(v4, (parts) => {
        const ip = parts.join('.');
        expect(allowed(`::ffff:${ip}`)).to.equal(allowed(ip));
        expect(allowed(`64:ff9b::${ip}`)).to.equal(allowed(ip));
      }),
    );
  });
});
