import { expect } from 'chai';
import { connectionsWithin } from '../../../../adapters/process/descriptor-limit.ts';

describe('connectionsWithin', () => {
  const rows: readonly (readonly [why: string, wanted: number, limit: number, expected: number])[] = [
    ['many descriptors allow what is wanted', 8192, 1_048_576, 8192],
    ['a quarter is kept for everything else', 8192, 4096, 3072],
    ['of few, 256 are kept', 8192, 512, 256],
    ['one is left in any case', 8192, 100, 1],
    ['no bound is as many as possible', 0, 4096, 3072],
  ];
  for (const [why, wanted, limit, expected] of rows) {
    it(why, () => expect(connectionsWithin(wanted, limit)).to.equal(expected));
  }

  it('reads the limit of this process', () => expect(connectionsWithin(1_000_000_000)).to.be.within(1, 999_999_999));
});
