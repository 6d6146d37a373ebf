import { expect } from 'chai';
import { LedgerError, type Ledger } from '../../../../adapters/ledger/port.ts';
import { RunRates } from '../../../../api-server/runtime/run-rates.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { createTestRuntime, type Call, type Executed, type TestRuntime } from '../../../support/a-runtime.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const START = 1_795_168_800_000;

const reported = ({ headers }: Pick<Executed, 'headers'>): readonly unknown[] =>
  ['ratelimit-policy', 'ratelimit', 'retry-after'].map((name) => headers[name]);

const run = (test: TestRuntime, call: Call = {}): Promise<Executed> => test.execute({ orbiset: 'limited', ...call });

const statuses = async (test: TestRuntime, calls: readonly Call[]): Promise<readonly number[]> => {
  const found: number[] = [];
  for (const call of calls) found.push((await run(test, call)).status);
  return found;
};

describe('RunRates', () => {
  const rows: readonly (readonly [perSecond: number, policy: string, first: string, last: string, again: string])[] = [
    [50, '"orbiset";q=50;w=1', '"orbiset";r=49;t=1', '"orbiset";r=0;t=1', '1'],
    [1, '"orbiset";q=1;w=1', '"orbiset";r=0;t=1', '"orbiset";r=0;t=1', '1'],
    [0.5, '"orbiset";q=1;w=2', '"orbiset";r=0;t=2', '"orbiset";r=0;t=2', '2'],
    [0.3, '"orbiset";q=1;w=4', '"orbiset";r=0;t=4', '"orbiset";r=0;t=4', '4'],
    [2.5, '"orbiset";q=2;w=1', '"orbiset";r=1;t=1', '"orbiset";r=0;t=1', '1'],
    [0.01, '"orbiset";q=1;w=100', '"orbiset";r=0;t=100', '"orbiset";r=0;t=100', '100'],
    [100_000, '"orbiset";q=100000;w=1', '"orbiset";r=99999;t=1', '"orbiset";r=0;t=1', '1'],
  ];
  for (const [perSecond, policy, first, last, again] of rows)
    it(`reports ${perSecond} a second in whole runs and seconds, none of them promised too early`, () => {
      const rates = new RunRates();
      expect(reported(rates.take('acme.a', perSecond, 0))).to.deep.equal([policy, first, undefined]);
      let verdict = rates.take('acme.a', perSecond, 0);
      while (verdict.allowed) verdict = rates.take('acme.a', perSecond, 0);
      expect(reported(verdict)).to.deep.equal([policy, last, again]);
      expect(rates.take('acme.a', perSecond, Number(again) * 1000).allowed).to.equal(true);
    });

  it('counts each Orbiset for itself', () => {
    const rates = new RunRates();
    expect(
      [rates.take('acme.a', 1, 0), rates.take('acme.b', 1, 0), rates.take('acme.a', 1, 0)].map(
        ({ allowed }) => allowed,
      ),
    ).to.deep.equal([true, true, false]);
  });

  it('counts the time since the last request at a rate that was raised meanwhile', () => {
    const rates = new RunRates();
    expect(rates.take('acme.a', 0.01, 0).allowed).to.equal(true);
    expect(rates.take('acme.a', 0.01, 1000).allowed).to.equal(false);
    expect(rates.take('acme.a', 2, 1100).allowed).to.equal(false);
    expect(rates.take('acme.a', 10, 1150).allowed).to.equal(false);
    expect(reported(rates.take('acme.a', 100, 3000))).to.deep.equal([
      '"orbiset";q=100;w=1',
      '"orbiset";r=99;t=1',
      undefined,
    ]);
  });

  it('keeps the available runs, up to the new burst, at a rate that was lowered meanwhile', () => {
    const rates = new RunRates();
    for (let taken = 0; taken < 10; taken += 1) rates.take('acme.a', 10, 0);
    const allowed = [1000, 1000].map((now) => rates.take('acme.a', 1, now).allowed);
    expect(allowed).to.deep.equal([true, false]);
  });

  it('forgets those that are full again: removed Orbisets leave nothing behind', () => {
    const rates = new RunRates();
    for (let index = 0; index < 5000; index += 1) rates.take(`acme.o${index}`, 1, index * 10);
    expect(rates.size).to.be.at.most(1024);
    expect(rates.take('acme.o4999', 1, 49_990).allowed).to.equal(false);
  });
});

