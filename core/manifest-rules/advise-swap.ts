import type { Manifest } from '../../crds/manifest.ts';
import { resolveSwapConfig } from '../failover/resolve-swap-config.ts';
import { SECONDS_BUCKETS } from '../failover/seconds-buckets.ts';
import type { ResolvedSwapConfig } from '../failover/types.ts';
import type { Finding } from '../manifest/finding.ts';

const BOUNDS_MS = SECONDS_BUCKETS.map((seconds) => seconds * 1000);

const info = (code: string, member: string, detail: string): Finding => ({
  code,
  pointer: `/swap_config/${member}`,
  detail,
  severity: 'info',
});

/** Whether there is a second provider: with a single one there is nothing to choose. */
const hasOther = ({ provider, providers = {} }: Manifest, { primary, fallbacks }: ResolvedSwapConfig): boolean =>
  new Set([primary, ...fallbacks].filter((name) => name === provider || Object.hasOwn(providers, name))).size > 1;

/** Without probes, the latency of a standby is unknown until it has traffic (failover.md §11, L5). */
function ofTrial(manifest: Manifest): readonly Finding[] {
  const config = resolveSwapConfig(manifest);
  if (config?.strategy !== 'latency' || config.probe.mode === 'synthetic' || !hasOther(manifest, config)) return [];
  const detail =
    'Without probes, a slow provider is replaced by a trial: a share of the runs goes to another one, which needs about 0.4 runs a second. With an execution.probe for every provider, and probe.mode absent or synthetic, no runs are needed.';
  return [info('manifest-latency-trial', 'strategy', detail)];
}

/** Inside a bucket a quantile is interpolated, so it may be off by the bucket's width (failover.md §3.2, §11, L12). */
function ofThreshold({ swap_config: swap }: Manifest): readonly Finding[] {
  const threshold = swap?.latency?.threshold_ms;
  if (threshold === undefined || BOUNDS_MS.includes(threshold)) return [];
  const near = [BOUNDS_MS.findLast((bound) => bound < threshold), BOUNDS_MS.find((bound) => bound > threshold)];
  const either = near.filter((bound) => bound !== undefined).join(' or ');
  const detail = `Latencies are measured exactly at the bounds of buckets only; ${either} is one.`;
  return [info('manifest-threshold-bucket', 'latency/threshold_ms', detail)];
}

/** Advice about a valid `swap_config`: `manifest-latency-trial`, `manifest-threshold-bucket`. */
export const adviseSwap = (manifest: Manifest): readonly Finding[] => [...ofTrial(manifest), ...ofThreshold(manifest)];
