import { seededRandom } from '../seeded-random.ts';
import { manifestOf, swappable } from '../../support/kube-objects.ts';
import { at } from '../../../hack/control-plane/json.ts';
import type { Procedure, ProcedureResult } from './procedure.ts';
import { startSubject } from './subject.ts';
import {
  applySpec,
  isSeen,
  makeNamespace,
  namespaceIsGone,
  pathOf,
  readObjects,
  reportVault,
  resetWorld,
  untilTrue,
  type World,
} from './world.ts';

type Members = Readonly<Record<string, unknown>>;

const POLICIES = ['Background', 'Foreground', 'Orphan'] as const;
type Policy = (typeof POLICIES)[number];
/** reliability.md §4.1, R11; the garbage collector removes the RoleBinding. */
const GONE_MS = 30_000;

const ORB_STATES: Readonly<Record<string, Members>> = {
  ready: swappable,
  broken: { execution: { type: 'http', method: 'POST', url: 'https://api.example.com/{{inputs.nobody}}' } },
  unresolved: { swap_config: { primary: 'main', fallbacks: ['nobody'] } },
};
const ORBISET_STATES: readonly string[] = ['unreported', 'complete', 'incomplete'];

const remove = (world: World, plural: 'orbs' | 'orbisets', name: string, propagationPolicy: Policy): Promise<unknown> =>
  world.api.ok('DELETE', pathOf(world, plural, name), {
    body: { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy },
  });

const seen = (world: World): Promise<void> =>
  untilTrue('the operator has not seen everything', () => isSeen(world), 30_000);

/** Checks that everything is gone, including the RoleBinding. */
async function nothingLeft(world: World, name: string): Promise<ProcedureResult> {
  const began = performance.now();
  const left = async (): Promise<readonly string[]> =>
    (await readObjects(world)).map(
      (object) => `${String(at(object, 'kind'))} ${String(at(object, 'metadata', 'name'))} is left over`,
    );
  const gone = untilTrue('', async () => (await left()).length === 0, GONE_MS);
  const faults = await gone.then(
    () => [],
    () => left(),
  );
  return { name, faults, measured: { goneMs: Math.round(performance.now() - began) } };
}

async function deleteOrb(
  world: World,
  state: string,
  { policy, early }: { readonly policy: Policy; readonly early: boolean },
): Promise<ProcedureResult> {
  await applySpec(world, 'orbs', 'gone', manifestOf(ORB_STATES[state]));
  if (!early) await seen(world);
  await remove(world, 'orbs', 'gone', policy);
  return nothingLeft(world, `Orb ${state}${early ? ', at once' : ''}, ${policy}`);
}

async function deleteOrbiset(world: World, state: string, policy: Policy): Promise<ProcedureResult> {
  await applySpec(world, 'orbisets', 'gone', {
    vault: { secrets: [{ name: 'mail', allowedHosts: ['api.example.com'] }] },
  });
  await applySpec(world, 'orbisets', 'other', {});
  await seen(world);
  if (state !== 'unreported') await reportVault(world, 'gone', state === 'complete' ? [] : ['mail']);
  await seen(world);
  await remove(world, 'orbisets', 'gone', policy);
  await remove(world, 'orbisets', 'other', policy);
  return nothingLeft(world, `Orbiset ${state}, ${policy}`);
}

/** A tenant with an Orb in every state. */
async function makeTenant(world: World, suffix: string): Promise<World> {
  const own = { ...world, namespace: `${world.namespace}-${suffix}` };
  await makeNamespace(own);
  await applySpec(own, 'orbisets', 'gone', {});
  for (const [name, members] of Object.entries(ORB_STATES))
    await applySpec(own, 'orbs', name, manifestOf({ orb_id: `acme.${name}@1.0.0`, ...members }));
  return own;
}

async function deleteNamespace(own: World, name: string): Promise<ProcedureResult> {
  const began = performance.now();
  await own.api.ok('DELETE', `/api/v1/namespaces/${own.namespace}`);
  const gone = untilTrue('the namespace is still there', () => namespaceIsGone(own), GONE_MS);
  const faults = await gone.then(
    () => [],
    (error: unknown) => [String(error)],
  );
  return {
    name,
    faults,
    measured: { goneMs: Math.round(performance.now() - began) },
  };
}

/** R11: deletion in every state leaves nothing and never hangs. v1alpha1 has no finalizer. */
export const deletion: Procedure = async (world, { seed, full }) => {
  await resetWorld(world);
  const subject = await startSubject(world, seededRandom(seed));
  const policies = full ? POLICIES : (['Background', 'Orphan'] as const);
  const results: ProcedureResult[] = [];
  for (const policy of policies) {
    for (const state of Object.keys(ORB_STATES))
      for (const early of [false, true]) results.push(await deleteOrb(world, state, { policy, early }));
    for (const state of ORBISET_STATES) results.push(await deleteOrbiset(world, state, policy));
  }
  const seenTenant = await makeTenant(world, 'gone');
  await seen(seenTenant);
  results.push(await deleteNamespace(seenTenant, 'namespace'));
  results.push(await deleteNamespace(await makeTenant(world, 'gone'), 'namespace, at once'));
  const left = await makeTenant(world, 'left');
  await seen(left);
  const faults = await subject.stop();
  results.push(await deleteNamespace(left, 'namespace, no operator'));
  return [...results, { name: 'process', faults, measured: {} }];
};
