import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { createLeaderTasks, type LeaderTasks } from '../../../../api-server/process/leader-tasks.ts';
import type { SwappedOrb } from '../../../../core/swap/swap-receipt-of.ts';
import { aProbingProcess, swapping, type ProbingProcess } from '../../../support/a-prober.ts';
import { aSwappedOrb, aSwapRecord, swapReceiptId } from '../../../support/a-swap.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const MINUTE = 60_000;

interface Replica {
  readonly process: ProbingProcess;
  readonly tasks: LeaderTasks;
  readonly stop: () => Promise<void>;
}

describe('createLeaderTasks (failover.md §6, §7)', () => {
  let fixture: SqliteFixture;
  let replicas: Replica[];
  beforeEach(async () => {
    fixture = await openSqliteFixture();
    replicas = [];
  });
  afterEach(async () => {
    await Promise.all(replicas.map(({ stop }) => stop()));
    await fixture.dispose();
  });

  async function replica(
    identity: string,
    swapped: readonly SwappedOrb[] = [],
    ready: (signal: AbortSignal) => Promise<boolean> = async () => true,
  ): Promise<Replica> {
    const { ledger, clock } = fixture;
    const process = aProbingProcess(ledger, clock);
    process.world.addOrb('acme.mail@1.0.0', swapping({}));
    const { metrics, random, onBudgetExhausted } = process.deps;
    const { runtime, catalog } = process.world;
    const tasks = createLeaderTasks(
      { ledger, logHead: { ready }, catalog, dialer: runtime.dialer, clock, log: process.log, metrics, runtime },
      {
        identity,
        random,
        onBudgetExhausted,
        swapped: () => swapped,
        evaluator: () => ({ id: 'orb-operator/1', instance: 'orb-operator' }),
      },
    );
    const stopping = new AbortController();
    const running = tasks.run(stopping.signal);
    const made = {
      process,
      tasks,
      stop: async () => {
        stopping.abort();
        await running;
      },
    };
    replicas.push(made);
    await settle();
    return made;
  }

  /** What was asked of the ledger's thread is done when a later write is. */
  async function settle(): Promise<void> {
    await fixture.ledger.putState('test', 'turn', '{}');
    await fixture.clock.advance(0);
  }

  /** Small steps: an answer of the ledger comes within one of them. */
  async function live(ms: number): Promise<void> {
    for (let step = 0; step < ms; step += 1000) {
      await fixture.clock.advance(1000);
      await settle();
    }
  }

  it('probes in one of two processes, so that a second one costs nothing', async () => {
    const one = await replica('one');
    const two = await replica('two');
    await live(5 * MINUTE);
    expect([one.process.world.sent.length, two.process.world.sent.length]).to.deep.equal([20, 0]);
  });

  it('goes over within 20 s to the other process when the first is gone without a word', async () => {
    await fixture.ledger.acquireLease('provider-probes', 'gone', 15_000);
    const two = await replica('two');
    await live(20_000 + 30_000);
    expect(two.process.world.sent.length).to.be.within(2, 4);
  });

  it('goes over at once when the first is stopped in order', async () => {
    const one = await replica('one');
    const two = await replica('two');
    await live(MINUTE);
    const before = one.process.world.sent.length;
    await one.stop();
    await live(2000 + 30_000);
    expect([one.process.world.sent.length, two.process.world.sent.length]).to.deep.equal([before, 2]);
  });

  it('mints what is there when it begins and what comes later; the other process does not', async () => {
    const orb = aSwappedOrb([aSwapRecord(1)]);
    const one = await replica('one', [orb]);
    const two = await replica('two', [orb]);
    await live(2000);
    // The check of a new receipt runs in a thread, which takes its time.
    const minted = async (seq: number, turns = 500): Promise<boolean> => {
      for (let turn = 0; turn < turns; turn += 1) {
        await settle();
        if ((await fixture.ledger.swapReceipt(orb.namespace, swapReceiptId(seq))) !== undefined) return true;
        await delay(10);
      }
      return false;
    };
    const swappedAgain = aSwappedOrb([aSwapRecord(1), aSwapRecord(2)]);
    expect(await minted(1)).to.equal(true);
    two.tasks.observe(swappedAgain);
    expect(await minted(2, 20)).to.equal(false);
    one.tasks.observe(swappedAgain);
    expect(await minted(2)).to.equal(true);
  });
});
