import type { Measurement } from '../../adapters/failover-metrics/port.ts';
import type { WorkQueue } from '../../adapters/kube/port.ts';
import { statusDiffers } from '../../adapters/kube/status-writer.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import { pinEnd } from '../../core/failover/pin-end.ts';
import type { FailoverStep } from '../../core/failover/step.ts';
import type { ResolvedSwapConfig } from '../../core/failover/types.ts';
import { FAILOVER_PART, planFailover, type FailoverEvaluation } from '../../core/orb/plan-failover.ts';
import { verdictOf, type OrbSnapshot } from '../../core/orb/plan-orb.ts';
import { failoverPinIn } from '../../core/orb/plan-pin.ts';
import { isJudged } from '../../core/orb/valid-version.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { Context } from '../kinds/context.ts';
import { liveObject } from '../kinds/live-object.ts';
import { gatherOrb } from '../kinds/orb/gather.ts';
import { evaluatedOrb, type EvaluatedOrb } from '../failover/evaluated-orbs.ts';

export interface EvaluateDeps {
  readonly context: Context;
  /** Queue of the Orbs' controller. */
  readonly queue: Pick<WorkQueue, 'add'>;
  readonly logger: Pick<Logger, 'error'>;
}

/** An Orb whose running version has a `swap_config`. */
export interface SwappingOrb {
  readonly key: string;
  readonly object: KubeObject;
  readonly orb: EvaluatedOrb;
  readonly snapshot: OrbSnapshot;
  readonly config: ResolvedSwapConfig;
  /** Names that have an execution. */
  readonly providers: readonly string[];
}

function findSwapping(key: string, context: Context): SwappingOrb | undefined {
  const object = liveObject(context.stores.orb, key);
  if (object === undefined || !isJudged(object)) return undefined;
  const manifest = context.judgements.of(object);
  if (manifest.kind !== 'valid' || manifest.swap === undefined) return undefined;
  const snapshot = gatherOrb(object, context);
  if (verdictOf(snapshot).kind !== 'ready') return undefined;
  const providers = [...manifest.providers];
  return { key, object, orb: evaluatedOrb(object), snapshot, config: manifest.swap, providers };
}

/**
 * Never throws. An Orb that can't be judged is left out, and all others are evaluated.
 * @returns undefined when it is gone, invalid, not judged yet, or only a pin moves it
 */
export function swappingOrb(key: string, { context, logger }: EvaluateDeps): SwappingOrb | undefined {
  try {
    return findSwapping(key, context);
  } catch (error) {
    logger.error('an Orb could not be judged and stays unchanged', { orb: key, error });
    return undefined;
  }
}

/** End of the current pin, ms since epoch. */
function pinExpiresAt(object: KubeObject, step: FailoverStep, now: number): number | null {
  const pin = failoverPinIn(object);
  const endsAt = pin === null ? now : pinEnd(pin, step.status.pin);
  return endsAt > now ? endsAt : null;
}

/** Shows the inputs of the step, before its result is written. */
function show(
  { object, orb, config }: SwappingOrb,
  step: FailoverStep,
  { metrics, now }: Pick<FailoverEvaluation, 'metrics'> & { readonly now: number },
  { failover: { gauges } }: Context,
): void {
  const seen =
    metrics.state === 'fresh'
      ? { evaluatedAt: metrics.evaluatedAt, ageMs: metrics.ageMs }
      : { evaluatedAt: now, ageMs: null };
  const quantile = config.latency.quantile;
  gauges.set(orb, step.output, { ...seen, quantile, pinExpiresAt: pinExpiresAt(object, step, now) });
  gauges.evaluated(orb, step.output.explain.rule);
}

/** One evaluation of all Orbs. */
export interface Tick {
  /** Ms since epoch. */
  readonly at: number;
  readonly measured: Measurement;
}

/**
 * Evaluates one Orb. A result that needs a write is kept for the reconcile of the key, which alone writes. Otherwise
 * the evaluation ends here.
 */
function evaluate(swapping: SwappingOrb, { at, measured }: Tick, { context, queue }: EvaluateDeps): void {
  const { key, object, orb, snapshot } = swapping;
  const { failover, recorder } = context;
  const memory = failover.orbs.memoryOf(key, orb);
  const evaluation: FailoverEvaluation = { at, metrics: measured.snapshot(orb), origin: measured.origin, memory };
  const moment = { ...failover.moment(), evaluation };
  const plan = planFailover(snapshot, moment);
  const { step, status } = plan;
  if (step === undefined) return;
  show(swapping, step, { metrics: evaluation.metrics, now: moment.now }, context);
  if (statusDiffers(FAILOVER_PART, object, status)) {
    failover.orbs.setPending(key, orb, { snapshot, moment, plan });
    // A swap must not wait until a thousand edits are written.
    queue.add(key, { lane: 'urgent' });
    return;
  }
  // If an evaluation is still pending, it is older than this one.
  failover.orbs.takePending(key, orb);
  failover.orbs.remember(key, orb, step.memory);
  if (step.events.length > 0) recorder.record(object, step.events);
}

/** Never throws. If an Orb fails, it stays unchanged, and the others are evaluated. */
export function evaluateOrb(key: string, tick: Tick, deps: EvaluateDeps): void {
  const swapping = swappingOrb(key, deps);
  if (swapping === undefined) return;
  try {
    evaluate(swapping, tick, deps);
  } catch (error) {
    deps.context.failover.gauges.evaluated(swapping.orb, 'exception');
    deps.logger.error('an Orb could not be evaluated and stays unchanged', { orb: key, error });
  }
}
