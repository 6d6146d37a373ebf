import { isDeepStrictEqual } from 'node:util';
import { unreportedSwaps } from '../../../core/failover/step.ts';
import { readFailoverStatus } from '../../../core/failover/status-codec.ts';
import { planFailover, type FailoverMoment, type FailoverPlan } from '../../../core/orb/plan-failover.ts';
import type { OrbSnapshot } from '../../../core/orb/plan-orb.ts';
import { isJudged } from '../../../core/orb/valid-version.ts';
import { keyOf, type KubeObject } from '../../../core/reconcile/kube-object.ts';
import { statusOf } from '../../../core/reconcile/read-object.ts';
import { evaluatedOrb, type PendingEvaluation } from '../../failover/evaluated-orbs.ts';
import type { Context } from '../context.ts';

/**
 * Records the Event of a swap again, because the last leader may have ended before recording it. It is the same Event.
 */
function recordSwapAgain(orb: KubeObject, moment: FailoverMoment, { recorder, failover }: Context): void {
  if (!failover.isFirst(keyOf(orb.metadata))) return;
  const events = unreportedSwaps(readFailoverStatus(statusOf(orb)['failover']), moment.now);
  if (events.length > 0) recorder.record(orb, events);
}

const isSameObject = ({ metadata: one }: KubeObject, { metadata: other }: KubeObject): boolean =>
  one.uid === other.uid && one.generation === other.generation && one.resourceVersion === other.resourceVersion;

/** Whether a plan of the active provider would have the same inputs. Orbisets don't affect providers. */
const isSameSnapshot = (one: OrbSnapshot, other: OrbSnapshot): boolean =>
  isSameObject(one.orb, other.orb) &&
  one.manifest === other.manifest &&
  isDeepStrictEqual(one.duplicates, other.duplicates);

/**
 * @returns the plan of the tick. Undefined when the Orb changed, another leader was active since, or a pin or freeze
 * has ended
 */
function planStillGood(
  { snapshot: before, moment: then, plan }: PendingEvaluation,
  snapshot: OrbSnapshot,
  { now, epoch }: FailoverMoment,
): FailoverPlan | undefined {
  if (then.epoch !== epoch || !isSameSnapshot(before, snapshot)) return undefined;
  const { outcome } = plan;
  if (outcome.kind !== 'requeue-after') return plan;
  const ms = outcome.ms - (now - then.now);
  return ms > 0 ? { ...plan, outcome: { ...outcome, ms } } : undefined;
}

/**
 * Decides about the active provider. A pin is followed at once. The decision of a tick for the key is taken, and kept
 * if nothing has changed since: a newer pin wins over it. An evaluation of an earlier generation counts for nothing,
 * because its metrics are those of other providers.
 */
export function decideFailover(snapshot: OrbSnapshot, context: Context): FailoverPlan {
  const { orb } = snapshot;
  const { failover } = context;
  const pending = failover.orbs.takePending(keyOf(orb.metadata), evaluatedOrb(orb));
  const moment = failover.moment();
  recordSwapAgain(orb, moment, context);
  if (pending === undefined || !isJudged(orb)) return planFailover(snapshot, moment);
  const { evaluation } = pending.moment;
  return planStillGood(pending, snapshot, moment) ?? planFailover(snapshot, { ...moment, evaluation });
}

/** Remembers the step of a decision that is written, or that needed no write. */
export function rememberStep(orb: KubeObject, { step, events }: FailoverPlan, { failover }: Context): void {
  const key = keyOf(orb.metadata);
  const of = evaluatedOrb(orb);
  if (step !== undefined) failover.orbs.remember(key, of, step.memory);
  else if (events.some(({ reason }) => reason === 'ProviderChanged')) failover.orbs.startOver(key, of);
}
