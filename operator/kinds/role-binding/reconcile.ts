import { KINDS } from '../../../adapters/kube/kinds.ts';
import { KubeError } from '../../../adapters/kube/port.ts';
import {
  planRoleBinding,
  type RoleBindingPlan,
  type RoleBindingSnapshot,
} from '../../../core/orbiset/plan-role-binding.ts';
import { VAULT_READER } from '../../../core/orbiset/vault-reader.ts';
import { keyOf, type KubeObject, type ObjectRef } from '../../../core/reconcile/kube-object.ts';
import { done, type Outcome } from '../../../core/reconcile/outcome.ts';
import type { Context } from '../context.ts';

const FIELD_MANAGER = 'orb-operator-rbac';
/** Time for the garbage collector: usually 0.1 s. After its restart, and for new kinds, it may take 30 s. */
const COLLECTOR_MS = 5000;

const refOf = (namespace: string): ObjectRef => ({ namespace, name: VAULT_READER });

const gather = (namespace: string, { stores, platformNamespace, apiAccount }: Context): RoleBindingSnapshot => ({
  namespace,
  platformNamespace,
  apiAccount,
  orbisets: stores.orbiset.byIndex('namespace', namespace),
  binding: stores.roleBinding.get(keyOf(refOf(namespace))),
});

/** The namespace is being deleted or is gone: nothing can be created in it, and no Secrets are left to read. */
const isVanishing = (error: unknown): boolean =>
  error instanceof KubeError &&
  (error.status === 404 || (error.status === 403 && error.causes.includes('NamespaceTerminating')));

/** Reads the RoleBinding from the API and offers it to the cache for later reconciles. */
async function readLive(namespace: string, context: Context, signal: AbortSignal): Promise<KubeObject | undefined> {
  const live = await context.client.get(KINDS.roleBinding, refOf(namespace), signal);
  if (live !== undefined) context.stores.roleBinding.offer(live);
  return live;
}

type Apply = RoleBindingPlan & { readonly kind: 'apply' };

async function apply({ binding, uid }: Apply, context: Context, signal: AbortSignal): Promise<void> {
  const { namespace } = binding.metadata;
  const metadata = { ...binding.metadata, ...(uid === undefined ? {} : { uid }) };
  context.assertLeading();
  const options = { fieldManager: FIELD_MANAGER };
  const answer = await context.client.apply(KINDS.roleBinding, { ...binding, metadata }, options, signal);
  context.stores.roleBinding.offer(answer);
  const { resourceVersion } = answer.metadata;
  if (resourceVersion !== undefined) context.bindingWrites.note(namespace, resourceVersion, refOf(namespace));
}

/**
 * Reads the live state. The cache may lag behind a deletion: of the last Orbiset, or of another writer's RoleBinding.
 */
async function readLiveState(
  snapshot: RoleBindingSnapshot,
  context: Context,
  signal: AbortSignal,
): Promise<RoleBindingSnapshot> {
  const { namespace } = snapshot;
  const page = await context.client.list(KINDS.orbiset, { namespace, limit: 500 }, signal);
  return { ...snapshot, orbisets: page.items, binding: await readLive(namespace, context, signal) };
}

/**
 * Creates the RoleBinding after a live read. A forced apply could otherwise take over another writer's newer
 * RoleBinding. With deleted owners, the garbage collector would remove it again and again.
 */
async function create(snapshot: RoleBindingSnapshot, context: Context, signal: AbortSignal): Promise<void> {
  const plan = planRoleBinding(await readLiveState(snapshot, context, signal));
  if (plan.kind === 'apply') await apply(plan, context, signal);
}

/** Deletes after a live read: no destructive step on cached state alone (operator.md A5). */
async function remove(snapshot: RoleBindingSnapshot, context: Context, signal: AbortSignal): Promise<void> {
  const { namespace } = snapshot;
  const live = await readLiveState(snapshot, context, signal);
  const plan = planRoleBinding(live);
  const resourceVersion = live.binding?.metadata.resourceVersion;
  if (plan.kind !== 'delete' || resourceVersion === undefined) return;
  context.assertLeading();
  await context.client.delete(KINDS.roleBinding, refOf(namespace), { uid: plan.uid, resourceVersion }, signal);
}

/**
 * Time left for the garbage collector to remove a RoleBinding whose last owner is gone. 0 when it is over, or without
 * owners.
 */
function patienceMs({ isOwned }: { readonly isOwned: boolean }, binding: KubeObject, context: Context): number {
  const { leftSince, clock } = context;
  const since = leftSince.get(binding) ?? clock.monotonic();
  leftSince.set(binding, since);
  return isOwned ? Math.max(0, since + COLLECTOR_MS - clock.monotonic()) : 0;
}

async function carryOut(snapshot: RoleBindingSnapshot, context: Context, signal: AbortSignal): Promise<Outcome> {
  const plan = planRoleBinding(snapshot);
  switch (plan.kind) {
    case 'keep':
    case 'foreign': // reported in the status of the Orbisets
      return done;
    case 'apply':
      if (plan.uid === undefined) await create(snapshot, context, signal);
      else await apply(plan, context, signal);
      return done;
    case 'delete': {
      const ms = snapshot.binding === undefined ? 0 : patienceMs(plan, snapshot.binding, context);
      if (ms > 0) return { kind: 'waiting', ms, reason: 'the garbage collector removes the RoleBinding' };
      await remove(snapshot, context, signal);
      return done;
    }
    default:
      return plan satisfies never;
  }
}

/**
 * Reconciles the RoleBinding to `orb-vault-reader` of one namespace.
 * @param namespace the key
 */
export async function reconcileRoleBinding(namespace: string, context: Context, signal: AbortSignal): Promise<Outcome> {
  try {
    return await carryOut(gather(namespace, context), context, signal);
  } catch (error) {
    if (!isVanishing(error)) throw error;
  }
  return done;
}
