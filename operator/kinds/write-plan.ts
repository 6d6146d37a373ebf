import type { StatusOwner } from '../../adapters/kube/status-writer.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { done, type Outcome } from '../../core/reconcile/outcome.ts';
import type { Plan } from '../../core/reconcile/plan.ts';
import type { Context } from './context.ts';

/** Decision of a reconcile about one object. */
export interface Decision {
  readonly owner: StatusOwner;
  readonly object: KubeObject;
  readonly plan: Plan;
}

/** Writes a plan: the status if it differs, then the Events about it. */
export async function writePlan(
  { owner, object, plan }: Decision,
  { writer, recorder }: Pick<Context, 'writer' | 'recorder'>,
  signal: AbortSignal,
): Promise<Outcome> {
  if (plan.status === undefined) return plan.outcome;
  const result = await writer.write(owner, object, plan.status, signal);
  if (result === 'gone') return done;
  // Without a write, an Event would repeat at every reconcile.
  if (result === 'written') recorder.record(object, plan.events);
  return plan.outcome;
}
