import { expect } from 'chai';
import { LedgerError, type Ledger, type OverdueRun } from '../../../../adapters/ledger/port.ts';
import { sweep, sweepUntil } from '../../../../api-server/run/sweeper.ts';
import { CHECK_ORDER } from '../../../../core/receipt/record.ts';
import { createTestRuntime } from '../../../support/a-runtime.ts';
import { payloadOf, textAt } from '../../../support/members.ts';
import { aFinish, aStart } from '../../../support/ledger-rows.ts';
import { aCompletion, aReplay, aStartPolicy } from '../../../support/policy-rows.ts';
import { checkOf } from '../../../support/policy-runs.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const lost = (): Promise<never> => Promise.reject(new LedgerError('ledger-unavailable', 'away'));

const overdue = (number: number, seed: string): OverdueRun => ({
  runId: `run_${number}`,
  tenant: 'acme',
  startedAt: 0,
  deadlineAt: 1,
  seed,
});

const erased = (): Promise<number> => Promise.resolve(0);
/** Nothing is due, and no turn is needed to know it. */
const nothingDue = { eraseExpired: erased, erasePolicyRecords: erased };

describe('sweep (trust.md §1.5)', () => {
  let fixture: SqliteFixture;
  let ledger: Ledger;
  beforeEach(async () => {
    fixture = await openSqliteFixture();
    ledger = fixture.ledger;
  });
  afterEach(() => fixture.dispose());

  const create = (change: Partial<Ledger> = {}) =>
    createTestRuntime({ ledger: { ...ledger, ...change }, clock: fixture.clock });

  /** A run whose process is gone after its start. */
  const loseRun = async (): Promise<string> => {
    const { body } = await create({ finishRun: lost }).execute({});
    return textAt(body, 'run', 'run_id');
  };
  const outcomes = async (): Promise<readonly string[]> =>
    (await ledger.receipts('acme', { limit: 200 })).items.map(({ outcome }) => outcome);

  it('closes a lost run 60 s after its deadline and not before', async () => {
    await loseRun();
    const { runtime } = create();
    await fixture.clock.advance(30_000 + 60_000);
    expect(await sweep(runtime)).to.deep.equal({ closed: 0, stuck: 0 });
    await fixture.clock.advance(1);
    expect(await sweep(runtime)).to.deep.equal({ closed: 1, stuck: 0 });
    expect(await outcomes()).to.deep.equal(['platform_error']);
  });

  it('gives a run one receipt, however many sweep at the same time', async () => {
    const runId = await loseRun();
    await fixture.clock.advance(90_001);
    const runtimes = [create(), create(), create()];
    await Promise.all(runtimes.map(({ runtime }) => sweep(runtime)));
    expect(await outcomes()).to.deep.equal(['platform_error']);
    expect(await ledger.receiptOfRun('acme', runId)).to.include({ outcome: 'platform_error' });
    expect(runtimes.flatMap(({ counted }) => counted)).to.deep.equal(['run platform_error']);
  });

  it('writes a receipt that says who closed the run, and that nothing is known of it', async () => {
    await loseRun();
    await fixture.clock.advance(90_001);
    await sweep(create().runtime);
    const [stored] = (await ledger.receipts('acme', { limit: 1 })).items;
    const record = payloadOf(stored?.jws);
    expect(record).to.nested.include({
      'execution.closed_by': 'sweeper',
      'execution.duration_ms': 90_001,
      output: null,
    });
    expect(record).to.have.nested.property('execution.attempts').that.deep.equals([]);
    for (const id of ['caller_auth', 'output_schema', 'isolation', 'slo']) {
      const check = CHECK_ORDER.findIndex((name) => name === id);
      expect([id, textAt(record, 'checks', String(check), 'result')]).to.deep.equal([id, 'unknown']);
    }
  });

  it('knows of a lost run without a key that it had none', async () => {
    const { addOrb, addOrbiset, execute } = create({ finishRun: lost });
    addOrb('acme.open@1.0.0', { manifest: { access: 'anonymous' } }, 'default');
    addOrbiset('default', {}, 'default');
    const { body } = await execute({ orbiset: 'default', orbId: 'acme.open@1.0.0', caller: null });
    await fixture.clock.advance(90_001);
    expect(await sweep(create().runtime)).to.deep.equal({ closed: 1, stuck: 0 });
    const receipt = await ledger.receiptOfRun('default', textAt(body, 'run', 'run_id'));
    expect(checkOf(payloadOf(receipt?.jws), 'caller_auth')).to.include({ result: 'not_applicable' });
  });

  const poisoned: readonly [why: string, seed: string, error: string][] = [
    ['no JSON', '{', 'JSON'],
    ['a list', '[]', 'run run_1 has no readable seed'],
    ['of another version', '{"run_id":"x"}', 'run run_1 has no readable seed'],
  ];
  for (const [why, seed, error] of poisoned) {
    it(`goes on after a run whose seed is ${why}`, async () => {
      const runId = await loseRun();
      await fixture.clock.advance(90_001);
      const overdueRuns: Ledger['overdueRuns'] = async (before, limit) => [
        overdue(1, seed),
        ...(await ledger.overdueRuns(before, limit)),
      ];
      const { runtime, logged } = create({ overdueRuns });
      expect(await sweep(runtime)).to.deep.equal({ closed: 1, stuck: 1 });
      expect(await ledger.receiptOfRun('acme', runId)).to.include({ outcome: 'platform_error' });
      const errors = logged.filter(({ level }) => level === 'error');
      expect(errors.map(({ message }) => message)).to.deep.equal(['an overdue run could not be closed']);
      expect(errors[0]?.fields)
        .to.have.property('error')
        .that.is.an('error')
        .with.property('message')
        .that.includes(error);
    });
  }

  it('sees beyond runs that can never be closed', async () => {
    const limits: number[] = [];
    const bad = Array.from({ length: 100 }, (_, number) => overdue(number, '{'));
    const overdueRuns: Ledger['overdueRuns'] = (_before, limit) => {
      limits.push(limit);
      return Promise.resolve(bad);
    };
    const { runtime } = create({ overdueRuns });
    const { stuck } = await sweep(runtime);
    await sweep(runtime, stuck);
    expect(limits).to.deep.equal([100, 200]);
  });

  const DAY_MS = 86_400_000;
  const hasDecision = async (number: number): Promise<boolean> =>
    (await ledger.decisionOfRun('acme', aStart(number).runId)) !== undefined;

  it('erases decisions 90 days after they were made and replays 30 days after their start, and no receipt', async () => {
    await ledger.recordRun(aStart(1, { policy: aStartPolicy(1) }), aFinish(1));
    await ledger.addReplay(aReplay(0), 1);
    await ledger.updateReplay('rpl_0', aCompletion());
    const { runtime } = create();
    const hasReplay = async (): Promise<boolean> => (await ledger.replay('acme', 'rpl_0')) !== undefined;
    const seen: unknown[] = [];
    for (const ms of [30 * DAY_MS, 1, 60 * DAY_MS - 1, 1]) {
      await fixture.clock.advance(ms);
      await sweep(runtime);
      seen.push([await hasReplay(), await hasDecision(1)]);
    }
    expect(seen).to.deep.equal([
      [true, true],
      [false, true],
      [false, true],
      [false, false],
    ]);
    expect(await outcomes()).to.deep.equal(['success']);
  });

  it('erases in slices until no record is due, and leaves the rest of very many to the next sweep', async () => {
    const limits: number[] = [];
    const left = [500, 500, 17, 500];
    const erasePolicyRecords: Ledger['erasePolicyRecords'] = ({ limit }) => {
      limits.push(limit);
      return Promise.resolve(left.shift() ?? 500);
    };
    const { runtime } = create({ erasePolicyRecords });
    await sweep(runtime);
    expect(limits).to.deep.equal([500, 500, 500]);
    await sweep(runtime);
    expect(limits.length).to.equal(3 + 60);
  });

  describe('sweepUntil', () => {
    it('sweeps at once, then every 15 s, and ends when it is told to', async () => {
      let sweeps = 0;
      const overdueRuns = (): Promise<readonly OverdueRun[]> => {
        sweeps += 1;
        return Promise.resolve([]);
      };
      const { runtime } = create({ overdueRuns, ...nothingDue });
      const stopping = new AbortController();
      const done = sweepUntil(runtime, stopping.signal);
      await fixture.clock.advance(0);
      const seen = [sweeps];
      for (let step = 0; step < 2; step += 1) {
        await fixture.clock.advance(14_999);
        seen.push(sweeps);
        await fixture.clock.advance(1);
        seen.push(sweeps);
      }
      expect(seen).to.deep.equal([1, 1, 2, 2, 3]);
      stopping.abort();
      await done;
      await fixture.clock.advance(60_000);
      expect(sweeps).to.equal(3);
    });

    it('waits between sweeps while the ledger is away, and comes back', async () => {
      let asked = 0;
      const overdueRuns = (): Promise<readonly OverdueRun[]> => {
        asked += 1;
        return asked < 3 ? lost() : Promise.resolve([]);
      };
      const { runtime, logged } = create({ overdueRuns });
      const stopping = new AbortController();
      const done = sweepUntil(runtime, stopping.signal);
      await fixture.clock.advance(0);
      expect(asked).to.equal(1);
      await fixture.clock.advance(15_000);
      await fixture.clock.advance(15_000);
      expect([asked, logged.filter(({ message }) => message === 'sweep failed').length]).to.deep.equal([3, 2]);
      stopping.abort();
      await done;
    });

    it('does not spin on runs that it can not close', async () => {
      let asked = 0;
      const overdueRuns = (): Promise<readonly OverdueRun[]> => {
        asked += 1;
        return Promise.resolve(Array.from({ length: 100 }, (_, number) => overdue(number, '{')));
      };
      const { runtime } = create({ overdueRuns, ...nothingDue });
      const stopping = new AbortController();
      const done = sweepUntil(runtime, stopping.signal);
      for (let step = 0; step < 5; step += 1) await fixture.clock.advance(0);
      expect(asked).to.equal(1);
      stopping.abort();
      await done;
    });
  });
});
