import { expect } from 'chai';
import { Registry } from 'prom-client';
import { evaluationFromSeries, type SeriesSample } from '../../../../core/failover/evaluation-from-series.ts';
import { summaryOf } from '../../../../core/failover/evaluation-summary.ts';
import { createFailoverGauges, type FailoverGauges } from '../../../../operator/failover/gauges.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { named, readText, type Sample } from '../../../support/exposition.ts';
import { aCandidate, anOutput } from '../../../support/failover-output.ts';

const ORB = { namespace: 'acme', orbId: 'acme.x@1.0.0' };
const START = 1_795_168_800_000;
const MINUTE = 60_000;
const EVALUATION = { evaluatedAt: START + 15_000, ageMs: 8000, quantile: 0.95, pinExpiresAt: null };

interface Setup {
  readonly gauges: FailoverGauges;
  readonly clock: FakeClock;
  readonly read: () => Promise<readonly Sample[]>;
}

function setUp(): Setup {
  const registry = new Registry();
  const clock = createFakeClock(START);
  const gauges = createFailoverGauges(registry, clock);
  const read = async (): Promise<readonly Sample[]> => {
    let text = `${await registry.metrics()}\n`;
    for await (const slice of gauges.slices()) text += slice;
    return readText(text);
  };
  return { gauges, clock, read };
}

/** As an instant query returns what was scraped. */
const asSeries = (samples: readonly Sample[], target: Readonly<Record<string, string>>): readonly SeriesSample[] =>
  samples.map(({ name, labels, value }) => ({ name, labels: { ...labels, ...target, __name__: name }, value }));

const values = (samples: readonly Sample[], name: string): readonly (readonly [string, number])[] =>
  named(samples, name).map(({ labels, value }) => {
    const { orb_namespace: namespace, orb_id: orbId, ...own } = labels;
    expect([namespace, orbId]).to.deep.equal([ORB.namespace, ORB.orbId]);
    return [Object.values(own).join(' '), value];
  });

