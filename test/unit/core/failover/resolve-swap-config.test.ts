import { expect } from 'chai';
import { milliseconds } from '../../../../core/time/duration.ts';
import { resolveSwapConfig } from '../../../../core/failover/resolve-swap-config.ts';
import type { Execution, SwapConfig } from '../../../../crds/manifest.ts';
import { aConfig, swapManifest } from '../../../support/failover.ts';

describe('milliseconds', () => {
  const rows: readonly [string, number][] = [
    ['100ms', 100],
    ['15s', 15_000],
    ['2m', 120_000],
    ['24h', 86_400_000],
  ];
  for (const [text, expected] of rows) it(`reads ${text}`, () => expect(milliseconds(text)).to.equal(expected));
});

describe('resolveSwapConfig (failover.md §4)', () => {
  it('is nothing without swap_config', () => {
    const { swap_config: _, ...manifest } = swapManifest();
    expect(resolveSwapConfig(manifest)).to.equal(undefined);
  });

  it('fills every default in', () => {
    const manifest = swapManifest();
    expect(resolveSwapConfig({ ...manifest, swap_config: {} })).to.deep.equal({
      primary: 'a',
      fallbacks: [],
      strategy: 'priority',
      latency: {
        quantile: 0.95,
        thresholdMs: null,
        degradeRatio: 2,
        minAbsMs: 500,
        minImprovement: 0.2,
        windows: ['2m', '5m', '10m'],
        minSamples: null,
        baseMinSamples: 50,
        consecutive: 3,
        evaluationIntervalMs: 15_000,
      },
      hardFailure: { errorRatio: 0.5, minRequests: 10, consecutiveFailures: 5 },
      dwell: { minMs: 60_000, holdDownMs: 300_000, multiplier: 2, maxMs: 1_800_000, jitter: 0.1, maxSwapsPerHour: 6 },
      failback: {
        mode: 'auto',
        consecutive: 12,
        maxRatio: 1.25,
        minProbeOk: 0.95,
        minProbeSamples: 8,
        ramp: [10, 50, 100],
        rampStepMs: 60_000,
      },
      probe: {
        mode: 'synthetic',
        intervalMs: 30_000,
        jitter: 0.2,
        timeoutMs: 5000,
        maxPerHour: 150,
        inputs: {},
        orbiset: null,
        ownRequest: ['a', 'b', 'c'],
      },
    });
  });

  it('takes what is given, ratios with four decimals', () => {
    const { latency, dwell, probe } = aConfig({
      latency: { threshold_ms: 750, min_samples: 30, degrade_ratio: 1.23456, evaluation_interval: '1m' },
      dwell: { hold_down: '1m', max: '2h' },
      probe: { inputs: { to: 'a@b.example' }, orbiset: 'mail' },
    });
    expect(latency).to.include({
      thresholdMs: 750,
      minSamples: 30,
      degradeRatio: 1.2346,
      evaluationIntervalMs: 60_000,
    });
    expect(dwell).to.include({ holdDownMs: 60_000, maxMs: 7_200_000, minMs: 60_000 });
    expect(probe).to.deep.include({ inputs: { to: 'a@b.example' }, orbiset: 'mail' });
  });

  const modes: readonly [string, Partial<Execution>, SwapConfig, 'synthetic' | 'none'][] = [
    ['a GET is probed', {}, {}, 'synthetic'],
    ['a body without method is a POST', { body_template: '{}' }, {}, 'none'],
    ['a POST is not probed', { method: 'POST' }, {}, 'none'],
    ['a POST with a probe of its own is', { method: 'POST', probe: { method: 'GET' } }, {}, 'synthetic'],
    ['what is written counts', {}, { probe: { mode: 'none' } }, 'none'],
  ];
  for (const [why, execution, swap, mode] of modes) {
    it(`${why}: ${mode}`, () => expect(aConfig(swap, execution).probe.mode).to.equal(mode));
  }

  it('probes none when one provider does not allow it', () => {
    const manifest = swapManifest();
    const providers = {
      ...manifest.providers,
      b: { execution: { url: 'https://b.example/', method: 'POST' as const } },
    };
    expect(resolveSwapConfig({ ...manifest, providers })?.probe.mode).to.equal('none');
  });

  const own: readonly [string, Execution['probe'], readonly string[]][] = [
    ['an expectation alone leaves the request as it is', { expect: { status: [200] } }, ['a', 'b', 'c']],
    ['another method is another request', { method: 'GET' }, []],
    ['another URL is another request', { url: 'https://provider.example/health' }, []],
    ['other headers are another request', { headers: { accept: 'text/plain' } }, []],
  ];
  for (const [why, probe, names] of own) {
    it(why, () => {
      const execution = probe === undefined ? {} : { probe };
      expect(aConfig({}, execution).probe.ownRequest).to.deep.equal(names);
    });
  }
});
