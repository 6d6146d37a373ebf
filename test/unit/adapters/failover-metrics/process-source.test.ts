import { expect } from 'chai';
import type { Measurement } from '../../../../adapters/failover-metrics/port.ts';
import { createProcessSource, type ProcessSource } from '../../../../adapters/failover-metrics/process-source.ts';
import { OrbMetrics } from '../../../../adapters/telemetry/orb-metrics.ts';
import type { ProviderSeries } from '../../../../adapters/telemetry/provider-series.ts';
import type { ProviderMetrics, Reading } from '../../../../core/failover/metrics.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';

const START = 1_795_168_800_000;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const ORB = { namespace: 'acme', orbId: 'acme.x@1.0.0', providers: ['a', 'b'], quantile: 0.95 };

interface Setup {
  readonly metrics: OrbMetrics;
  readonly clock: FakeClock;
  readonly source: ProcessSource;
  readonly a: ProviderSeries;
  /** Lets time pass, with a sample every 5 s and something done before each. */
  readonly pass: (ms: number, act?: () => void) => Promise<void>;
  readonly measure: () => Promise<Measurement>;
  readonly provider: (name: string) => Promise<ProviderMetrics>;
}

function setUp(): Setup {
  const clock = createFakeClock(START);
  const metrics = new OrbMetrics(clock);
  metrics.setOrb({ ...ORB, swaps: true });
  const source = createProcessSource({ clock, series: metrics });
  source.sample();
  const measure = (orbs = [ORB]): Promise<Measurement> => source.measure(orbs, new AbortController().signal);
  return {
    metrics,
    clock,
    source,
    a: metrics.provider(ORB.namespace, ORB.orbId, 'a'),
    pass: async (ms, act = () => undefined) => {
      for (let passed = 0; passed < ms; passed += 5 * SECOND) {
        await clock.advance(5 * SECOND);
        act();
        source.sample();
      }
    },
    measure,
    provider: async (name) => {
      const snapshot = (await measure()).snapshot(ORB);
      const found = snapshot.state === 'fresh' ? snapshot.providers[name] : undefined;
      if (found === undefined) throw new Error(`no metrics of ${name}`);
      return found;
    },
  };
}

const valueOf = (reading: Reading): number | string => (reading.kind === 'ok' ? reading.value : reading.why);

