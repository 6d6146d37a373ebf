import { expect } from 'chai';
import { ReplayError, type ReplayProgress } from '../../../../adapters/replay-worker/port.ts';
import { ReplayRunner, type ReplayRunnerOptions } from '../../../../adapters/replay-worker/replay-runner.ts';
import type { FromReplayThread, ToReplayThread } from '../../../../adapters/replay-worker/serve-replay.ts';
import { SharedCount } from '../../../../adapters/threads/shared-count.ts';
import type { StartThread } from '../../../../adapters/threads/start-thread.ts';
import { aPolicy, aRule } from '../../../support/policies.ts';
import { PolicyRuns } from '../../../support/policy-runs.ts';
import { aReplayJob, replayed } from '../../../support/replays.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

type Events = Parameters<StartThread<ToReplayThread, FromReplayThread>>[0];

/** A thread that answers as the test says. */
interface FakeThread {
  readonly events: Events;
  readonly posted: ToReplayThread[];
  isTerminated: boolean;
}

const codeOf = (error: unknown): string => (error instanceof ReplayError ? error.code : String(error));
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('ReplayRunner', () => {
  let fixture: SqliteFixture;
  let runs: PolicyRuns;
  before(async () => {
    fixture = await openSqliteFixture();
    runs = new PolicyRuns(fixture);
  });
  after(() => fixture.dispose());

  const test = (): Parameters<typeof aReplayJob> => {
    const { set, catalog } = runs.create([aPolicy({ rules: [aRule('deny', 'orbiset.runs_today >= 2')] })]);
    return [set, catalog];
  };
  const never = new AbortController().signal;

  it('replays in a thread what the thread of the caller would', async () => {
    const { execute, orbiset, set, catalog } = runs.create([
      aPolicy({ rules: [aRule('deny', 'orbiset.runs_today >= 2')] }),
    ]);
    for (let time = 0; time < 4; time += 1) await execute({ orbiset });
    const job = aReplayJob(set, catalog);
    const found: ReplayProgress[] = [];
    const runner = new ReplayRunner({ file: fixture.options.file });
    await runner.run(job, async (progress) => void found.push(progress), never);
    expect(found).to.deep.equal([await replayed(fixture.ledger, job)]);
    expect(found[0]?.summary.counts).to.include({ unchanged: 4, indeterminate: 0 });
  });

  it('says that the ledger can not be read', async () => {
    const runner = new ReplayRunner({ file: `${fixture.folder}/none.sqlite` });
    const failed = runner.run(aReplayJob(...test()), () => Promise.resolve(), never);
    expect(codeOf(await failed.catch((error: unknown) => error))).to.equal('ledger_unavailable');
  });

  const begin = (of: ReplayRunner, signal: AbortSignal = never): Promise<string> =>
    of.run(aReplayJob(...test()), () => Promise.resolve(), signal).then(() => 'done', codeOf);

  describe('with threads of the test', () => {
    let threads: FakeThread[];
    beforeEach(() => (threads = []));
    const runner = (change: Partial<ReplayRunnerOptions> = {}): ReplayRunner =>
      new ReplayRunner({
        file: 'ledger.sqlite',
        most: 1,
        start: (events) => {
          const thread: FakeThread = { events, posted: [], isTerminated: false };
          threads.push(thread);
          const terminate = async (): Promise<void> => void (thread.isTerminated = true);
          return { post: (message) => void thread.posted.push(message), ended: Promise.resolve(), terminate };
        },
        ...change,
      });

    it('starts a thread when there is room for it', async () => {
      const room = Promise.withResolvers<undefined>();
      const end = begin(runner({ makeRoom: () => room.promise, chunkMs: 5 }));
      await nextTurn();
      expect(threads).to.deep.equal([]);
      room.resolve(undefined);
      await nextTurn();
      threads[0]?.events.onMessage(['ready']);
      expect(await end).to.equal('worker_timeout');
    });

    it('shows a thread the count of runs that begin in the process', async () => {
      const count = new SharedCount();
      const end = begin(runner({ runs: count, chunkMs: 5 }));
      await nextTurn();
      expect(threads[0]?.posted[0]?.[3]).to.equal(count.memory);
      threads[0]?.events.onEnd(undefined);
      expect(await end).to.equal('worker_failed');
    });

    it('ends a thread whose chunk takes too long', async () => {
      const end = begin(runner({ chunkMs: 5 }));
      await nextTurn();
      threads[0]?.events.onMessage(['ready']);
      expect(await end).to.equal('worker_timeout');
      expect(threads.map(({ posted, isTerminated }) => [posted.length, isTerminated])).to.deep.equal([[2, true]]);
    });

    const ends: readonly (readonly [string, unknown, string])[] = [
      [
        'needs too much memory',
        Object.assign(new Error('heap'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }),
        'worker_out_of_memory',
      ],
      ['crashes', new Error('crash'), 'worker_failed'],
      ['ends', undefined, 'worker_failed'],
    ];
    for (const [why, cause, code] of ends)
      it(`says that a thread ${why}`, async () => {
        const end = begin(runner());
        await nextTurn();
        threads[0]?.events.onEnd(cause);
        expect(await end).to.equal(code);
      });

    it('says that a thread failed, and ends it', async () => {
      const end = begin(runner());
      await nextTurn();
      threads[0]?.events.onMessage(['broken', 'a bug', 'at a place']);
      expect([await end, threads[0]?.isTerminated]).to.deep.equal(['worker_failed', true]);
    });

    it('ends a replay at once when it is aborted, also one that waits for a thread', async () => {
      const one = runner();
      const [first, second] = [new AbortController(), new AbortController()];
      const ended = [begin(one, first.signal), begin(one, second.signal), begin(one)];
      await nextTurn();
      expect(threads.length).to.equal(1);
      second.abort(new Error('second'));
      expect(await ended[1]).to.equal('Error: second');
      first.abort(new Error('first'));
      expect(await ended[0]).to.equal('Error: first');
      await nextTurn();
      expect(threads.map(({ isTerminated }) => isTerminated)).to.deep.equal([true, false]);
      threads[1]?.events.onEnd(undefined);
      expect(await ended[2]).to.equal('worker_failed');
    });
  });
});
