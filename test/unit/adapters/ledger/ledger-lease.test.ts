import { expect } from 'chai';
import { NotLeading } from '../../../../core/errors/not-leading.ts';
import { createLedgerLease, type LedgerLease } from '../../../../adapters/ledger/ledger-lease.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { recordLog } from '../../../support/kube/runtime-recorders.ts';

/** A lease table with one row, on the clock of the test. */
class Table {
  holder = '';
  until = 0;
  isAway = false;
  epoch = 0;
  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  readonly acquireLease = async (_name: string, holder: string, ttlMs: number): Promise<number | undefined> => {
    if (this.isAway) throw new Error('away');
    if (this.holder !== holder && this.#clock.monotonic() < this.until) return undefined;
    if (this.holder !== holder) this.epoch += 1;
    this.holder = holder;
    this.until = this.#clock.monotonic() + ttlMs;
    return this.epoch;
  };

  readonly releaseLease = async (_name: string, holder: string): Promise<void> => {
    if (this.holder === holder) this.until = 0;
  };
}

interface Replica {
  readonly lease: LedgerLease;
  readonly stop: () => Promise<void>;
  leads: boolean;
  /** Epochs in which its task began. */
  readonly began: number[];
}

function replica(table: Table, clock: FakeClock, holder: string): Replica {
  const stopping = new AbortController();
  const lease = createLedgerLease({ ledger: table, name: 'status-writer', holder, clock, logger: recordLog().logger });
  const made: Replica = { lease, leads: false, began: [], stop: async () => undefined };
  const running = lease.run(stopping.signal, async (scope) => {
    made.leads = true;
    made.began.push(lease.epoch());
    await new Promise((resolve) => scope.addEventListener('abort', resolve, { once: true }));
    made.leads = false;
  });
  return Object.assign(made, {
    stop: async () => {
      stopping.abort();
      await running;
    },
  });
}

const mayWrite = ({ lease }: Replica): boolean => {
  try {
    lease.assertLeading();
    return true;
  } catch (error) {
    if (error instanceof NotLeading) return false;
    throw error;
  }
};

describe('a lease of the ledger', () => {
  it('is held by one replica, and goes to the other when that one stops', async () => {
    const clock = createFakeClock(0);
    const table = new Table(clock);
    const one = replica(table, clock, 'one');
    await clock.advance(0);
    const two = replica(table, clock, 'two');
    await clock.advance(60_000);
    expect([one.leads, mayWrite(one), two.leads, mayWrite(two)]).to.deep.equal([true, true, false, false]);
    await one.stop();
    expect([one.leads, table.until]).to.deep.equal([false, 0]);
    await clock.advance(2000);
    expect([two.leads, mayWrite(two)]).to.deep.equal([true, true]);
    await two.stop();
  });

  it('begins its task again when another replica held it between two renewals: its writes have another epoch', async () => {
    const clock = createFakeClock(0);
    const table = new Table(clock);
    const one = replica(table, clock, 'one');
    await clock.advance(0);
    // As after a pause of the whole process: it expired, and the other one released it.
    table.until = 0;
    await table.acquireLease('status-writer', 'two', 15_000);
    await table.releaseLease('status-writer', 'two');
    await clock.advance(5000);
    expect([one.began, one.leads, mayWrite(one)]).to.deep.equal([[1, 3], true, true]);
    await clock.advance(60_000);
    expect(one.began).to.deep.equal([1, 3]);
    await one.stop();
  });

  it('forbids writing before another may begin, when the ledger is away', async () => {
    const clock = createFakeClock(0);
    const table = new Table(clock);
    const one = replica(table, clock, 'one');
    await clock.advance(0);
    table.isAway = true;
    await clock.advance(9999);
    expect(mayWrite(one)).to.equal(true);
    await clock.advance(1);
    expect(mayWrite(one)).to.equal(false);
    await clock.advance(5000);
    expect(one.leads).to.equal(false);
    table.isAway = false;
    await clock.advance(5000);
    expect([one.leads, mayWrite(one)]).to.deep.equal([true, true]);
    await one.stop();
  });
});
