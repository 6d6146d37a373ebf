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
    const desk = new ReplayDesk(manyReceipts(80), aReplayJob(policySet([], []), { orbisets: () => [] }), clock);
    const steps = [await desk.step(), await desk.step()];
    expect(steps.map(({ isDone, summary }) => [isDone, summary.evaluated])).to.deep.equal([
      [false, 64],
      [true, 80],
    ]);
  });

  it('ends a slice before it rests, and reads no further one meanwhile', async () => {
    const done: string[] = [];
    const rests = [Promise.withResolvers<undefined>(), undefined];
    const pace = {
      begin: (): void => void done.push('slice'),
      rest: (): Promise<undefined> | undefined => rests.shift()?.promise,
    };
    const [first] = rests;
    const job = aReplayJob(policySet([], []), { orbisets: () => [] });
    const step = new ReplayDesk(manyReceipts(80), job, { monotonic: () => 0 }, pace).step();
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).to.deep.equal(['slice']);
    first?.resolve(undefined);
    expect((await step).summary.evaluated).to.equal(80);
    expect(done).to.deep.equal(['slice', 'slice', 'slice']);
  });
});
