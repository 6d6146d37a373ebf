import type { ReconcileScope } from '../../adapters/kube/controller.ts';
import { KINDS } from '../../adapters/kube/kinds.ts';
import type { OwnWrites } from '../../adapters/kube/own-writes.ts';
import type { Store } from '../../adapters/kube/port.ts';
import type { StatusOwner, StatusWriter } from '../../adapters/kube/status-writer.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { IN_FORCE_PART, inForceStatus, type InForceFacts } from '../../core/policy/status/in-force-status.ts';
import { done, type Outcome } from '../../core/reconcile/outcome.ts';
import { generationOf } from '../../core/reconcile/read-object.ts';
import type { Policies, PolicyReport } from './policies.ts';

/** The part of the status of an OrbPolicy that the API owns (security.md §6.1). */
export const POLICY_REPORT = {
  fieldManager: 'orb-api-policy',
  ...IN_FORCE_PART,
} as const satisfies Partial<StatusOwner>;

export interface PolicyReporterDeps {
  readonly policies: Pick<Policies, 'state'>;
  readonly store: Pick<Store, 'get' | 'offer'>;
  readonly writes: Pick<OwnWrites, 'note'>;
  readonly writer: StatusWriter;
  readonly clock: Pick<Clock, 'now'>;
}

function factsOf({ definition, inForce, isAccepted, isOverBudget, gate }: PolicyReport): InForceFacts {
  const isTaken = isAccepted && definition?.spec.mode !== 'Disabled';
  return { activeDigest: inForce?.digest, isTaken, isOverBudget, gate };
}

/**
 * Writes what is in force of a policy into its status (security.md §6.1). Its controller must run in only one replica.
 * A report about another generation is skipped, because the next one follows soon.
 */
export function createPolicyReporter({
  policies,
  store,
  writes,
  writer,
  clock,
}: PolicyReporterDeps): (key: string, scope: Pick<ReconcileScope, 'signal'>) => Promise<Outcome> {
  const owner: StatusOwner = { ...POLICY_REPORT, kind: KINDS.orbpolicy, store, writes };
  return async (key, { signal }) => {
    const policy = store.get(key);
    if (policy === undefined) return done;
    const { name, namespace = '', uid } = policy.metadata;
    const report = policies.state(namespace, name);
    if (report?.uid !== uid || report?.generation !== generationOf(policy)) return done;
    await writer.write(owner, policy, inForceStatus(policy, factsOf(report), clock.now()), signal);
    return done;
  };
}
