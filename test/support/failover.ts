import { decide } from '../../core/failover/decide.ts';
import { resolveSwapConfig } from '../../core/failover/resolve-swap-config.ts';
import { newStatus } from '../../core/failover/status-codec.ts';
import type { ProviderMetrics, Reading, WindowMetrics } from '../../core/failover/metrics.ts';
import {
  NO_MEMORY,
  type FailoverInput,
  type FailoverOutput,
  type FailoverPin,
  type FailoverStatus,
  type ResolvedSwapConfig,
  type SwapRecord,
} from '../../core/failover/types.ts';
import type { Execution, Manifest, SwapConfig } from '../../crds/manifest.ts';

export const NOW = Date.parse('2026-02-01T10:00:00.000Z');
export const MINUTE = 60_000;

export const ms = (value: number): Reading => ({ kind: 'ok', value });
export const none: Reading = { kind: 'none', why: 'nan' };

/** Providers a (primary), b and c; defaults except for the given members. */
export function swapManifest(swap: SwapConfig = {}, execution: Partial<Execution> = {}): Manifest {
  const own = { url: 'https://provider.example/', ...execution };
  return {
    orb_id: 'acme.mail@1.0.0',
    provider: 'a',
    inputs: {},
    outputs: {},
    execution: own,
    providers: { b: { execution: own }, c: { execution: own } },
    swap_config: { primary: 'a', fallbacks: ['b', 'c'], strategy: 'latency', ...swap },
  };
}

export function aConfig(swap: SwapConfig = {}, execution: Partial<Execution> = {}): ResolvedSwapConfig {
  const config = resolveSwapConfig(swapManifest(swap, execution));
  if (config === undefined) throw new TypeError('a manifest with swap_config has one');
  return config;
}

export const traffic = (n: number, p50: number, change: Partial<WindowMetrics> = {}): WindowMetrics => ({
  n,
  p50: n === 0 ? none : ms(p50),
  pq: n === 0 ? none : ms(2 * p50),
  attempts: n,
  bad: 0,
  ...change,
});

/** The same traffic in all windows; no probes. */
export const busy = (window: WindowMetrics, change: Partial<ProviderMetrics> = {}): ProviderMetrics => ({
  windows: { '2m': window, '5m': window, '10m': window },
  base: ms(400),
  baseN: 1000,
  probe: { p50: none, n: 0, ok: 0, streak: 0, lastAt: null },
  transportErrors2m: 0,
  successes2m: window.attempts - window.bad,
  breaker: 'closed',
  ...change,
});

/** No traffic, and good probes of one latency. */
export const probed = (p50: number, change: Partial<ProviderMetrics['probe']> = {}): ProviderMetrics => ({
  ...busy(traffic(0, 0)),
  base: none,
  baseN: 0,
  probe: { p50: ms(p50), n: 10, ok: 10, streak: 10, lastAt: NOW - 10_000, ...change },
});

export const idle = busy(traffic(0, 0), { base: none, baseN: 0 });

type Providers = Readonly<Record<string, ProviderMetrics>>;

/** Fresh metrics of some providers. */
export const fresh = (providers: Providers, now = NOW): FailoverInput['metrics'] => ({
  state: 'fresh',
  evaluatedAt: now,
  ageMs: 8000,
  providers,
});

export const aStatus = (activeProvider = 'a', change: Partial<FailoverStatus> = {}): FailoverStatus => ({
  ...newStatus(activeProvider, NOW - 60 * MINUTE),
  ...change,
});

export const aRecord = (change: Partial<SwapRecord> = {}): SwapRecord => ({
  seq: 1,
  at: NOW - 10 * MINUTE,
  from: 'a',
  to: 'b',
  reason: 'latency',
  rule: 'degraded',
  epoch: 3,
  receiptId: 'rcpt_1',
  actor: null,
  evidence: null,
  ...change,
});

export const aPin = (change: Partial<FailoverPin> = {}): FailoverPin => ({
  provider: 'b',
  mode: 'soft',
  id: 'swp_1',
  expiresAt: NOW + 60 * MINUTE,
  actor: 'key:k1',
  reason: null,
  ...change,
});

/** a is slow, b is healthy and fast, c is idle. */
export const anInput = (change: Partial<FailoverInput> = {}): FailoverInput => ({
  now: NOW,
  random: 0.5,
  epoch: 7,
  receiptId: 'rcpt_new',
  config: aConfig(),
  resolved: ['a', 'b', 'c'],
  pin: null,
  metrics: fresh({ a: busy(traffic(100, 300)), b: probed(260), c: idle }),
  persisted: aStatus(),
  memory: NO_MEMORY,
  ...change,
});

/** Evaluations every 15 seconds, each on the result of the previous evaluation. */
export function evaluate(times: number, inputAt: (now: number) => Partial<FailoverInput>): FailoverOutput {
  let before: Pick<FailoverInput, 'persisted' | 'memory'> = { persisted: aStatus(), memory: NO_MEMORY };
  let output = decide(anInput());
  for (let tick = 0; tick < times; tick += 1) {
    const now = NOW + tick * 15_000;
    const input = inputAt(now);
    output = decide(anInput({ now, ...before, ...input }));
    before = { persisted: output.next, memory: output.memory };
  }
  return output;
}

export const reasonsOf = ({ events }: Pick<FailoverOutput, 'events'>): readonly string[] =>
  events.map(({ reason }) => reason);
