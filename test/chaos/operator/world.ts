import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { PLATFORM_NAMESPACE } from '../../../hack/control-plane/install.ts';
import { startPlatformPlane } from '../../support/platform-plane.ts';
import { waitFor } from '../../support/wait-for.ts';
import { APPLY, createAdminApi, type AdminApi } from '../rig/admin-api.ts';
import { metadataOf, textOf } from '../rig/json.ts';
import { at } from '../../../hack/control-plane/json.ts';
import { startScriptedMetrics, type ScriptedMetrics } from '../rig/scripted-metrics.ts';
import { compareEndState, takeSnapshot, type Snapshot } from '../rig/oracles/end-state.ts';

const ORBS_API = '/apis/orbs.dev/v1alpha1';
const RBAC_API = '/apis/rbac.authorization.k8s.io/v1';
const READER = 'orb-vault-reader';

/** Plural names of our resources. */
export type OurPlural = 'orbs' | 'orbisets' | 'orbpublications' | 'orbpolicies';
const OURS: readonly OurPlural[] = ['orbs', 'orbisets', 'orbpublications', 'orbpolicies'];
const KIND_OF: Readonly<Record<OurPlural, string>> = {
  orbs: 'Orb',
  orbisets: 'Orbiset',
  orbpublications: 'OrbPublication',
  orbpolicies: 'OrbPolicy',
};

/** A control plane with everything installed, and the single namespace of a run. */
export interface World {
  readonly plane: ControlPlane;
  readonly api: AdminApi;
  readonly namespace: string;
  /** Its operators get it by a flag, when the test wants swaps. */
  readonly metrics: ScriptedMetrics;
}

/** Path of our objects in the world's namespace. */
export const pathOf = ({ namespace }: Pick<World, 'namespace'>, plural: OurPlural, name?: string): string =>
  `${ORBS_API}/namespaces/${namespace}/${plural}${name === undefined ? '' : `/${name}`}`;

const bindingPath = ({ namespace }: Pick<World, 'namespace'>): string =>
  `${RBAC_API}/namespaces/${namespace}/rolebindings/${READER}`;

const eventsPath = ({ namespace }: Pick<World, 'namespace'>): string =>
  `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;

/** Events of the namespace. */
export const readEvents = (world: World): Promise<readonly unknown[]> => world.api.list(eventsPath(world));

/** Applies a spec as a user would. @throws Error the server refuses it */
export async function applySpec(world: World, plural: OurPlural, name: string, spec: unknown): Promise<unknown> {
  const body = { apiVersion: 'orbs.dev/v1alpha1', kind: KIND_OF[plural], metadata: { name }, spec };
  return world.api.ok('PATCH', `${pathOf(world, plural, name)}?fieldManager=kubectl&force=true`, { body, type: APPLY });
}

/** Writes what the API reports about an Orbiset's vault (security.md §6.1), with the API's field manager. */
export async function reportVault(world: World, name: string, missing: readonly string[]): Promise<void> {
  const path = pathOf(world, 'orbisets', name);
  const { generation } = metadataOf(await world.api.ok('GET', path));
  const complete = missing.length === 0;
  const condition = {
    type: 'VaultReady',
    status: complete ? 'True' : 'False',
    reason: complete ? 'VaultComplete' : 'SecretNotFound',
    message: complete ? '' : `missing: ${missing.join(', ')}`,
    observedGeneration: generation,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const status = { vault: { entries: [], missing: [] }, conditions: [condition] };
  const body = { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orbiset', metadata: { name }, status };
  await world.api.ok('PATCH', `${path}/status?fieldManager=orb-api-vault&force=true`, { body, type: APPLY });
}

/** The current state of everything that the operator writes in the world's namespace. */
export async function readObjects(world: World): Promise<readonly unknown[]> {
  const ours = await Promise.all(OURS.map((plural) => world.api.list(pathOf(world, plural))));
  const binding = await world.api.call('GET', bindingPath(world));
  return [...ours.flat(), ...(binding.status === 200 ? [binding.body] : [])];
}

export const readSnapshot = async (world: World): Promise<Snapshot> => takeSnapshot(await readObjects(world));

/** Whether the operator has seen the newest spec of every object. */
export async function isSeen(world: World): Promise<boolean> {
  const objects = (await Promise.all(OURS.map((plural) => world.api.list(pathOf(world, plural))))).flat();
  return objects.every((object) => at(object, 'status', 'observedGeneration') === metadataOf(object)['generation']);
}

const LEASE = `/apis/coordination.k8s.io/v1/namespaces/${PLATFORM_NAMESPACE}/leases/orb-operator`;

/** The current leader; '' without a leader. */
export async function leaderOf({ api }: Pick<World, 'api'>): Promise<string> {
  return textOf(at((await api.call('GET', LEASE)).body, 'spec', 'holderIdentity')) ?? '';
}

/** Whether the garbage collector has removed all objects that lost their last owner. */
export async function isCollected(world: World): Promise<boolean> {
  const objects = await readObjects(world);
  const uids = new Set(objects.map((object) => metadataOf(object)['uid']));
  return objects.every((object) => {
    const owners = metadataOf(object)['ownerReferences'];
    return !Array.isArray(owners) || owners.some((owner: unknown) => uids.has(at(owner, 'uid')));
  });
}

/** Removes the lease of a killed leader: only R7 tests its expiry. */
export async function removeLease({ api }: Pick<World, 'api'>): Promise<void> {
  await api.ok('DELETE', LEASE);
}

/** Polls until it holds. @throws Error naming `what` after `ms` */
export async function untilTrue(what: string, check: () => Promise<boolean>, ms: number): Promise<void> {
  const found = await waitFor(async () => ((await check()) ? true : undefined), ms);
  if (found === undefined) throw new Error(`${what} within ${ms} ms`);
}

/** Creates the namespace, after an earlier namespace of the name is gone. */
export async function makeNamespace({ api, namespace }: World): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}`;
  const isGoing = async (): Promise<boolean> =>
    metadataOf((await api.call('GET', path)).body)['deletionTimestamp'] !== undefined;
  await untilTrue(`${namespace} did not go`, async () => !(await isGoing()), 60_000);
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await api.ok('PATCH', `${path}?fieldManager=kubectl&force=true`, { body, type: APPLY });
}

export const namespaceIsGone = async ({ api, namespace }: World): Promise<boolean> =>
  (await api.call('GET', `/api/v1/namespaces/${namespace}`)).status === 404;

/** Removes the objects that a run left; no operator may be running. */
export async function resetWorld(world: World): Promise<void> {
  await removeLease(world);
  if (await namespaceIsGone(world)) return;
  for (const plural of OURS) await world.api.ok('DELETE', pathOf(world, plural));
  await world.api.ok('DELETE', bindingPath(world));
  await world.api.ok('DELETE', eventsPath(world));
  const empty = takeSnapshot([]);
  const isEmpty = async (): Promise<boolean> => compareEndState(empty, await readSnapshot(world)).length === 0;
  await untilTrue(`${world.namespace} was not emptied`, isEmpty, 30_000);
}

/** Starts its own control plane, with CRDs, RBAC and admission as they ship. */
export async function startWorld(namespace: string): Promise<World> {
  const plane = await startPlatformPlane();
  const api = createAdminApi(plane.server.url, plane.ca, plane.users.admin.token);
  const world = { plane, api, namespace, metrics: await startScriptedMetrics() };
  await makeNamespace(world);
  return world;
}

export async function stopWorld({ api, metrics, plane }: World): Promise<void> {
  api.close();
  await metrics.stop();
  await plane.stop();
}
