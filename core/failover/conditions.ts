import type { Condition, WantedCondition } from '../reconcile/conditions.ts';
import type { FailoverStep } from './step.ts';
import type { FailoverStatus } from './types.ts';

/** Conditions that only an Orb with `swap_config` has, beside `ProvidersResolved`. */
export const SWAP_CONDITIONS = ['MetricsAvailable', 'ProvidersHealthy', 'FailedOver', 'FailoverFrozen'] as const;

// failover.md §5.3, rule 1
const UNUSABLE_MS = 300_000;

/** State of the metrics: not configured, too coarse for decisions, not evaluated now, or the result of this step. */
export type MetricsKnown =
  | { readonly kind: 'not-configured' }
  | { readonly kind: 'too-coarse'; readonly message: string }
  | { readonly kind: 'not-evaluated' }
  | { readonly kind: 'evaluated'; readonly step: Pick<FailoverStep, 'memory' | 'health'> };

export interface FailoverConditionInput {
  /** The status to be written. */
  readonly status: FailoverStatus;
  /** The preferred provider of the running version. */
  readonly primary: string;
  readonly metrics: MetricsKnown;
  /** Ms since epoch. */
  readonly now: number;
}

type Before = readonly Pick<Condition, 'type' | 'status' | 'reason' | 'message'>[];

/** Reasons that need no evaluation: such a condition goes away together with its cause. */
const OF_SETTINGS: readonly string[] = ['NotConfigured', 'WindowsTooShort'];

const asBefore = (before: Before, type: string): readonly WantedCondition[] =>
  before
    .filter((condition) => condition.type === type && !OF_SETTINGS.includes(condition.reason))
    .map(({ status, reason, message }) => ({ type, status, reason, message }));

const AVAILABLE: WantedCondition = {
  type: 'MetricsAvailable',
  status: 'True',
  reason: 'MetricsFresh',
  message: 'The providers are compared on fresh metrics.',
};

const UNUSABLE: WantedCondition = {
  type: 'MetricsAvailable',
  status: 'False',
  reason: 'MetricsUnusable',
  message:
    'There were no usable metrics for five minutes, so there are no automatic swaps; the log of the operator says why. A run still goes to the next provider when one fails.',
};

const NOT_CONFIGURED: WantedCondition = {
  type: 'MetricsAvailable',
  status: 'Unknown',
  reason: 'NotConfigured',
  message:
    'The operator has no Prometheus, so there are no automatic swaps: start it with --prometheus-url. A run still goes to the next provider when one fails, and pins are followed.',
};

function metricsAvailable({ metrics, now }: FailoverConditionInput, before: Before): readonly WantedCondition[] {
  if (metrics.kind === 'not-configured') return [NOT_CONFIGURED];
  if (metrics.kind === 'too-coarse') {
    return [{ type: 'MetricsAvailable', status: 'False', reason: 'WindowsTooShort', message: metrics.message }];
  }
  if (metrics.kind === 'not-evaluated') return asBefore(before, 'MetricsAvailable');
  const { unusableSince } = metrics.step.memory;
  if (unusableSince === null) return [AVAILABLE];
  return now - unusableSince >= UNUSABLE_MS ? [UNUSABLE] : asBefore(before, 'MetricsAvailable');
}

/** While the health of the providers is unknown, the condition stays as it was. */
function providersHealthy({ metrics }: FailoverConditionInput, before: Before): readonly WantedCondition[] {
  const type = 'ProvidersHealthy';
  const health = metrics.kind === 'evaluated' ? metrics.step.health : 'unknown';
  if (health === 'unknown') return asBefore(before, type);
  if (health === 'up') {
    return [{ type, status: 'True', reason: 'ProvidersHealthy', message: 'The active provider works.' }];
  }
  const message = 'The active provider fails, and no other one is known to work; it stays active, and all are probed.';
  return [{ type, status: 'False', reason: 'AllDown', message }];
}

const LEFT = {
  hard_failure: 'HardFailure',
  latency: 'Latency',
  manual: 'Manual',
  failback: 'NotPrimary',
  primary: 'NotPrimary',
} as const satisfies Readonly<Record<FailoverStatus['reason'], string>>;

function failedOver({ status, primary }: FailoverConditionInput): readonly WantedCondition[] {
  const { activeProvider, reason } = status;
  if (activeProvider === primary) return [];
  const message = `"${activeProvider}" is used instead of the primary "${primary}".`;
  return [{ type: 'FailedOver', status: 'True', reason: LEFT[reason], message }];
}

function failoverFrozen({ status, now }: FailoverConditionInput): readonly WantedCondition[] {
  if (status.frozen === null || status.frozen.until <= now) return [];
  const { activeProvider } = status;
  const message = `There were too many swaps within an hour: "${activeProvider}" stays active for an hour unless it fails. A manual swap ends the freeze.`;
  return [{ type: 'FailoverFrozen', status: 'True', reason: 'TooManySwaps', message }];
}

/**
 * Conditions of an Orb with `swap_config` (failover.md §6). `FailedOver` and `FailoverFrozen` are present only while
 * they are true. Messages hold no changing numbers.
 * @param before conditions in the current status
 */
export const failoverConditions = (seen: FailoverConditionInput, before: Before): readonly WantedCondition[] => [
  ...metricsAvailable(seen, before),
  ...providersHealthy(seen, before),
  ...failedOver(seen),
  ...failoverFrozen(seen),
];
