import { expect } from 'chai';
import { replayThreads } from '../../../../api-server/process/replay-threads.ts';

describe('threads that replay policies', () => {
  const rows: readonly (readonly [why: string, most: number | undefined, cores: number, expected: number])[] = [
    ['are half of the cores', undefined, 8, 4],
    ['leave runs the larger half', undefined, 5, 2],
    ['are at least one', undefined, 1, 1],
    ['are as many as wanted', 2, 8, 2],
    ['are never more than half of the cores', 64, 8, 4],
  ];
  for (const [why, most, cores, expected] of rows) it(why, () => expect(replayThreads(most, cores)).to.equal(expected));

  it('are at least one on this machine', () => expect(replayThreads(undefined)).to.be.at.least(1));
});
