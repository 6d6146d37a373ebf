import { expect } from 'chai';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { SECONDS_BUCKETS } from '../../../../core/failover/seconds-buckets.ts';
import { OrbMetrics } from '../../../../adapters/telemetry/orb-metrics.ts';
import type { ProviderSeries } from '../../../../adapters/telemetry/provider-series.ts';
import type { AttemptOutcome } from '../../../../core/receipt/record.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { named, readText, type Sample } from '../../../support/exposition.ts';

const START = 1_795_168_800_000;
const MINUTE = 60_000;
const NAMESPACE = 'acme';
const ORB = 'acme.x@1.0.0';
const LABELS = { orb_namespace: NAMESPACE, orb_id: ORB, provider: 'a' };
const OUTCOMES: readonly AttemptOutcome[] = [
  'success',
  'error',
  'timeout',
  'rate_limited',
  'client_error',
  'cancelled',
  'blocked',
];

interface Setup {
  readonly metrics: OrbMetrics;
  readonly clock: FakeClock;
  readonly series: ProviderSeries;
  readonly text: () => Promise<string>;
}

function setUp(): Setup {
  const clock = createFakeClock(START);
  const metrics = new OrbMetrics(clock);
  metrics.setOrb({ namespace: NAMESPACE, orbId: ORB, providers: ['a'], swaps: true });
  const text = async (): Promise<string> => {
    let all = '';
    for await (const slice of metrics.slices()) all += slice;
    return all;
  };
  return { metrics, clock, series: metrics.provider(NAMESPACE, ORB, 'a'), text };
}

const probes = (samples: readonly Sample[]): readonly Sample[] =>
  samples.filter(({ name, labels }) => name.includes('_probe_') || labels['source'] === 'probe');

/** The same counts by prom-client. */
function reference(seconds: Readonly<Record<'traffic' | 'probe', readonly number[]>>): Registry {
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ['orb_namespace', 'orb_id', 'provider'];
  const durations = new Histogram({
    name: 'orb_provider_request_duration_seconds',
    help: 'h',
    labelNames: [...labelNames, 'source'],
    buckets: [...SECONDS_BUCKETS],
    registers,
  });
  const requests = new Counter({
    name: 'orb_provider_requests_total',
    help: 'h',
    labelNames: [...labelNames, 'outcome', 'source'],
    registers,
  });
  const breaker = new Gauge({ name: 'orb_provider_breaker_state', help: 'h', labelNames, registers });
  breaker.set(LABELS, 2);
  for (const source of ['traffic', 'probe'] as const) {
    for (const outcome of OUTCOMES) requests.inc({ ...LABELS, outcome, source }, 0);
    for (const each of seconds[source]) {
      durations.observe({ ...LABELS, source }, each);
      requests.inc({ ...LABELS, outcome: 'success', source });
    }
  }
  return registry;
}

/** Label names in one order: prom-client has its own. */
const textOf = ({ name, labels, value }: Sample): string => {
  const names = Object.keys(labels).toSorted((one, other) => one.localeCompare(other));
  return `${name} ${names.map((label) => `${label}=${labels[label]}`).join(' ')} ${value}`;
};

const sorted = (samples: readonly Sample[]): readonly string[] =>
  samples.map(textOf).toSorted((one, other) => one.localeCompare(other));

