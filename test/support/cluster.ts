import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { ControlPlane } from '../../hack/control-plane/control-plane.ts';
import { kubectlOk, type Kubectl } from '../../hack/control-plane/install.ts';
import type { UserName } from '../../hack/control-plane/users.ts';
import { createAdminApi } from '../chaos/rig/admin-api.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from './wait-for.ts';

/** One namespace of a test: changed through kubectl, and read as kubectl would print it. */
export interface TestNamespace {
  readonly name: string;
  readonly apply: (...objects: readonly object[]) => Promise<void>;
  /** undefined when it does not exist. @param what `orb/echo` */
  readonly get: (what: string) => Promise<KubeObject | undefined>;
  readonly list: (kind: string) => Promise<readonly KubeObject[]>;
  readonly kubectl: (...args: readonly string[]) => Promise<string>;
  /** The object, a moment after it is as wanted. @throws Error what it was like instead after `ms` */
  readonly until: (what: string, wanted: (object: KubeObject) => boolean, ms?: number) => Promise<KubeObject>;
  readonly untilGone: (what: string, ms?: number) => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** Several controllers write one status: what a test sees is the object after the last of them. */
const SETTLE_MS = 150;

export const isKubeObject = (value: unknown): value is KubeObject =>
  isJsonObject(value) && isJsonObject(value['metadata']);

function parseObject(text: string): KubeObject {
  const value: unknown = JSON.parse(text);
  if (!isKubeObject(value)) throw new Error(`no object: ${text}`);
  return value;
}

const NOT_FOUND = /NotFound|not found/;

/** Writes the part of the status that another writer owns, as that writer does. */
export async function writeStatus(
  plane: ControlPlane,
  object: KubeObject,
  status: JsonObject,
  { as, manager }: { readonly as: UserName; readonly manager: string },
): Promise<void> {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace = '' } = metadata;
  const body = JSON.stringify({ apiVersion, kind, metadata: { name, namespace }, status });
  const flags = ['--server-side', '--force-conflicts', '--subresource=status', `--field-manager=${manager}`];
  const args = ['apply', ...flags, '-f', '-'];
  const { code, stderr } = await plane.kubectl(args, { as, input: body });
  if (code !== 0) throw new Error(stderr);
}

/** Reads objects of one namespace. */
interface Reader {
  readonly get: (what: string) => Promise<KubeObject | undefined>;
  readonly list: (kind: string) => Promise<readonly KubeObject[]>;
  readonly close: () => void;
}

function kubectlReader(plane: Kubectl, name: string): Reader {
  const get: Reader['get'] = async (what) => {
    const { code, stdout, stderr } = await plane.kubectl(['-n', name, 'get', what, '-o', 'json']);
    if (code === 0) return parseObject(stdout);
    if (NOT_FOUND.test(stderr)) return undefined;
    throw new Error(stderr);
  };
  const list: Reader['list'] = async (kind) => {
    const value: unknown = JSON.parse(await kubectlOk(plane, ['-n', name, 'get', kind, '-o', 'json']));
    const items = isJsonObject(value) && Array.isArray(value['items']) ? value['items'] : [];
    return items.filter(isKubeObject);
  };
  return { get, list, close: () => undefined };
}

const OURS = 'apis/orbs.dev/v1alpha1';
/** Paths of the objects that tests wait for; everything else is read through kubectl. */
const COLLECTIONS: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['orb', [OURS, 'orbs']],
  ['orbs', [OURS, 'orbs']],
  ['orbs.orbs.dev', [OURS, 'orbs']],
  ['orbiset', [OURS, 'orbisets']],
  ['orbpublication', [OURS, 'orbpublications']],
  ['events.events.k8s.io', ['apis/events.k8s.io/v1', 'events']],
]);

/** As kubectl prints it. */
function shown(value: unknown): KubeObject {
  if (!isKubeObject(value)) throw new Error(`no object: ${JSON.stringify(value)}`);
  const members = Object.entries(value.metadata).filter(([member]) => member !== 'managedFields');
  return parseObject(JSON.stringify({ ...value, metadata: Object.fromEntries(members) }));
}

/** Reads twice if needed: a restarted server has closed the kept connection. */
const twice = <T>(read: () => Promise<T>): Promise<T> => read().catch(read);

/**
 * Reads from the API server directly. A wait polls every 50 ms; kubectl would take 60 ms of CPU each time, half a core
 * while idle, and this takes 1 ms.
 */
function directReader({ server, ca, users, kubectl }: ControlPlane, name: string): Reader {
  const api = createAdminApi(server.url, ca, users.admin.token);
  const other = kubectlReader({ kubectl }, name);
  const pathOf = (kind: string): string | undefined => {
    const [group, plural] = COLLECTIONS.get(kind) ?? [];
    return group === undefined ? undefined : `/${group}/namespaces/${name}/${plural}`;
  };
  const get: Reader['get'] = async (what) => {
    const [kind = '', object = ''] = what.split('/');
    const path = object === '' ? undefined : pathOf(kind);
    if (path === undefined) return other.get(what);
    const { status, text, body } = await twice(() => api.call('GET', `${path}/${object}`));
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(text);
    return shown(body);
  };
  const list: Reader['list'] = async (kind) => {
    const path = pathOf(kind);
    return path === undefined ? other.list(kind) : (await twice(() => api.list(path))).map(shown);
  };
  return { get, list, close: api.close };
}

/** Makes a namespace; `remove` deletes it without waiting. */
export async function testNamespace(plane: Kubectl | ControlPlane, name: string): Promise<TestNamespace> {
  const kubectl = (...args: readonly string[]): Promise<string> => kubectlOk(plane, ['-n', name, ...args]);
  await kubectlOk(plane, ['create', 'namespace', name]);
  const { get, list, close } = 'server' in plane ? directReader(plane, name) : kubectlReader(plane, name);
  const until: TestNamespace['until'] = async (what, wanted, ms) => {
    let last: KubeObject | undefined;
    const found = await waitFor(async () => {
      last = await get(what);
      return last !== undefined && wanted(last) ? last : undefined;
    }, ms);
    if (found === undefined) throw new Error(`${what} is not as wanted: ${JSON.stringify(last?.status, undefined, 1)}`);
    await delay(SETTLE_MS);
    const later = await get(what).catch(() => undefined);
    return later !== undefined && wanted(later) ? later : found;
  };
  return {
    name,
    kubectl,
    get,
    until,
    apply: async (...objects) => {
      const items = objects.map((object) => ({ metadata: {}, ...object }));
      const documents = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
      await kubectlOk(plane, ['-n', name, 'apply', '--server-side', '--force-conflicts', '-f', '-'], documents);
    },
    list,
    untilGone: async (what, ms) => {
      const gone = await waitFor(async () => ((await get(what)) === undefined ? true : undefined), ms);
      if (gone === undefined) throw new Error(`${what} is still there`);
    },
    remove: async () => {
      close();
      await kubectlOk(plane, ['delete', 'namespace', name, '--wait=false', '--ignore-not-found']);
    },
  };
}