describe('createProcessSource', () => {
  it('counts in each window what happened in it', async () => {
    const { a, pass, provider } = setUp();
    await pass(MINUTE, () => a.attempt('success', 0.2));
    await pass(3 * MINUTE);
    await pass(MINUTE, () => a.attempt('error', 0.004));
    const { windows, successes2m } = await provider('a');
    const counts = Object.entries(windows).map(([name, { n, attempts, bad }]) => [name, n, attempts, bad]);
    expect(counts).to.deep.equal([
      ['2m', 0, 12, 12],
      ['5m', 12, 24, 12],
      ['10m', 12, 24, 12],
    ]);
    expect(successes2m).to.equal(0);
    await pass(5 * MINUTE);
    expect((await provider('a')).windows['5m'].attempts).to.equal(0);
    expect((await provider('a')).windows['10m'].attempts).to.equal(24);
    await pass(6 * MINUTE);
    expect((await provider('a')).windows['10m'].attempts).to.equal(0);
  });

  it('interpolates inside a bucket, in ms, at the median and at the quantile of the Orb', async () => {
    const { a, pass, provider } = setUp();
    await pass(100 * SECOND, () => a.attempt('success', 0.2));
    const { p50, pq } = (await provider('a')).windows['2m'];
    expect(valueOf(p50)).to.be.closeTo(175, 1e-9);
    expect(valueOf(pq)).to.be.closeTo(242.5, 1e-9);
  });

  it('knows no latency without observations, and none of a provider without probes', async () => {
    const { a, pass, provider } = setUp();
    await pass(MINUTE, () => a.attempt('error', 0.004));
    const { windows, base, probe } = await provider('a');
    expect(windows['2m'].pq).to.deep.equal({ kind: 'none', why: 'nan' });
    expect(base).to.deep.equal({ kind: 'none', why: 'absent' });
    expect(probe).to.deep.equal({ p50: { kind: 'none', why: 'absent' }, n: 0, ok: 0, streak: 0, lastAt: null });
  });

  it('leaves client errors and cancelled attempts out of the attempts', async () => {
    const { a, pass, provider } = setUp();
    for (const outcome of ['client_error', 'cancelled', 'success', 'timeout', 'rate_limited', 'blocked'] as const) {
      a.attempt(outcome, 0.2);
    }
    await pass(5 * SECOND);
    const { n, attempts, bad } = (await provider('a')).windows['2m'];
    expect([n, attempts, bad]).to.deep.equal([2, 4, 3]);
  });

  it('has a baseline of the hour that ended 5 minutes ago', async () => {
    const { a, pass, provider } = setUp();
    await pass(60 * MINUTE, () => a.attempt('success', 0.2));
    await pass(5 * MINUTE, () => a.attempt('success', 4));
    const before = await provider('a');
    expect(valueOf(before.base)).to.be.closeTo(242.5, 1e-9);
    expect(before.baseN).to.be.within(720 - 12, 720 + 12);
    await pass(30 * MINUTE, () => a.attempt('success', 4));
    const after = await provider('a');
    expect(valueOf(after.base)).to.be.above(2500);
    expect(after.baseN).to.be.within(720 - 12, 720 + 12);
  });

  it('forgets what is older than the baseline', async () => {
    const { a, pass, provider } = setUp();
    await pass(10 * MINUTE, () => a.attempt('success', 0.2));
    await pass(54 * MINUTE);
    expect((await provider('a')).baseN).to.be.above(100);
    await pass(12 * MINUTE);
    expect((await provider('a')).baseN).to.equal(0);
    expect((await provider('a')).base).to.deep.equal({ kind: 'none', why: 'nan' });
  });

  it('counts probes apart, with streak, last one and breaker', async () => {
    const { metrics, pass, provider } = setUp();
    metrics.setProbing(ORB.namespace, ORB.orbId, true);
    const b = metrics.provider(ORB.namespace, ORB.orbId, 'b');
    await pass(5 * SECOND);
    b.probe('error', 0.01, START / 1000 + 5);
    for (const second of [6, 7, 8]) b.probe('success', 0.2, START / 1000 + second);
    b.probe('client_error', 0.2, START / 1000 + 9);
    b.breaker('half_open');
    await pass(5 * SECOND);
    const { probe, windows, breaker } = await provider('b');
    expect({ ...probe, p50: valueOf(probe.p50) }).to.deep.equal({
      p50: 175,
      n: 4,
      ok: 3,
      streak: 0,
      lastAt: START + 9 * SECOND,
    });
    expect([windows['2m'].attempts, breaker]).to.deep.equal([0, 'half_open']);
  });

  it('takes probe counters that begin anew for new ones', async () => {
    const { metrics, pass, provider } = setUp();
    const b = metrics.provider(ORB.namespace, ORB.orbId, 'b');
    const probe = (): void => b.probe('success', 0.2, START / 1000);
    metrics.setProbing(ORB.namespace, ORB.orbId, true);
    await pass(5 * MINUTE, probe);
    metrics.setProbing(ORB.namespace, ORB.orbId, false);
    await pass(10 * MINUTE);
    metrics.setProbing(ORB.namespace, ORB.orbId, true);
    await pass(15 * SECOND, probe);
    expect((await provider('b')).probe).to.deep.include({ n: 3, ok: 3, streak: 3 });
  });

  it('counts connections that failed in the last 2 minutes', async () => {
    const { a, pass, provider } = setUp();
    await pass(5 * SECOND);
    for (const kind of ['dns', 'connect', 'tls'] as const) a.transportError(kind);
    await pass(MINUTE);
    expect((await provider('a')).transportErrors2m).to.equal(3);
    await pass(2 * MINUTE);
    expect((await provider('a')).transportErrors2m).to.equal(0);
  });

  it('does not take what was counted before an Orb could swap for new', async () => {
    const { metrics, source, clock } = setUp();
    const orb = { ...ORB, orbId: 'acme.late@1.0.0', providers: ['a'] };
    const series = metrics.provider(orb.namespace, orb.orbId, 'a');
    for (let run = 0; run < 100; run += 1) series.attempt('error', 1);
    metrics.setOrb({ ...orb, swaps: true });
    source.sample();
    await clock.advance(5 * SECOND);
    const snapshot = (await source.measure([orb], new AbortController().signal)).snapshot(orb);
    if (snapshot.state !== 'fresh') throw new Error(snapshot.why);
    expect(snapshot.providers['a']?.windows['10m'].bad).to.equal(0);
  });

  it('says since when it knows nothing of an Orb, and knows it once it is there', async () => {
    const { metrics, source, clock } = setUp();
    const other = { ...ORB, orbId: 'acme.y@1.0.0' };
    const measure = (): Promise<Measurement> => source.measure([other], new AbortController().signal);
    expect((await measure()).snapshot(other)).to.deep.equal({ state: 'unusable', why: 'empty', since: START });
    await clock.advance(15 * SECOND);
    const second = await measure();
    expect(second.snapshot(other)).to.deep.equal({ state: 'unusable', why: 'empty', since: START });
    expect(second.oldestMs).to.equal(Number.POSITIVE_INFINITY);
    metrics.setOrb({ ...other, swaps: true });
    expect((await measure()).snapshot(other).state).to.equal('fresh');
    metrics.removeOrb(other.namespace, other.orbId);
    expect((await measure()).snapshot(other)).to.deep.include({ why: 'empty', since: START + 15 * SECOND });
  });

  it('says where its metrics are from', async () => {
    const { measure, clock } = setUp();
    await clock.advance(SECOND);
    const { origin, oldestMs, snapshot } = await measure();
    expect(oldestMs).to.equal(0);
    expect([origin?.source, origin?.evaluatedAt, origin?.querySha256]).to.deep.equal(['process', START + SECOND, null]);
    expect(origin?.promql(0.95, '2m')).to.deep.equal({});
    expect(snapshot(ORB)).to.deep.include({ state: 'fresh', evaluatedAt: START + SECOND, ageMs: 0 });
  });

  it('shows the moment of the measurement, however late an Orb is decided', async () => {
    const { a, pass, measure, clock, source } = setUp();
    await pass(MINUTE, () => a.attempt('success', 0.2));
    const { snapshot } = await measure();
    await clock.advance(6 * SECOND);
    a.attempt('success', 0.2);
    source.sample();
    const late = snapshot(ORB);
    if (late.state !== 'fresh') throw new Error(late.why);
    expect(late.providers['a']?.windows['2m'].n).to.equal(12);
  });
});
