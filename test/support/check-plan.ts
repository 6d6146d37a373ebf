import { expect } from 'chai';
import { FAILOVER_PART } from '../../core/orb/plan-failover.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { Plan } from '../../core/reconcile/plan.ts';
import { REASONS } from '../../operator/kinds/reasons.ts';
import { applied } from './kube-objects.ts';
import { kstatus, type Kstatus } from './kstatus.ts';

/** Members and condition types that plans write; `failover` is the part of an Orb's that `planFailover` decides. */
export const OWNED = {
  'orb-operator': {
    members: ['observedGeneration', 'lastHandledReconcileAt', 'validDigest', 'lastValid', 'manifestDigest'],
    conditions: ['Ready', 'Reconciling', 'Stalled', 'OrbsResolved', 'SecretsBound'],
  },
  failover: FAILOVER_PART,
} as const;

/**
 * Checks the rules of every plan: documented reasons with their status, and messages of at most 1 KiB. After the plan
 * is written, a second plan writes nothing and reports nothing.
 * @returns the object with the status written, and its kstatus
 */
export function settle<P extends Plan>(
  object: KubeObject,
  part: keyof typeof OWNED,
  planOf: (object: KubeObject) => P,
): { readonly object: KubeObject; readonly plan: P; readonly kstatus: Kstatus } {
  const plan = planOf(object);
  for (const { type, status, reason, message } of plan.status?.conditions ?? []) {
    expect(REASONS[object.kind]?.[type]?.[reason]?.status, `${object.kind} ${type} ${reason}`).to.equal(status);
    expect(Buffer.byteLength(message), message).to.be.within(1, 1024);
    expect(OWNED[part].conditions).to.include(type);
  }
  for (const { note } of plan.events) expect(note.length, note).to.be.within(1, 1024);
  const after = applied(object, plan.status, OWNED[part]);
  const again = planOf(after);
  expect(again.events, 'events of a second reconcile').to.deep.equal([]);
  expect(again.status ?? plan.status, 'status of a second reconcile').to.deep.equal(plan.status);
  return { object: after, plan, kstatus: kstatus(after) };
}
