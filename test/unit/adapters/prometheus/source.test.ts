import { expect } from 'chai';
import type { Measurement, OrbToMeasure } from '../../../../adapters/failover-metrics/port.ts';
import type { PrometheusClient, Unusable } from '../../../../adapters/prometheus/client.ts';
import { queryDigest } from '../../../../adapters/prometheus/expressions.ts';
import type { Sample } from '../../../../adapters/prometheus/vector-stream.ts';
import { sampleOf } from '../../../support/prometheus.ts';
import { createSourceRig, none, NOW, ok, ORB, providerOf } from '../../../support/prometheus-source.ts';

const OTHER: OrbToMeasure = { ...ORB, orbId: 'y@1.0.0' };
const AGE = sampleOf('age', 8);
const failed = (why: Unusable['why']): Unusable => ({ kind: 'unusable', why, detail: 'reported' });

const recorded = (name: string, value: number): Sample => ({
  ...AGE,
  labels: { __name__: name, orb_namespace: 'acme', orb_id: 'x@1.0.0', provider: 'a' },
  value,
});

const baseOf = ({ snapshot }: Measurement): readonly unknown[] => {
  const { base, baseN } = providerOf(snapshot(ORB), 'a');
  return [base, baseN];
};

describe('createPrometheusSource', () => {
  describe('freshness', () => {
    for (const [why, samples, scrapeIntervalMs, expected] of [
      ['an age of a minute', [sampleOf('age', 60)], 15_000, 'fresh'],
      ['more', [sampleOf('age', 60.1)], 15_000, 'stale'],
      ['four scrapes that are longer than a minute', [sampleOf('age', 120)], 30_000, 'fresh'],
      ['more than four', [sampleOf('age', 120.1)], 30_000, 'stale'],
      ['rates without an age: older than 10 minutes', [], 15_000, 'stale'],
      ['the older one of two ages', [sampleOf('age', 8, { r: '1' }), sampleOf('age', 61, { r: '2' })], 15_000, 'stale'],
      ['an age that is no number', [sampleOf('age', Number.NaN)], 15_000, 'stale'],
      ['a clock that was put back', [sampleOf('age', -3)], 15_000, 'fresh'],
    ] as const)
      it(`calls metrics ${expected}: ${why}`, async () => {
        const { snapshot } = await createSourceRig({ scrapeIntervalMs }).measure([sampleOf('n_2m', 30), ...samples]);
        const found = snapshot(ORB);
        expect(found.state === 'fresh' ? 'fresh' : found.why).to.equal(expected);
      });

    it('calls an Orb without a series empty and leaves the others alone', async () => {
      const measured = await createSourceRig().measure([AGE, sampleOf('n_2m', 3)], [ORB, OTHER]);
      expect(measured.snapshot(OTHER)).to.deep.equal({ state: 'unusable', why: 'empty', since: NOW });
      expect(measured.snapshot(ORB).state).to.equal('fresh');
      expect(measured.oldestMs).to.equal(8000);
    });

    it('tells the age of the Orb that is furthest behind', async () => {
      const y = { orb_id: OTHER.orbId };
      const samples = [AGE, sampleOf('n_2m', 3), sampleOf('age', 95, y), sampleOf('n_2m', 3, y)];
      expect((await createSourceRig().measure(samples, [ORB, OTHER])).oldestMs).to.equal(95_000);
      expect(
        (await createSourceRig().measure([AGE, sampleOf('n_2m', 3), sampleOf('n_2m', 3, y)], [ORB, OTHER])).oldestMs,
      ).to.equal(Infinity);
    });

    it('refuses metrics of another time than ours', async () => {
      const late: PrometheusClient = {
        close: async () => undefined,
        query: async ({ onSample }) => {
          onSample({ ...AGE, evaluatedAt: NOW / 1000 - 31 });
          return { kind: 'vector', samples: 1 };
        },
      };
      const { snapshot, origin } = await createSourceRig({ client: late }).measure([]);
      expect([snapshot(ORB), origin]).to.deep.equal([{ state: 'unusable', why: 'clock', since: NOW }, null]);
    });
  });

  describe('a row of failures', () => {
    it('tells why, and since the first of them, whatever each failed by', async () => {
      const reported: unknown[] = [];
      const rig = createSourceRig({ onUnusable: (...all) => reported.push(all) });
      await rig.measure(failed('timeout'));
      await rig.clock.advance(15_000);
      await rig.measure(failed('http'));
      await rig.clock.advance(15_000);
      const { snapshot, origin, oldestMs } = await rig.measure([sampleOf('age', 300), sampleOf('n_2m', 9)]);
      expect(snapshot(ORB)).to.deep.equal({ state: 'unusable', why: 'stale', since: NOW });
      expect([origin?.source, oldestMs]).to.deep.equal(['prometheus', 300_000]);
      expect(reported).to.deep.equal([
        ['timeout', 'reported'],
        ['http', 'reported'],
      ]);
    });

    it('begins anew after a good query, and is counted for each Orb', async () => {
      const rig = createSourceRig();
      const good = [AGE, sampleOf('n_2m', 3)];
      await rig.measure(good, [ORB, OTHER]);
      await rig.clock.advance(15_000);
      const { snapshot, origin, oldestMs } = await rig.measure(failed('warnings'), [ORB, OTHER]);
      expect(snapshot(ORB)).to.deep.equal({ state: 'unusable', why: 'warnings', since: NOW + 15_000 });
      expect(snapshot(OTHER)).to.deep.equal({ state: 'unusable', why: 'warnings', since: NOW });
      expect([origin, oldestMs]).to.deep.equal([null, Infinity]);
    });
  });

  describe('the baseline', () => {
    const withBase = [AGE, sampleOf('n_2m', 3), sampleOf('base_p95', 0.5), sampleOf('base_n', 70)];
    const without = withBase.slice(0, 2);
    it('is asked for once a minute and kept in between', async () => {
      const rig = createSourceRig();
      const seen: unknown[] = [];
      for (const samples of [withBase, without, without, without, [...without, sampleOf('base_n', 80)]]) {
        seen.push(baseOf(await rig.measure(samples)));
        await rig.clock.advance(15_000);
      }
      expect(rig.asked.map((query) => query.includes('"base_n"'))).to.deep.equal([true, false, false, false, true]);
      expect(seen).to.deep.equal([...Array.from({ length: 4 }, () => [ok(500), 70]), [none('absent'), 80]]);
    });

    it('of another quantile than the Orb now has is none', async () => {
      const rig = createSourceRig();
      await rig.measure([...withBase, sampleOf('base_p99', 0.9)]);
      const orb = { ...ORB, quantile: 0.99 };
      const { snapshot } = await rig.measure(without, [orb]);
      expect(providerOf(snapshot(orb), 'a')).to.deep.include({ base: none('absent'), baseN: 0 });
    });

    it('is asked for again at the next query when a query failed', async () => {
      const rig = createSourceRig();
      await rig.measure(failed('http'));
      expect(baseOf(await rig.measure(withBase))).to.deep.equal([ok(500), 70]);
      expect(rig.asked.map((query) => query.includes('"base_n"'))).to.deep.equal([true, true]);
    });
  });

  describe('recorded mode', () => {
    const rules = sampleOf('rules_age', 4, {});

    it('reads the series of the rules, and the age of samples raw', async () => {
      const samples = [
        AGE,
        rules,
        recorded('orb:provider_latency_seconds:p95_2m', 1.5),
        recorded('orb:provider_latency_samples:increase2m', 40),
        recorded('orb:provider_breaker_state:max', 0),
        recorded('orb:provider_probe_last_seconds:max', 1),
        sampleOf('breaker', 2),
        sampleOf('last', 1_700_000_000),
        recorded('orb:metrics_age_seconds', 500),
        recorded('orb:provider_error_ratio:2m', 0.5),
      ];
      const rig = createSourceRig({ mode: 'recorded' });
      const snapshot = (await rig.measure(samples)).snapshot(ORB);
      expect(snapshot).to.deep.include({ state: 'fresh', ageMs: 8000 });
      expect(providerOf(snapshot, 'a').windows['2m']).to.deep.include({ n: 40, pq: ok(1500) });
      // The rules have these too, as they were when the rules ran.
      expect(providerOf(snapshot, 'a').breaker).to.equal('open');
      expect(providerOf(snapshot, 'a').probe.lastAt).to.equal(1_700_000_000_000);
      expect(rig.asked[0]).to.match(/^\{__name__=~"orb:\.\+"\} or label_replace\(max by/);
    });

    for (const [why, more, expected] of [
      ['rules that stopped a minute ago', [sampleOf('rules_age', 61)], 'stale'],
      ['rules that stopped 5 minutes ago', [], 'stale'],
    ] as const)
      it(`does not take fresh samples for fresh metrics: ${why}`, async () => {
        const found = (
          await createSourceRig({ mode: 'recorded' }).measure([
            AGE,
            recorded('orb:provider_attempts:increase2m', 9),
            ...more,
          ])
        ).snapshot(ORB);
        expect(found).to.deep.include({ state: 'unusable', why: expected });
      });

    it('asks raw for a quantile that no rule records', async () => {
      const orb = { ...ORB, quantile: 0.9 };
      const samples = [AGE, rules, sampleOf('p90_2m', 0.75), sampleOf('base_p90', 0.5)];
      const rig = createSourceRig({ mode: 'recorded' });
      const { snapshot, origin } = await rig.measure(samples, [orb]);
      expect(providerOf(snapshot(orb), 'a')).to.deep.include({ base: ok(500) });
      expect(providerOf(snapshot(orb), 'a').windows['2m'].pq).to.deep.equal(ok(750));
      expect(rig.asked[0]).to.include('histogram_quantile(0.90').and.not.include('histogram_quantile(0.95');
      expect(origin?.promql(0.9, '2m')['p50']).to.equal('orb:provider_latency_seconds:p50_2m');
    });
  });

  it('says where its metrics come from as a receipt needs it', async () => {
    const rig = createSourceRig();
    const { origin } = await rig.measure([AGE, sampleOf('n_2m', 3)]);
    expect(origin).to.deep.include({
      source: 'prometheus',
      evaluatedAt: NOW,
      querySha256: queryDigest(rig.asked[0] ?? ''),
    });
    const { pq, p50, probe_p50: probe } = origin?.promql(0.95, '2m') ?? {};
    expect(pq).to.match(/^histogram_quantile\(0\.95, .*\{source="traffic"\}\[2m\]\)\)\)$/);
    expect(p50).to.match(/^histogram_quantile\(0\.50, .*\{source="traffic"\}\[2m\]\)\)\)$/);
    expect(probe).to.match(/^histogram_quantile\(0\.50, .*\{source="probe"\}\[5m\]\)\)\)$/);
    expect(rig.asked[0]).to.include(pq).and.include(p50).and.include(probe);
    expect(origin?.promql(0.97, '2m')).to.deep.equal({});
  });

  it('reads 32 MiB, and more only for more providers than that is enough for', async () => {
    const sizes: unknown[] = [];
    const client: PrometheusClient = {
      close: async () => undefined,
      query: async ({ maxBytes }) => {
        sizes.push(maxBytes);
        return failed('http');
      },
    };
    const many = Array.from({ length: 4096 }, (_, index) => ({ ...ORB, orbId: `x${index}@1.0.0` }));
    await createSourceRig({ client }).measure([]);
    await createSourceRig({ client }).measure([], many);
    expect(sizes).to.deep.equal([32 * 1024 * 1024, 4096 * 2 * 16 * 1024]);
  });

  it('asks nothing when there is no Orb', async () => {
    const rig = createSourceRig();
    const { origin, oldestMs, snapshot } = await rig.measure([], []);
    expect([rig.asked, origin, oldestMs]).to.deep.equal([[], null, Infinity]);
    expect(snapshot(ORB)).to.deep.equal({ state: 'unusable', why: 'empty', since: NOW });
  });
});
