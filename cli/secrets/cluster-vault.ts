import { sha256 } from '../../adapters/keys/primitives.ts';
import { KINDS } from '../../adapters/kube/kinds.ts';
import { KubeError } from '../../adapters/kube/port.ts';
import { encodeUtf8 } from '../../core/json/bytes.ts';
import { encodeHex } from '../../core/json/hex.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { member, objectAt } from '../../core/json/members.ts';
import type { KubeObject, ObjectRef } from '../../core/reconcile/kube-object.ts';
import { shellWord } from '../../core/shell/shell-word.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import { kubectlOf } from '../cluster/kubectl-line.ts';
import { namespaceOf } from '../cluster/names.ts';
import type { ClusterPlace } from '../cluster/place.ts';
import { announceCluster } from '../cluster/announce-cluster.ts';
import type { Cluster } from '../io/cluster.ts';
import type { Io } from '../io/io.ts';
import { jsonText, textAt } from '../io/output.ts';
import { invalid } from '../io/failure.ts';
import type { PatchOperation } from './plan-binding.ts';

/** One key of a Secret. */
interface SecretKey {
  readonly ref: Required<ObjectRef>;
  readonly key: string;
}

const OTHER = '--secret NAME writes into another Secret, which the Orbiset then has to bind';

function conflict({ managers }: KubeError, { ref, key }: SecretKey): Error {
  const owners = managers.length === 0 ? 'somebody else' : managers.join(', ');
  return invalid(
    `${key} of the Secret ${ref.namespace}/${ref.name} was written by ${owners}; nothing was changed`,
    '--force replaces its value; its owner may write the old value again',
    OTHER,
  );
}

function refusedObject({ causes }: KubeError, { ref, key }: SecretKey): Error {
  const { namespace, name } = ref;
  if (causes.includes('FieldValueForbidden'))
    return invalid(
      `the Secret ${namespace}/${name} is immutable; nothing was changed`,
      OTHER,
      `or delete it, which takes its other values away too: kubectl delete secret ${name} -n ${namespace}`,
    );
  if (causes.includes('FieldValueTooLong'))
    return invalid(
      `with ${key} the Secret ${namespace}/${name} would hold more than 1 MiB; nothing was changed`,
      OTHER,
    );
  return invalid(
    `the Kubernetes API refuses ${key} in the Secret ${namespace}/${name} (422 Invalid); nothing was changed`,
    `kubectl describe secret ${name} -n ${namespace}    shows its type: some types take only certain keys`,
    OTHER,
  );
}

/** The API server's refusal of a write of one key, with what to do about it; other errors are returned as they are. */
function secretRefusal(error: unknown, written: SecretKey): unknown {
  if (!(error instanceof KubeError)) return error;
  if (error.causes.includes('FieldManagerConflict')) return conflict(error, written);
  return error.status === 422 ? refusedObject(error, written) : error;
}

/** The vault of an Orbiset on a cluster. */
export interface ClusterVault {
  readonly cluster: Cluster;
  readonly orbiset: Required<ObjectRef>;
  /** kubectl with flags that name the same cluster. */
  readonly kubectl: string;
}

const MANAGER = 'orb-cli';
const MAX_MANAGER = 128;
const TRIES = 5;

/** The vault that the flags name; without -n in the namespace of the context. Prints which cluster that is. */
export async function clusterVault(place: ClusterPlace, args: Args, io: Io): Promise<ClusterVault> {
  const cluster = await io.openCluster(place.selection);
  announceCluster(cluster, place, io);
  const namespace = namespaceOf(args.one('namespace') ?? cluster.namespace, '--namespace');
  const name = namespaceOf(args.one('orbiset') ?? 'default', '--orbiset');
  return { cluster, orbiset: { namespace, name }, kubectl: kubectlOf(place.selection, cluster) };
}

/** An object as JSON. */
export const jsonOf = (object: KubeObject): JsonObject => {
  const value: unknown = object;
  return isJsonObject(value) ? value : {};
};

/** @returns undefined when it does not exist */
export async function readOrbiset({ cluster, orbiset }: ClusterVault, io: Io): Promise<JsonObject | undefined> {
  const found = await cluster.client.get(KINDS.orbiset, orbiset, io.signal);
  return found === undefined ? undefined : jsonOf(found);
}

/** Each key has its own field manager: otherwise applying a key would remove keys that were applied before. */
function managerOf(key: string): string {
  const whole = `${MANAGER}.${key}`;
  if (whole.length <= MAX_MANAGER) return whole;
  return `${MANAGER}.${encodeHex(sha256(encodeUtf8(key)))}`;
}

