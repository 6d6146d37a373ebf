import { decide } from '../../core/failover/decide.ts';
import { resolveSwapConfig } from '../../core/failover/resolve-swap-config.ts';
import type { ProviderMetrics, WindowMetrics } from '../../core/failover/metrics.ts';
import {
  NO_MEMORY,
  type FailoverMemory,
  type FailoverStatus,
  type ResolvedSwapConfig,
} from '../../core/failover/types.ts';
import type { Manifest, SwapConfig } from '../../crds/manifest.ts';
import type { Policy, Route, View } from './simulate.ts';
import type { Provider } from './workload.ts';

const execution = { url: 'https://provider.example/' };
const manifest = (swap: SwapConfig): Manifest => ({
  orb_id: 'acme.simulated@1.0.0',
  provider: 'a',
  inputs: {},
  outputs: {},
  execution,
  providers: { b: { execution } },
  swap_config: { primary: 'a', fallbacks: ['b'], strategy: 'latency', ...swap },
});

/** Every default except the ramp, as in failover.md §14. */
export function simulatedConfig(swap: SwapConfig = {}): ResolvedSwapConfig {
  const config = resolveSwapConfig(manifest({ failback: { ramp: [100] }, ...swap }));
  if (config === undefined) throw new TypeError('a manifest with swap_config has one');
  return config;
}

function measured(view: View, provider: Provider, quantile: number): ProviderMetrics {
  const traffic = view.traffic[provider];
  const window = (seconds: number): WindowMetrics => {
    const found = traffic.window(seconds);
    const { ok, bad } = found;
    return { n: ok, p50: found.quantile(0.5), pq: found.quantile(quantile), attempts: ok + bad, bad };
  };
  const base = traffic.window(3600, 300);
  const probes = view.probes[provider];
  const { ok, bad } = probes.window(300);
  const two = traffic.window(120);
  return {
    windows: { '2m': window(120), '5m': window(300), '10m': window(600) },
    base: base.quantile(quantile),
    baseN: base.ok,
    probe: {
      p50: probes.window(300).quantile(0.5),
      n: ok + bad,
      ok,
      streak: probes.streak,
      lastAt: probes.lastAt === undefined ? null : probes.lastAt * 1000,
    },
    transportErrors2m: 0,
    successes2m: two.ok,
    breaker: 'closed',
  };
}

/**
 * The rules of `core/failover` without jitter, as the operator runs them.
 * @param keepsBaseline false: without the latch, to show its purpose
 */
export function rulesPolicy(config: ResolvedSwapConfig, keepsBaseline = true): Policy {
  let persisted: FailoverStatus | null = null;
  let memory: FailoverMemory = NO_MEMORY;
  return (view): Route => {
    const { quantile } = config.latency;
    const output = decide({
      now: view.now * 1000,
      random: 0.5,
      epoch: 1,
      receiptId: 'rcpt_simulated',
      config,
      resolved: ['a', 'b'],
      pin: null,
      metrics: {
        state: 'fresh',
        evaluatedAt: view.now * 1000,
        ageMs: 15_000,
        providers: { a: measured(view, 'a', quantile), b: measured(view, 'b', quantile) },
      },
      persisted,
      memory,
    });
    persisted = output.next;
    memory = keepsBaseline ? output.memory : { ...output.memory, latched: null };
    return { active: output.next.activeProvider === 'a' ? 'a' : 'b', ramp: output.next.ramp };
  };
}
