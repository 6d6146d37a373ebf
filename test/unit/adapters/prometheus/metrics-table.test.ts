import { expect } from 'chai';
import type { OrbToMeasure } from '../../../../adapters/failover-metrics/port.ts';
import type { Sample } from '../../../../adapters/prometheus/vector-stream.ts';
import type { ProviderMetrics } from '../../../../core/failover/metrics.ts';
import { sampleOf } from '../../../support/prometheus.ts';
import { createSourceRig, none, NOW, ok, ORB, providerOf, type SourceRig } from '../../../support/prometheus-source.ts';

const AGE = sampleOf('age', 8);
const FAST: OrbToMeasure = { ...ORB, orbId: 'y@1.0.0', quantile: 0.99 };

const twice = (q: string, one: number, other: number): readonly Sample[] => [
  sampleOf(q, one, { replica: '1' }),
  sampleOf(q, other, { replica: '2' }),
];

describe('metrics of a provider', () => {
  let rig: SourceRig;

  beforeEach(() => {
    rig = createSourceRig();
  });

  const providerFrom = async (...samples: readonly Sample[]): Promise<ProviderMetrics> =>
    providerOf((await rig.measure([AGE, ...samples])).snapshot(ORB), 'a');

  it('reads every sampleOf of a provider in the units of the rules', async () => {
    const measured = await rig.measure([
      AGE,
      ...(['2m', '5m', '10m'] as const).flatMap((window, index) => [
        sampleOf(`n_${window}`, 100 + index),
        sampleOf(`p50_${window}`, 0.25),
        sampleOf(`p95_${window}`, 1.5),
        sampleOf(`attempts_${window}`, 110),
        sampleOf(`bad_${window}`, 11),
      ]),
      sampleOf('base_p95', 0.59),
      sampleOf('base_n', 900),
      sampleOf('probe_p50', 0.2),
      sampleOf('probes', 10.2),
      sampleOf('probes_ok', 9.1),
      sampleOf('streak', 7),
      sampleOf('last', 1_799_999_990.25),
      sampleOf('transport_2m', 1),
      sampleOf('successes_2m', 98),
      sampleOf('breaker', 1),
    ]);
    const window = { p50: ok(250), pq: ok(1500), attempts: 110, bad: 11 };
    const snapshot = measured.snapshot(ORB);
    expect(snapshot).to.deep.include({ state: 'fresh', evaluatedAt: NOW, ageMs: 8000 });
    expect(providerOf(snapshot, 'a')).to.deep.equal({
      windows: { '2m': { n: 100, ...window }, '5m': { n: 101, ...window }, '10m': { n: 102, ...window } },
      base: ok(590),
      baseN: 900,
      probe: { p50: ok(200), n: 10.2, ok: 9.1, streak: 7, lastAt: 1_799_999_990_250 },
      transportErrors2m: 1,
      successes2m: 98,
      breaker: 'half_open',
    });
    expect(measured.oldestMs).to.equal(8000);
  });

  it('knows nothing of a provider without a series, and calls that neither 0 ms nor slow', async () => {
    const { snapshot } = await rig.measure([AGE, sampleOf('n_2m', 5)]);
    const { windows, base, probe, breaker } = providerOf(snapshot(ORB), 'b');
    expect(windows['2m']).to.deep.equal({ n: 0, p50: none('absent'), pq: none('absent'), attempts: 0, bad: 0 });
    expect([base, probe.p50, probe.lastAt, breaker]).to.deep.equal([none('absent'), none('absent'), null, 'closed']);
  });

  for (const [value, why] of [
    [Number.NaN, 'nan'],
    [Infinity, 'infinite'],
    [-Infinity, 'infinite'],
  ] as const)
    it(`makes none of ${value}`, async () => {
      const { windows, baseN } = await providerFrom(
        sampleOf('p95_2m', value),
        sampleOf('n_2m', value),
        sampleOf('attempts_2m', value),
        sampleOf('bad_2m', 3),
        sampleOf('base_n', value),
      );
      expect(windows['2m']).to.deep.include({ pq: none(why), n: 0, attempts: 0, bad: 0 });
      expect(baseN).to.equal(0);
    });

  it('takes no one of several series, and lets none of their counts decide', async () => {
    const { windows, transportErrors2m, breaker, probe } = await providerFrom(
      ...twice('p95_2m', 1, 2),
      ...twice('n_2m', 90, 110),
      sampleOf('attempts_2m', 100),
      ...twice('bad_2m', 90, 80),
      sampleOf('transport_2m', 9),
      ...twice('successes_2m', 0, 3),
      ...twice('breaker', 2, 2),
      ...twice('streak', 5, 5),
    );
    expect(windows['2m']).to.deep.include({ pq: none('multiple-series'), n: 110, attempts: 0, bad: 0 });
    expect([transportErrors2m, breaker, probe.streak]).to.deep.equal([0, 'closed', 0]);
  });

  it('takes an absent count of bad attempts for 0 when there were attempts, and no more bad ones than attempts', async () => {
    const { windows } = await providerFrom(
      sampleOf('attempts_2m', 20),
      sampleOf('bad_5m', 4),
      sampleOf('attempts_10m', 10.1),
      sampleOf('bad_10m', 10.4),
    );
    expect([windows['2m'].attempts, windows['2m'].bad]).to.deep.equal([20, 0]);
    expect([windows['5m'].attempts, windows['5m'].bad]).to.deep.equal([0, 0]);
    expect([windows['10m'].attempts, windows['10m'].bad]).to.deep.equal([10.1, 10.1]);
  });

  it('counts transport errors of a provider that has no successes at all', async () => {
    expect(await providerFrom(sampleOf('transport_2m', 4))).to.deep.include({ transportErrors2m: 4, successes2m: 0 });
  });

  it('reads each Orb at its own quantile, and drops what is said of others', async () => {
    const y = { orb_id: FAST.orbId };
    const { snapshot } = await rig.measure(
      [
        AGE,
        sampleOf('p95_2m', 1),
        sampleOf('p99_2m', 3),
        sampleOf('age', 9, y),
        sampleOf('p99_2m', 2, y),
        sampleOf('p95_2m', 7, { orb_namespace: 'globex' }),
        sampleOf('p95_2m', 7, { provider: 'gone' }),
        sampleOf('p95_3m', 7),
      ],
      [ORB, FAST],
    );
    expect(rig.asked[0]).to.include('"p99_10m"').and.include('"p95_10m"').and.not.include('"p90_10m"');
    expect(providerOf(snapshot(ORB), 'a').windows['2m'].pq).to.deep.equal(ok(1000));
    expect(providerOf(snapshot(FAST), 'a').windows['2m'].pq).to.deep.equal(ok(2000));
  });
});
