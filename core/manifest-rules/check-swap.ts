import type { Manifest, SwapConfig } from '../../crds/manifest.ts';
import { SWAP_DEFAULTS } from '../failover/defaults.ts';
import { milliseconds } from '../time/duration.ts';
import { allowsProbe } from '../failover/resolve-swap-config.ts';
import type { Finding } from '../manifest/finding.ts';
import { executionsOf } from './executions.ts';

/** A duration of `swap_config` with its bounds (failover.md §4), inclusive. */
interface DurationBound {
  /** Group of `swap_config` that holds the member. */
  readonly group: 'latency' | 'dwell' | 'failback' | 'probe';
  readonly member: string;
  readonly min: string;
  readonly max: string;
  /** The value must be a multiple of this. */
  readonly step?: string;
}

// The operator evaluates every 15 seconds, and never in between.
const EVALUATION_STEP = '15s';

/** Bounds that a pattern can't express; the resource definition has the same bounds in CEL. */
export const DURATION_BOUNDS: readonly DurationBound[] = [
  { group: 'latency', member: 'evaluation_interval', min: '15s', max: '5m', step: EVALUATION_STEP },
  { group: 'dwell', member: 'min', min: '15s', max: '1h' },
  { group: 'dwell', member: 'hold_down', min: '30s', max: '6h' },
  { group: 'dwell', member: 'max', min: '30s', max: '24h' },
  { group: 'failback', member: 'ramp_step', min: '15s', max: '1h' },
  { group: 'probe', member: 'interval', min: '5s', max: '1h' },
  { group: 'probe', member: 'timeout', min: '100ms', max: '30s' },
];

const PROBE_WINDOW_MS = 300_000;
const HOUR_MS = 3_600_000;

const error = (code: string, member: string, detail: string): Finding => ({
  code,
  pointer: `/swap_config/${member}`,
  detail,
  severity: 'error',
});
const unless = (holds: boolean, code: string, member: string, detail: string): readonly Finding[] =>
  holds ? [] : [error(code, member, detail)];

const isAscending = (values: readonly number[]): boolean =>
  values.every((value, index) => index === 0 || value > (values[index - 1] ?? value));

/** Message for a duration that is out of its bounds. */
export const explainBound = ({ min, max, step }: DurationBound): string =>
  `Write ${min} to ${max}${step === undefined ? '' : `, a multiple of ${step}`}.`;

function isWithin(time: number, { min, max, step = '1ms' }: DurationBound): boolean {
  return time >= milliseconds(min) && time <= milliseconds(max) && time % milliseconds(step) === 0;
}

function ofDurations(swap: SwapConfig): readonly Finding[] {
  return DURATION_BOUNDS.flatMap((bound) => {
    const { group, member } = bound;
    const value = new Map<string, unknown>(Object.entries(swap[group] ?? {})).get(member);
    if (typeof value !== 'string' || isWithin(milliseconds(value), bound)) return [];
    return [error('manifest-swap-duration', `${group}/${member}`, explainBound(bound))];
  });
}

function ofOrder({ latency, failback }: SwapConfig): readonly Finding[] {
  const { windows = [] } = latency ?? {};
  const { ramp = [100] } = failback ?? {};
  const isRamp = isAscending(ramp) && ramp.at(-1) === 100;
  return [
    ...unless(
      isAscending(windows.map(milliseconds)),
      'manifest-swap-windows',
      'latency/windows',
      'Name each window once, in ascending order.',
    ),
    ...unless(isRamp, 'manifest-swap-ramp', 'failback/ramp', 'Write percents in ascending order; the last is 100.'),
  ];
}

function ofDwell({ dwell }: SwapConfig): readonly Finding[] {
  const { hold_down: first, max } = { ...SWAP_DEFAULTS.dwell, ...dwell };
  const detail = `Write at least hold_down, ${first}; max is ${SWAP_DEFAULTS.dwell.max} when absent.`;
  return unless(milliseconds(max) >= milliseconds(first), 'manifest-swap-dwell', 'dwell/max', detail);
}

/**
 * The interval must allow enough probes in five minutes to fail back, and `max_per_hour` must allow the interval
 * (failover.md §11, L1 and L8).
 */
function ofProbes({ probe, failback }: SwapConfig): readonly Finding[] {
  if (probe?.mode === 'none') return [];
  const { interval: text, max_per_hour: most } = { ...SWAP_DEFAULTS.probe, ...probe };
  const { min_probe_samples: samples } = { ...SWAP_DEFAULTS.failback, ...failback };
  const interval = milliseconds(text);
  return [
    ...unless(
      interval * samples <= PROBE_WINDOW_MS,
      'manifest-probe-samples',
      'probe/interval',
      'interval times failback.min_probe_samples must be at most 5m: write less, otherwise the primary never becomes active again.',
    ),
    ...unless(
      interval * most >= HOUR_MS,
      'manifest-probe-budget',
      'probe/max_per_hour',
      'Write at least one hour divided by interval.',
    ),
  ];
}

/** A synthetic probe repeats the request: probing a POST that sends mail would send mail (failover.md §11, L9). */
function ofMode(manifest: Manifest): readonly Finding[] {
  if (manifest.swap_config?.probe?.mode !== 'synthetic') return [];
  const detail = 'Synthetic probes need GET, HEAD or OPTIONS, or an execution.probe, for every provider.';
  return executionsOf(manifest).every(({ execution }) => allowsProbe(execution))
    ? []
    : [error('manifest-probe-unsafe', 'probe/mode', detail)];
}

/**
 * Checks the rules of `swap_config` that a schema can't express (failover.md §4 and §11, L1, L4, L8, L9):
 * `manifest-swap-duration`, `manifest-swap-windows`, `manifest-swap-ramp`, `manifest-swap-dwell`,
 * `manifest-probe-samples`, `manifest-probe-budget`, `manifest-probe-unsafe`.
 */
export function checkSwap(manifest: Manifest): readonly Finding[] {
  const { swap_config: swap } = manifest;
  if (swap === undefined) return [];
  return [...ofDurations(swap), ...ofOrder(swap), ...ofDwell(swap), ...ofProbes(swap), ...ofMode(manifest)];
}