describe('createFailoverGauges', () => {
  it('shows the whole evaluation', async () => {
    const { gauges, read } = setUp();
    gauges.set(ORB, anOutput(), { ...EVALUATION, pinExpiresAt: START + MINUTE });
    const samples = await read();
    expect(values(samples, 'orb_provider_active')).to.deep.equal([
      ['a', 1],
      ['b', 0],
    ]);
    expect(values(samples, 'orb_swap_verdict')).to.deep.equal([['degraded degraded', 1]]);
    expect(values(samples, 'orb_swap_streak')).to.deep.equal([
      ['degraded', 2],
      ['trial', 0],
      ['recovered', 1],
    ]);
    expect(values(samples, 'orb_swap_limit_seconds')).to.deep.equal([['', 1.18]]);
    expect(values(samples, 'orb_swap_base_seconds')).to.deep.equal([['', 0.59]]);
    expect(values(samples, 'orb_swap_data_age_seconds')).to.deep.equal([['', 8]]);
    expect(values(samples, 'orb_swap_evaluated_timestamp_seconds')).to.deep.equal([['', (START + 15_000) / 1000]]);
    expect(values(samples, 'orb_provider_pin_expiry_timestamp_seconds')).to.deep.equal([['', (START + MINUTE) / 1000]]);
    expect(values(samples, 'orb_swap_latency_seconds')).to.deep.equal([
      ['a traffic 2m 0.5', 1.043],
      ['a traffic 2m 0.95', 2.31],
      ['b probe 5m 0.5', 0.261],
    ]);
    expect(values(samples, 'orb_swap_samples')).to.deep.equal([
      ['a traffic 2m', 117.4],
      ['b probe 5m', 10],
    ]);
    expect(values(samples, 'orb_swap_error_ratio')).to.deep.equal([['a', 0.25]]);
    expect(values(samples, 'orb_swap_probe_ok_ratio')).to.deep.equal([['b', 0.9]]);
  });

  it('has one verdict of an Orb, the last', async () => {
    const { gauges, read } = setUp();
    gauges.set(ORB, anOutput(), EVALUATION);
    const healthy = anOutput({ verdict: { kind: 'inconclusive', why: 'low-traffic' }, rule: 'low-traffic' });
    gauges.set(ORB, healthy, EVALUATION);
    expect(values(await read(), 'orb_swap_verdict')).to.deep.equal([['low-traffic inconclusive', 1]]);
  });

  it('has nothing for what is unknown', async () => {
    const { gauges, read } = setUp();
    const candidates = [aCandidate('a', { active: true, evidence: 'none', p50Ms: 7, n: 1 })];
    gauges.set(ORB, anOutput({ candidates, limitMs: null, baseMs: null }), { ...EVALUATION, ageMs: null });
    const found = new Set((await read()).map(({ name }) => name).filter((name) => name.startsWith('orb_swap_')));
    expect([...found].filter((name) => !name.startsWith('orb_swap_tick_')).toSorted()).to.deep.equal([
      'orb_swap_evaluated_timestamp_seconds',
      'orb_swap_evaluations_total',
      'orb_swap_streak',
      'orb_swap_verdict',
    ]);
  });

  it('has every swap with 0 before the first, and moves the active provider with it', async () => {
    const { gauges, read } = setUp();
    gauges.set(ORB, anOutput(), EVALUATION);
    const before = values(await read(), 'orb_provider_swaps_total');
    expect(before).to.have.length(8);
    expect(before.every(([, value]) => value === 0)).to.equal(true);
    gauges.swapped(ORB, 'a', 'b', 'latency');
    const after = await read();
    expect(values(after, 'orb_provider_swaps_total').filter(([, value]) => value > 0)).to.deep.equal([
      ['a b latency', 1],
    ]);
    expect(values(after, 'orb_provider_active')).to.deep.equal([
      ['a', 0],
      ['b', 1],
    ]);
  });

  it('forgets the swaps of names that two manifests in a row do not have, and none while it knows no names', async () => {
    const { gauges, read } = setUp();
    const show = (...names: readonly string[]): void =>
      gauges.set(ORB, anOutput({ candidates: names.map((name) => aCandidate(name)) }), EVALUATION);
    const pairs = async (): Promise<readonly string[]> => [
      ...new Set(values(await read(), 'orb_provider_swaps_total').map(([text]) => text.replace(/ \w+$/, ''))),
    ];
    show('a', 'b');
    gauges.swapped(ORB, 'a', 'b', 'latency');
    show();
    expect(await pairs()).to.deep.equal(['a b', 'b a']);
    show('a', 'c');
    expect(await pairs()).to.include('a b');
    for (let version = 0; version < 100; version += 1) show('a', `c${version}`);
    expect(await pairs()).to.deep.equal(['a c98', 'c98 a', 'a c99', 'c99 a']);
  });

  it('counts evaluations by rule, and those that failed from 0', async () => {
    const { gauges, read } = setUp();
    gauges.evaluated(ORB, 'healthy');
    gauges.evaluated(ORB, 'healthy');
    gauges.evaluated(ORB, 'frozen');
    expect(values(await read(), 'orb_swap_evaluations_total')).to.deep.equal([
      ['exception', 0],
      ['healthy', 2],
      ['frozen', 1],
    ]);
  });

  it('removes the gauges of a gone Orb at once and its counters after 10 minutes', async () => {
    const { gauges, clock, read } = setUp();
    gauges.set(ORB, anOutput(), EVALUATION);
    gauges.evaluated(ORB, 'degraded');
    gauges.remove(ORB);
    const names = async (): Promise<readonly string[]> => [
      ...new Set((await read()).filter(({ labels }) => 'orb_id' in labels).map(({ name }) => name)),
    ];
    const counters = ['orb_provider_swaps_total', 'orb_swap_evaluations_total'];
    expect(await names()).to.deep.equal(counters);
    await clock.advance(10 * MINUTE - 1);
    expect(await names()).to.deep.equal(counters);
    await clock.advance(1);
    expect(await names()).to.deep.equal([]);
  });

  it('keeps the counters of an Orb that comes back in time', async () => {
    const { gauges, clock, read } = setUp();
    gauges.evaluated(ORB, 'healthy');
    gauges.remove(ORB);
    await clock.advance(9 * MINUTE);
    gauges.evaluated(ORB, 'healthy');
    await clock.advance(9 * MINUTE);
    expect(values(await read(), 'orb_swap_evaluations_total')).to.deep.include(['healthy', 2]);
  });

  it('shows nothing that it saw before it stopped to lead', async () => {
    const { gauges, read } = setUp();
    gauges.oldest(9000);
    gauges.set(ORB, anOutput(), EVALUATION);
    gauges.clear();
    const samples = await read();
    expect(named(samples, 'orb_swap_verdict')).to.deep.equal([]);
    expect(named(samples, 'orb_provider_active')).to.deep.equal([]);
    expect(named(samples, 'orb_prometheus_data_age_seconds')[0]?.value).to.equal(Number.POSITIVE_INFINITY);
  });

  it('counts ticks, and knows no data age before the first', async () => {
    const { gauges, read } = setUp();
    const value = async (name: string): Promise<number | undefined> => named(await read(), name)[0]?.value;
    expect(await value('orb_prometheus_data_age_seconds')).to.equal(Number.POSITIVE_INFINITY);
    expect(await value('orb_swap_tick_age_seconds'), 'before the first').to.equal(undefined);
    gauges.oldest(9000);
    gauges.tick(0.2);
    gauges.skipped();
    expect(await value('orb_prometheus_data_age_seconds')).to.equal(9);
    expect(await value('orb_swap_tick_duration_seconds_sum')).to.equal(0.2);
    expect(await value('orb_swap_tick_skipped_total')).to.equal(1);
    expect(await value('orb_swap_tick_age_seconds')).to.be.at.least(0);
    gauges.clear();
    expect(await value('orb_swap_tick_age_seconds'), 'a process that leads no more').to.equal(undefined);
  });

  it('is read back from its own text as the metrics that it was given', async () => {
    const { gauges, read } = setUp();
    const output = anOutput();
    gauges.set(ORB, output, EVALUATION);
    const series = asSeries(await read(), { instance: '10.0.0.1:9090', pod: 'orb-operator-1' });
    const context = { quantile: 0.95, active: { provider: 'a', since: START } };
    expect(evaluationFromSeries(series, context)).to.deep.equal(summaryOf(output, EVALUATION, {}));
  });

  it('is read back also when the quantile is the median', async () => {
    const { gauges, read } = setUp();
    const output = anOutput({ candidates: [aCandidate('a', { active: true, p50Ms: 500, pqMs: 500 })] });
    gauges.set(ORB, output, { ...EVALUATION, quantile: 0.5 });
    const context = { quantile: 0.5, active: { provider: 'a', since: START } };
    expect(evaluationFromSeries(asSeries(await read(), {}), context)).to.deep.equal(summaryOf(output, EVALUATION, {}));
  });

  it('lets others have a turn while it prints many Orbs', async () => {
    const gauges = createFailoverGauges(new Registry());
    const output = anOutput();
    for (let orb = 0; orb < 2000; orb += 1) gauges.set({ ...ORB, orbId: `acme.x-${orb}@1.0.0` }, output, EVALUATION);
    let turns = 0;
    let slices = 0;
    const tick = (): void => {
      turns += 1;
      timer = setImmediate(tick);
    };
    let timer = setImmediate(tick);
    for await (const slice of gauges.slices()) slices += slice.length > 0 ? 1 : 0;
    clearImmediate(timer);
    expect(slices).to.be.above(3);
    expect(turns).to.be.at.least(slices - 2);
  });
});
