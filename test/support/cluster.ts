import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { ControlPlane } from '../../hack/control-plane/control-plane.ts';
import { kubectlOk, type Kubectl } from '../../hack/control-plane/install.ts';
import type { UserName } from '../../hack/control-plane/users.ts';
import { setTimeout as delay } from 'node:timers/promises';

/** One namespace of a test, seen through kubectl. */
export interface TestNamespace {
  readonly name: string;
  readonly apply: (...objects: readonly object[]) => Promise<void>;
  /** undefined when there is none. @param what `orb/echo` */
  readonly get: (what: string) => Promise<KubeObject | undefined>;
  readonly list: (kind: string) => Promise<readonly KubeObject[]>;
  readonly kubectl: (...args: readonly string[]) => Promise<string>;
  /** The object, once it is as wanted. @throws Error what it was like instead after `ms` */
  readonly until: (what: string, wanted: (object: KubeObject) => boolean, ms?: number) => Promise<KubeObject>;
  readonly untilGone: (what: string, ms?: number) => Promise<void>;
  readonly remove: () => Promise<void>;
}

const POLL_MS = 50;
const WAIT_MS = 30_000;
/** A wait looks so often at least, a short one once in `LOOK_MS`: a machine that stands still takes one look, not all. */
const LOOKS = 10;
const LOOK_MS = 200;

const isObject = (value: unknown): value is KubeObject => isJsonObject(value) && isJsonObject(value['metadata']);

function parseObject(text: string): KubeObject {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new Error(`no object: ${text}`);
  return value;
}

const NOT_FOUND = /NotFound|not found/;

/** Polls until an answer comes; the last look is told of when none does. */
export async function waitFor<T>(look: () => Promise<T | undefined>, ms = WAIT_MS): Promise<T | undefined> {
  const until = performance.now() + ms;
  for (let looks = 1; ; looks += 1) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > until && looks >= Math.min(LOOKS, ms / LOOK_MS)) return undefined;
    await delay(POLL_MS);
  }
}

/** The part of the status that another writer owns, written as that writer does. */
export async function writeStatus(
  plane: ControlPlane,
  object: KubeObject,
  status: JsonObject,
  { as, manager }: { readonly as: UserName; readonly manager: string },
): Promise<void> {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace = '' } = metadata;
  const body = JSON.stringify({ apiVersion, kind, metadata: { name, namespace }, status });
  const args = ['apply', '--server-side', '--subresource=status', `--field-manager=${manager}`, '-f', '-'];
  const { code, stderr } = await plane.kubectl(args, { as, input: body });
  if (code !== 0) throw new Error(stderr);
}

/** Makes a namespace; `remove` deletes it without waiting. */
export async function testNamespace(plane: Kubectl, name: string): Promise<TestNamespace> {
  const kubectl = (...args: readonly string[]): Promise<string> => kubectlOk(plane, ['-n', name, ...args]);
  await kubectlOk(plane, ['create', 'namespace', name]);
  const get = async (what: string): Promise<KubeObject | undefined> => {
    const { code, stdout, stderr } = await plane.kubectl(['-n', name, 'get', what, '-o', 'json']);
    if (code === 0) return parseObject(stdout);
    if (NOT_FOUND.test(stderr)) return undefined;
    throw new Error(stderr);
  };
  const until: TestNamespace['until'] = async (what, wanted, ms) => {
    let last: KubeObject | undefined;
    const found = await waitFor(async () => {
      last = await get(what);
      return last !== undefined && wanted(last) ? last : undefined;
    }, ms);
    if (found === undefined) throw new Error(`${what} is not as wanted: ${JSON.stringify(last?.status, undefined, 1)}`);
    return found;
  };
  return {
    name,
    kubectl,
    get,
    until,
    apply: async (...objects) => {
      const items = objects.map((object) => ({ metadata: {}, ...object }));
      const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
      await kubectlOk(plane, ['-n', name, 'apply', '--server-side', '--force-conflicts', '-f', '-'], list);
    },
    list: async (kind) => {
      const value: unknown = JSON.parse(await kubectl('get', kind, '-o', 'json'));
      const items = isJsonObject(value) && Array.isArray(value['items']) ? value['items'] : [];
      return items.filter(isObject);
    },
    untilGone: async (what, ms) => {
      const gone = await waitFor(async () => ((await get(what)) === undefined ? true : undefined), ms);
      if (gone === undefined) throw new Error(`${what} is still there`);
    },
    remove: async () => {
      await kubectlOk(plane, ['delete', 'namespace', name, '--wait=false', '--ignore-not-found']);
    },
  };
}