/**
 * Writes one key of a Secret, which is created when it does not exist; its other keys stay.
 * @param written `force`: replace a value that another manager wrote
 * @throws Failure another manager owns the key, or the Secret does not accept the change
 */
export async function writeSecretKey(
  { cluster, orbiset }: ClusterVault,
  { secret, key }: { readonly secret: string; readonly key: string },
  written: { readonly value: Uint8Array; readonly force: boolean },
  io: Io,
): Promise<void> {
  const { namespace } = orbiset;
  const object = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secret, namespace },
    data: { [key]: Buffer.from(written.value).toString('base64') },
  };
  const by = { fieldManager: managerOf(key), force: written.force };
  await cluster.client.apply(KINDS.secret, object, by, io.signal).catch((error: unknown) => {
    throw secretRefusal(error, { ref: { namespace, name: secret }, key });
  });
}

/** Removes one key of a Secret, and the Secret with its last key. @returns false when there is no such key */
export async function removeSecretKey(
  { cluster, orbiset }: ClusterVault,
  { secret, key }: { readonly secret: string; readonly key: string },
  io: Io,
): Promise<boolean> {
  const ref = { namespace: orbiset.namespace, name: secret };
  const found = await cluster.client.get(KINDS.secret, ref, io.signal);
  const data = found === undefined ? {} : objectAt(jsonOf(found), 'data');
  if (found === undefined || !Object.hasOwn(data, key)) return false;
  const { uid = '', resourceVersion } = found.metadata;
  if (Object.keys(data).length === 1) {
    const still = { uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
    await cluster.client.delete(KINDS.secret, ref, still, io.signal);
    return true;
  }
  const body = [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'remove', path: `/data/${key}` },
  ];
  const patch = { type: 'json', body, fieldManager: MANAGER } as const;
  await cluster.client.patch(KINDS.secret, ref, patch, io.signal).catch((error: unknown) => {
    throw secretRefusal(error, { ref, key });
  });
  return true;
}

/** The command line that changes the Orbiset, for people to paste. */
export function patchLine({ orbiset, kubectl }: ClusterVault, operations: readonly PatchOperation[]): string {
  const patch = jsonText(
    operations.map((operation) => ({ ...operation })),
    0,
  );
  return `${kubectl} patch orbiset ${orbiset.name} -n ${orbiset.namespace} --type json -p ${shellWord(patch)}`;
}

/** The command line that creates an Orbiset which binds one Secret. */
export function createLine({ orbiset, kubectl }: ClusterVault, vault: JsonObject): string {
  const manifest = {
    apiVersion: 'orbs.dev/v1alpha1',
    kind: 'Orbiset',
    metadata: { ...orbiset },
    spec: { vault },
  };
  return `echo ${shellWord(jsonText(manifest, 0))} | ${kubectl} apply --server-side -f -`;
}

const isStale = (error: unknown): boolean =>
  error instanceof KubeError && (error.status === 409 || error.status === 422);

/**
 * Patches the Orbiset with the operations that `plan` returns for its newest version. When another client changes the
 * Orbiset in between, it reads and plans again.
 * @returns the operations that were applied; empty when nothing was to do
 */
export async function patchOrbiset(
  vault: ClusterVault,
  plan: (orbiset: JsonObject) => readonly PatchOperation[],
  io: Io,
): Promise<readonly PatchOperation[]> {
  for (let tries = 1; ; tries += 1) {
    const orbiset = (await readOrbiset(vault, io)) ?? {};
    const operations = plan(orbiset);
    if (operations.length === 0) return [];
    const version = member(objectAt(orbiset, 'metadata'), 'resourceVersion') ?? '';
    const body = [{ op: 'test', path: '/metadata/resourceVersion', value: version }, ...operations];
    try {
      await vault.cluster.client.patch(
        KINDS.orbiset,
        vault.orbiset,
        { type: 'json', body, fieldManager: MANAGER },
        io.signal,
      );
      return operations;
    } catch (error) {
      if (!isStale(error) || tries === TRIES) throw error;
    }
  }
}

/** For people: `acme/support`. */
export const vaultName = ({ orbiset }: ClusterVault): string => `${orbiset.namespace}/${orbiset.name}`;

/** Whether a member of an object's metadata is set. */
export const metaOf = (object: JsonObject, name: string): string => textAt(objectAt(object, 'metadata'), name);
