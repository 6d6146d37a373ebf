import { KINDS } from '../../adapters/kube/kinds.ts';
import { listAll } from '../../adapters/kube/list-all.ts';
import { KubeError, type KubeClient } from '../../adapters/kube/port.ts';
import { isTimeout, within } from '../../adapters/kube/within.ts';
import { KeyedQueue } from '../../adapters/object-store/keyed-queue.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { managerElsewhere, planPolicyWrite, POLICY_MANAGER } from '../../core/policy/document/plan-write.ts';
import type { ManagedElsewhere, WantedPolicy } from '../../core/policy/document/plan-write.ts';
import { keyOf, type KubeObject } from '../../core/reconcile/kube-object.ts';
import { generationOf } from '../../core/reconcile/read-object.ts';
import type { Away, PolicyCreated, PolicyDeleted, PolicyObjects, PolicyPlace, PolicyWritten } from './port.ts';

/** A version of a policy: a change of its status alone leaves it. */
export const policyEtag = (policy: KubeObject): string => `"${policy.metadata.uid ?? ''}.${generationOf(policy)}"`;

export interface PolicyObjectsDeps {
  readonly client: Pick<KubeClient, 'get' | 'list' | 'apply' | 'delete'>;
  readonly clock: Clock;
}

/** A person waits for the answer, and can repeat the request. */
const LIMIT_MS = 5000;
/** A status may change between read and write. */
const TRIES = 3;
const API_VERSION = 'orbs.dev/v1alpha1';

const isUnanswered = (error: unknown): boolean =>
  isTimeout(error) ||
  (error instanceof KubeError && (error.status === 0 || error.status === 429 || error.status >= 500));

const hasStatus = (error: unknown, status: number): error is KubeError =>
  error instanceof KubeError && error.status === status;

/** Another manager took a field between read and write. */
const isOwnerConflict = (error: unknown): error is KubeError =>
  hasStatus(error, 409) && error.causes.includes('FieldManagerConflict');

/** The object as it was read is not there any more. */
class Outdated extends Error {}

interface Call {
  readonly client: PolicyObjectsDeps['client'];
  readonly signal: AbortSignal;
}

const applyTo = (
  { client, signal }: Call,
  metadata: Parameters<KubeClient['apply']>[1]['metadata'],
  spec: WantedPolicy['spec'],
): Promise<KubeObject> =>
  client.apply(
    KINDS.orbpolicy,
    { apiVersion: API_VERSION, kind: 'OrbPolicy', metadata, spec },
    { fieldManager: POLICY_MANAGER, force: false },
    signal,
  );

/** @throws Outdated the version was changed meanwhile: read it again */
async function sent<T>(
  write: Promise<T>,
  patch: ManagedElsewhere['patch'],
): Promise<T | ManagedElsewhere | { kind: 'refused'; detail: string }> {
  try {
    return await write;
  } catch (error) {
    if (isOwnerConflict(error))
      return { kind: 'managed-elsewhere', manager: error.managers[0] ?? 'another field manager', patch };
    if (hasStatus(error, 422) || hasStatus(error, 400)) return { kind: 'refused', detail: error.message };
    if (hasStatus(error, 409)) throw new Outdated();
    throw error;
  }
}

const isObject = (value: object): value is KubeObject => 'metadata' in value;

async function replaceOnce(
  call: Call,
  place: PolicyPlace,
  matches: (policy: KubeObject) => boolean,
  wanted: (policy: KubeObject) => WantedPolicy,
): Promise<PolicyWritten> {
  const before = await call.client.get(KINDS.orbpolicy, place, call.signal);
  if (before === undefined) return { kind: 'gone' };
  if (!matches(before)) return { kind: 'changed' };
  const plan = planPolicyWrite(before, wanted(before));
  if (plan.kind === 'managed-elsewhere') return plan;
  const { uid = '', resourceVersion = '' } = before.metadata;
  const result = await sent(applyTo(call, { ...place, uid, resourceVersion, ...plan.metadata }, plan.spec), plan.patch);
  return isObject(result) ? { kind: 'written', policy: result } : result;
}

async function removeOnce(
  { client, signal }: Call,
  place: PolicyPlace,
  matches: (policy: KubeObject) => boolean,
): Promise<PolicyDeleted> {
  const before = await client.get(KINDS.orbpolicy, place, signal);
  if (before === undefined) return { kind: 'gone' };
  if (!matches(before)) return { kind: 'changed' };
  const manager = managerElsewhere(before);
  if (manager !== undefined) return { kind: 'managed-elsewhere', manager, patch: null };
  const { uid = '', resourceVersion = '' } = before.metadata;
  try {
    await client.delete(KINDS.orbpolicy, place, { uid, resourceVersion }, signal);
    return { kind: 'deleted' };
  } catch (error) {
    if (hasStatus(error, 409)) throw new Outdated();
    throw error;
  }
}

async function createOnce(call: Call, place: PolicyPlace, wanted: WantedPolicy): Promise<PolicyCreated> {
  if ((await call.client.get(KINDS.orbpolicy, place, call.signal)) !== undefined) return { kind: 'exists' };
  const { spec, labels, annotations } = wanted;
  const names = { ...(labels === undefined ? {} : { labels }), ...(annotations === undefined ? {} : { annotations }) };
  const result = await sent(applyTo(call, { ...place, ...names }, spec), { spec });
  if (isObject(result)) return { kind: 'written', policy: result };
  // Somebody else created it between read and write.
  return result.kind === 'managed-elsewhere' ? { kind: 'exists' } : result;
}

/** Repeats the work while somebody writes between read and write. */
async function again<T>(work: () => Promise<T>): Promise<T | { kind: 'changed' }> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
    }
  }
  return { kind: 'changed' };
}

async function create(call: Call, place: PolicyPlace, wanted: WantedPolicy): Promise<PolicyCreated> {
  try {
    const made = await again(() => createOnce(call, place, wanted));
    return made.kind === 'changed' ? { kind: 'exists' } : made;
  } catch (error) {
    if (hasStatus(error, 404)) return { kind: 'no-namespace' };
    throw error;
  }
}

/** Policies over a client of the Kubernetes API, written by server-side apply without force (policy.md §5). */
export function createPolicyObjects({ client, clock }: PolicyObjectsDeps): PolicyObjects {
  const limit = { clock, ms: LIMIT_MS, what: 'the Kubernetes API' };
  // Two requests of one process to create a policy must not become one object.
  const queue = new KeyedQueue();
  const never = new AbortController().signal;
  const run = async <T>(work: (call: Call) => Promise<T>): Promise<T | Away> => {
    try {
      return await within(limit, never, (signal) => work({ client, signal }));
    } catch (error) {
      if (isUnanswered(error)) return { kind: 'away' };
      throw error;
    }
  };
  return {
    read: (place) =>
      run(async ({ signal }) => ({ kind: 'read', policy: await client.get(KINDS.orbpolicy, place, signal) })),
    list: (namespace) =>
      run(async ({ signal }) => {
        const { objects } = await listAll({ client, kind: KINDS.orbpolicy, selection: { namespace } }, signal);
        return { kind: 'read', policies: objects };
      }),
    create: (place, wanted) => queue.take(keyOf(place), () => run((call) => create(call, place, wanted))),
    replace: (place, matches, wanted) => run((call) => again(() => replaceOnce(call, place, matches, wanted))),
    remove: (place, matches) => run((call) => again(() => removeOnce(call, place, matches))),
  };
}
