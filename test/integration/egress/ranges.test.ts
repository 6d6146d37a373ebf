import { randomFillSync } from 'node:crypto';
import { expect } from 'chai';
import ipaddr from 'ipaddr.js';
import { allowed } from '../../../adapters/egress/ranges.ts';

const V4_COUNT = 2_000_000;
const V6_COUNT = 500_000;

/** Addresses on which we and ipaddr.js differ; at most ten, they name themselves. */
function differing(count: number, size: number, shape: (bytes: Buffer) => void): readonly string[] {
  const random = randomFillSync(Buffer.alloc(count * size));
  const differ: string[] = [];
  for (let at = 0; at < random.byteLength && differ.length < 10; at += size) {
    const bytes = random.subarray(at, at + size);
    shape(bytes);
    const ip = ipaddr.fromByteArray([...bytes]);
    if (allowed(ip.toString()) !== (ip.range() === 'unicast') && ip.toString() !== '168.63.129.16')
      differ.push(ip.toString());
  }
  return differ;
}

/** Into 2000::/3. */
const global = (bytes: Buffer): void => {
  bytes[0] = 0x20 | ((bytes[0] ?? 0) & 0x1f);
};

describe('allowed', () => {
  it(`agrees with ipaddr.js on ${V4_COUNT} random IPv4 addresses`, () => {
    expect(differing(V4_COUNT, 4, () => undefined)).to.deep.equal([]);
  });

  it(`agrees with ipaddr.js on ${V6_COUNT} random addresses in 2000::/3`, () => {
    expect(differing(V6_COUNT, 16, global)).to.deep.equal([]);
  });

  it(`agrees with ipaddr.js on ${V4_COUNT / 10} random addresses near the listed ranges of 2000::/3`, () => {
    const heads = ['2001', '2001:db8', '2002', '2620:4f:8000', '3fff'].map((head) =>
      ipaddr.parse(`${head}::`).toByteArray(),
    );
    let turn = 0;
    const near = (bytes: Buffer): void => {
      turn += 1;
      const head = heads[turn % heads.length] ?? [];
      bytes.set(head.slice(0, turn % 3 === 0 ? 6 : 2));
    };
    expect(differing(V4_COUNT / 10, 16, near)).to.deep.equal([]);
  });
});
