import { expect } from 'chai';
import type { RecordedRunRow } from '../../../../adapters/ledger/port.ts';
import { ReplayDesk, type RunSource } from '../../../../adapters/replay-worker/replay-desk.ts';
import { policySet } from '../../../../core/policy/decision/policy-set.ts';
import { aReplayJob } from '../../../support/replays.ts';

/** Receipts of runs of which nothing else is stored. */
const manyReceipts = (count: number): RunSource => ({
  recordedRuns: (_tenant, { after, limit }) => {
    const first = (after?.issuedAt ?? 0) + 1;
    const rows = Array.from({ length: Math.min(limit, count + 1 - first) }, (_, index): RecordedRunRow => ({
      receiptId: `rcpt_${first + index}`,
      orbId: 'acme.echo@1.0.0',
      issuedAt: first + index,
      header: 'a',
      payload: '',
      signature: 'c',
      entry: null,
      decision: null,
    }));
    return Promise.resolve(rows);
  },
});

describe('the time of a chunk of a replay', () => {
  it('ends a step after a second of work, so that a busy machine is not taken for a thread that hangs', async () => {
    let now = 0;
    const clock = { monotonic: (): number => (now += 600) };
    const desk = new ReplayDesk(manyReceipts(250), aReplayJob(policySet([], []), { orbisets: () => [] }), clock);
    const steps = [await desk.step(), await desk.step()];
    expect(steps.map(({ isDone, summary }) => [isDone, summary.evaluated])).to.deep.equal([
      [false, 200],
      [true, 250],
    ]);
  });
});
