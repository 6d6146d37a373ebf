import { decide } from '../../../core/failover/decide.ts';
import { resolveSwapConfig } from '../../../core/failover/resolve-swap-config.ts';
import { newStatus } from '../../../core/failover/status-codec.ts';
import { NO_MEMORY, type FailoverOutput, type ResolvedSwapConfig } from '../../../core/failover/types.ts';
import type { Manifest } from '../../../crds/manifest.ts';
import { busy, fresh, probed, traffic } from '../../../test/support/failover.ts';
import { PROVIDERS } from './synthetic-orbs.ts';

const [primary, fallback] = PROVIDERS;

/** Two providers of a GET, so both are probed; the rest are defaults. */
export const manifestOf = (orbId: string): Manifest => {
  const execution = { method: 'GET', url: 'https://provider.example/' } as const;
  return {
    orb_id: orbId,
    provider: primary,
    inputs: {},
    outputs: {},
    execution,
    providers: { [fallback]: { execution } },
    swap_config: { primary, fallbacks: [fallback], strategy: 'latency' },
  };
};

function swapConfig(): ResolvedSwapConfig {
  const config = resolveSwapConfig(manifestOf('acme.send-email@1.0.0'));
  if (config === undefined) throw new TypeError('a manifest with swap_config has one');
  return config;
}

/** An evaluation with traffic at the active provider, good probes of the other provider, and nothing to do. */
export function healthyOutput(now: number): FailoverOutput {
  return decide({
    now,
    random: 0.5,
    epoch: 1,
    receiptId: '',
    config: swapConfig(),
    resolved: PROVIDERS,
    pin: null,
    metrics: fresh({ [primary]: busy(traffic(120, 262)), [fallback]: probed(240) }, now),
    persisted: newStatus(primary, now),
    memory: NO_MEMORY,
  });
}
