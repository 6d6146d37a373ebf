import { expect } from 'chai';
import { replayFaults } from '../../chaos/policies/changes/check-change.ts';
import type { PolicyRows } from '../../chaos/policies/changes/rows.ts';

type Row = ReturnType<PolicyRows['replays']>[number];

const COMPLETED: Row = { replayId: 'rpl_1', digest: 'sha256:a', status: 'completed', isSigned: true, counted: 1 };
const ABORTED: Row = { ...COMPLETED, status: 'aborted', isSigned: false, counted: 0 };

describe('replays after their process was killed', () => {
  const rows: readonly [why: string, row: Row, faults: readonly string[]][] = [
    ['one that completed counts once', COMPLETED, []],
    ['one that was cut short counts for nothing', ABORTED, []],
    ['one still runs', { ...ABORTED, status: 'running' }, ['rpl_1 is running after its process was killed']],
    ['one was cut short and counts', { ...ABORTED, counted: 1 }, ['rpl_1 is aborted and counts 1 times']],
    ['one counts twice', { ...COMPLETED, counted: 2 }, ['rpl_1 is completed and counts 2 times']],
    ['one completed and counts for nothing', { ...COMPLETED, counted: 0 }, ['rpl_1 is completed and counts 0 times']],
    ['one completed without a signature', { ...COMPLETED, isSigned: false }, ['rpl_1 is completed, and not signed']],
  ];
  for (const [why, row, faults] of rows)
    it(`are ${faults.length === 0 ? 'sound' : 'a fault'} when ${why}`, () => {
      expect(replayFaults({ replays: () => [row] }, 'limits')).to.deep.equal(faults);
    });
});
