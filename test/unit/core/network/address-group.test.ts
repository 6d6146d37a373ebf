import { expect } from 'chai';
import { addressGroup } from '../../../../core/network/address-group.ts';

describe('addressGroup', () => {
  const rows: readonly (readonly [why: string, address: string, group: string])[] = [
    ['an IPv4 address counts whole', '192.0.2.7', '192.0.2.7'],
    ['an IPv4 address as IPv6 is the same one', '::ffff:192.0.2.7', '192.0.2.7'],
    ['of IPv6 the first 64 bits count', '2001:db8:1:2:3:4:5:6', '20010db800010002/64'],
    ['a neighbour in the /64 shares the bounds', '2001:db8:1:2::1', '20010db800010002/64'],
    ['another /64 does not', '2001:db8:1:3::1', '20010db800010003/64'],
    ['loopback of IPv6', '::1', '0000000000000000/64'],
    ['what is no address shares one group', 'not:an:address', ''],
    ['what is not known shares it too', 'unknown', ''],
  ];
  for (const [why, address, group] of rows) it(why, () => expect(addressGroup(address)).to.equal(group));
});