describe('ProviderSeries', () => {
  it('prints what prom-client prints of the same counts', async () => {
    const { metrics, series, text } = setUp();
    const seconds = { traffic: [0.004, 0.25, 3, 119, 500], probe: [0.1, 0.5] };
    metrics.setProbing(NAMESPACE, ORB, true);
    series.breaker('open');
    for (const each of seconds.traffic) series.attempt('success', each);
    for (const each of seconds.probe) series.probe('success', each, START / 1000);
    const registry = reference(seconds);
    const names = [
      'orb_provider_request_duration_seconds',
      'orb_provider_requests_total',
      'orb_provider_breaker_state',
    ];
    const own = readText(await text()).filter(({ name }) => names.some((prefix) => name.startsWith(prefix)));
    expect(sorted(own)).to.deep.equal(sorted(readText(await registry.metrics())));
  });

  it('has probe counters with 0 in the process that probes, and in no other', async () => {
    const { metrics, text } = setUp();
    expect(probes(readText(await text()))).to.deep.equal([]);
    metrics.setProbing(NAMESPACE, ORB, true);
    metrics.setOrb({ namespace: NAMESPACE, orbId: ORB, providers: ['a', 'b'], swaps: true });
    const samples = probes(readText(await text()));
    expect(samples.every(({ value }) => value === 0)).to.equal(true);
    const requests = named(samples, 'orb_provider_requests_total').map(({ labels }) => labels['outcome'] ?? '');
    expect(requests.toSorted()).to.deep.equal([...OUTCOMES, ...OUTCOMES].toSorted());
    expect(named(samples, 'orb_provider_probe_last_timestamp_seconds')).to.deep.equal([]);
  });

  it('counts a probe apart from traffic and shows the last one', async () => {
    const { metrics, series, text } = setUp();
    metrics.setProbing(NAMESPACE, ORB, true);
    series.probe('error', 0.004, START / 1000 - 30);
    series.probe('success', 0.209, START / 1000);
    const samples = readText(await text());
    const duration = named(samples, 'orb_provider_request_duration_seconds_count');
    expect(duration.map(({ labels, value }) => [labels['source'], value])).to.deep.equal([
      ['traffic', 0],
      ['probe', 1],
    ]);
    expect(named(samples, 'orb_provider_probe_last_timestamp_seconds').map(({ value }) => value)).to.deep.equal([
      START / 1000,
    ]);
    const last = named(samples, 'orb_provider_probe_last_duration_seconds');
    expect(last.map(({ labels, value }) => [labels['outcome'], value])).to.deep.equal([['success', 0.209]]);
  });

  const streaks: readonly [string, readonly AttemptOutcome[], number][] = [
    ['grows with good probes', ['success', 'success'], 2],
    ['ends with a bad one', ['success', 'success', 'timeout'], 0],
    ['ends with one that proves nothing of the provider but is not good', ['success', 'client_error'], 0],
    ['is what it was after a cancelled one', ['success', 'cancelled', 'success'], 2],
    ['begins anew', ['success', 'error', 'success'], 1],
  ];
  for (const [why, outcomes, expected] of streaks) {
    it(`has a streak that ${why}`, () => {
      const { metrics, series } = setUp();
      metrics.setProbing(NAMESPACE, ORB, true);
      for (const outcome of outcomes) series.probe(outcome, 0.1, START / 1000);
      expect(series.health().streak).to.equal(expected);
    });
  }

  it('forgets streak and last probe at once when it does not probe any more, and the counters 10 minutes later', async () => {
    const { metrics, clock, series, text } = setUp();
    metrics.setProbing(NAMESPACE, ORB, true);
    series.probe('success', 0.1, START / 1000);
    metrics.setProbing(NAMESPACE, ORB, false);
    series.probe('success', 0.1, START / 1000);
    const found = async (): Promise<readonly string[]> => [
      ...new Set(probes(readText(await text())).map(({ name }) => name.replace(/_(?:bucket|sum|count)$/, ''))),
    ];
    const counters = ['orb_provider_request_duration_seconds', 'orb_provider_requests_total'];
    expect(await found()).to.deep.equal(counters);
    expect(series.counts().probe?.outcomes.success).to.equal(1);
    await clock.advance(10 * MINUTE - 1);
    expect(await found()).to.deep.equal(counters);
    await clock.advance(1);
    expect(await found()).to.deep.equal([]);
    metrics.setProbing(NAMESPACE, ORB, true);
    expect(series.health()).to.deep.equal({ breaker: 'closed', lastProbe: null, streak: 0 });
  });

  it('tells breakers and last probes of an Orb to its own process', () => {
    const { metrics, series } = setUp();
    metrics.setProbing(NAMESPACE, ORB, true);
    series.breaker('half_open');
    series.probe('timeout', 5, START / 1000);
    expect([...metrics.health(NAMESPACE, ORB)]).to.deep.equal([
      ['a', { breaker: 'half_open', lastProbe: { at: START, outcome: 'timeout', durationMs: 5000 } }],
    ]);
    expect(metrics.health(NAMESPACE, 'acme.y@1.0.0').size).to.equal(0);
  });

  it('does not begin series for an Orb that is not probed and not there', async () => {
    const { metrics, text } = setUp();
    metrics.setProbing(NAMESPACE, 'acme.gone@1.0.0', false);
    expect(await text()).to.not.contain('acme.gone');
  });
});
