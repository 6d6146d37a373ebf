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

const SHARED = { orbiset: 'acme.a', ratePerSecond: undefined, tenant: 'acme', orb: 'acme/acme.echo@1.0.0' };

describe('RunRates', () => {
  it('takes a token of each limit or of none, and names the limit that is used up', () => {
    const rates = new RunRates({ tenant: { perSecond: 2, burst: 2 }, orb: { perSecond: 3, burst: 3 } });
    const ask = (change: Partial<typeof SHARED>): string => {
      const verdict = rates.take({ ...SHARED, ...change }, 0);
      return verdict.allowed ? 'allowed' : verdict.limit;
    };
    expect([ask({}), ask({}), ask({})]).to.deep.equal(['allowed', 'allowed', 'tenant']);
    // The refused run took no token of the Orb, so another tenant gets the last one.
    expect([ask({ tenant: 'globex' }), ask({ tenant: 'globex' })]).to.deep.equal(['allowed', 'orb']);
    // The run that the Orb's rate refused took no token of its tenant.
    expect([ask({ tenant: 'globex', orb: 'acme/acme.other@1.0.0' })]).to.deep.equal(['allowed']);
    expect([ask({ tenant: 'globex', orb: 'acme/acme.other@1.0.0' })]).to.deep.equal(['tenant']);
  });

  it('shows the rate of the Orbiset alone, and gives back what a run took that did not start', () => {
    const rates = new RunRates({ tenant: { perSecond: 1, burst: 1 }, orb: 'none' });
    const verdict = rates.take({ ...SHARED, ratePerSecond: 1 }, 0);
    expect(verdict.headers).to.deep.equal({ 'ratelimit-policy': '"orbiset";q=1;w=1', ratelimit: '"orbiset";r=0;t=1' });
    expect(rates.take(SHARED, 0).allowed).to.equal(false);
    if (verdict.allowed) verdict.giveBack();
    expect(rates.take({ ...SHARED, ratePerSecond: 1 }, 0).allowed).to.equal(true);
  });

  it('counts no token of the Orb for a run that calls no provider', () => {
    const rates = new RunRates({ tenant: 'none', orb: { perSecond: 1, burst: 1 } });
    const denied = Array.from({ length: 3 }, () => rates.take({ ...SHARED, orb: undefined }, 0).allowed);
    expect([...denied, rates.take(SHARED, 0).allowed]).to.deep.equal([true, true, true, true]);
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