describe('limits.rate_per_second of an Orbiset', () => {
  let fixture: SqliteFixture;
  let clock: FakeClock;
  before(async () => {
    fixture = await openSqliteFixture();
  });
  after(() => fixture.dispose());
  beforeEach(() => {
    clock = createFakeClock(START);
  });

  const create = (perSecond: number, ledger: Ledger = fixture.ledger): TestRuntime => {
    const test = createTestRuntime({ ledger, clock });
    test.addOrbiset('limited', { limits: { rate_per_second: perSecond } });
    return test;
  };

  it('refuses what is over the rate: 429, nothing sent, no row, and the next one after Retry-After', async () => {
    const rows: string[] = [];
    const startRun: Ledger['startRun'] = (row) => {
      rows.push(row.runId);
      return fixture.ledger.startRun(row);
    };
    const test = create(0.5, { ...fixture.ledger, startRun });
    const first = await run(test);
    const second = await run(test);
    expect([first.status, ...reported(first)]).to.deep.equal([
      200,
      '"orbiset";q=1;w=2',
      '"orbiset";r=0;t=2',
      undefined,
    ]);
    expect([second.status, second.code, ...reported(second)]).to.deep.equal([
      429,
      'rate-limited',
      '"orbiset";q=1;w=2',
      '"orbiset";r=0;t=2',
      '2',
    ]);
    expect([
      test.sent.length,
      rows.length,
      test.counted.filter((line) => line.startsWith('run ')).length,
    ]).to.deep.equal([1, 1, 1]);
    await clock.advance(1999);
    expect((await run(test)).status).to.equal(429);
    await clock.advance(1);
    expect((await run(test)).status).to.equal(200);
  });

  it('lets a second’s worth through at once', async () => {
    expect(await statuses(create(3), [{}, {}, {}, {}])).to.deep.equal([200, 200, 200, 429]);
  });

  it('keeps count when the Orbiset is compiled anew, and follows another rate at once', async () => {
    const test = create(1);
    expect(await statuses(test, [{}, {}])).to.deep.equal([200, 429]);
    test.addOrbiset('limited', { limits: { rate_per_second: 1 }, orbs: ['globex.shared'] });
    expect((await run(test)).status).to.equal(429);
    test.addOrbiset('limited', { limits: { rate_per_second: 10 } });
    expect((await run(test)).status).to.equal(429);
    await clock.advance(100);
    expect(await statuses(test, [{}, {}])).to.deep.equal([200, 429]);
    test.addOrbiset('limited', {});
    const free = await run(test);
    expect([free.status, ...reported(free)]).to.deep.equal([200, undefined, undefined, undefined]);
  });

  it('counts neither a dry run nor a stored answer, and keeps no key for a refusal', async () => {
    const test = create(1);
    const dry = await run(test, { query: 'dry_run=true' });
    const first = await run(test, { key: 'once' });
    const replayed = await run(test, { key: 'once' });
    const refused = await run(test, { key: 'other' });
    const again = await run(test, { key: 'once' });
    expect([dry, first, replayed, refused, again].map(({ status }) => status)).to.deep.equal([200, 200, 200, 429, 200]);
    expect([replayed.headers['idempotency-replayed'], ...reported(replayed)]).to.deep.equal([
      'true',
      undefined,
      undefined,
      undefined,
    ]);
    await clock.advance(1000);
    expect((await run(test, { key: 'other' })).status).to.equal(200);
  });

  it('does not count what another limit refused, or what the ledger could not start', async () => {
    let isAway = true;
    const startRun: Ledger['startRun'] = (row) =>
      isAway ? Promise.reject(new LedgerError('ledger-unavailable', 'away')) : fixture.ledger.startRun(row);
    const test = create(1, { ...fixture.ledger, startRun });
    expect(await statuses(test, [{}, { inputs: { nobody: 'knows' } }, {}])).to.deep.equal([503, 422, 503]);
    isAway = false;
    expect(await statuses(test, [{}, {}])).to.deep.equal([200, 429]);
  });

  it('counts a run that the provider fails', async () => {
    const test = createTestRuntime({
      ledger: fixture.ledger,
      clock,
      answer: () => ({ kind: 'answered', status: 400, headers: [], body: Buffer.from(''), ms: 1, exception: false }),
    });
    test.addOrbiset('limited', { limits: { rate_per_second: 1 } });
    const failed = await run(test);
    expect([failed.status, ...reported(failed)]).to.deep.equal([
      502,
      '"orbiset";q=1;w=1',
      '"orbiset";r=0;t=1',
      undefined,
    ]);
    expect((await run(test)).status).to.equal(429);
  });
});
