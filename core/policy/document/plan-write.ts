import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.ts';
import { jcs } from '../../json/jcs.ts';
import { fileOf } from '../../files/file-object.ts';
import type { KubeObject } from '../../reconcile/kube-object.ts';
import { specOf } from '../../reconcile/read-object.ts';

/** Field manager of policies that are written over HTTP. */
export const POLICY_MANAGER = 'orb-api';

/** What a policy is to be. */
export interface WantedPolicy {
  readonly spec: JsonObject;
  /** Undefined: those that HTTP wrote stay. */
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly annotations: Readonly<Record<string, string>> | undefined;
}

/** Somebody else keeps the policy as it is: the change has to be made there. */
export interface ManagedElsewhere {
  readonly kind: 'managed-elsewhere';
  /** A field manager, or `file:NAME` of `--resources`. */
  readonly manager: string;
  /** JSON Merge Patch of the object to make there; null: delete it there. */
  readonly patch: JsonObject | null;
}

export type PolicyWrite =
  | {
      readonly kind: 'apply';
      /** Fields that `orb-api` owns from then on. */
      readonly spec: JsonObject;
      readonly metadata: JsonObject;
      /** The change of the object as JSON Merge Patch. */
      readonly patch: JsonObject;
    }
  | ManagedElsewhere;

type Owned = (path: 'f:spec' | 'f:labels' | 'f:annotations', name: string) => readonly string[];

/** Names below a part of the fields of one manager. */
function fieldsAt(fieldsV1: JsonValue | undefined, path: Parameters<Owned>[0]): JsonObject {
  const root = isJsonObject(fieldsV1) ? fieldsV1 : {};
  const metadata = root['f:metadata'];
  const found = path === 'f:spec' ? root[path] : isJsonObject(metadata) ? metadata[path] : undefined;
  return isJsonObject(found) ? found : {};
}

interface Entry {
  readonly manager: string;
  readonly fieldsV1: JsonValue | undefined;
}

/** What each field manager owns, writers of a status left out. */
const entriesOf = ({ metadata }: KubeObject): readonly Entry[] =>
  (metadata.managedFields ?? []).flatMap((entry): readonly Entry[] => {
    if (!isJsonObject(entry)) return [];
    const { manager, subresource, fieldsV1 } = entry;
    return typeof manager === 'string' && (subresource === undefined || subresource === '')
      ? [{ manager, fieldsV1 }]
      : [];
  });

function ownersOf(object: KubeObject): Owned {
  const entries = entriesOf(object);
  return (path, name) =>
    entries
      .filter(({ fieldsV1 }) => Object.hasOwn(fieldsAt(fieldsV1, path), `f:${name}`))
      .map(({ manager }) => manager);
}

const isSame = (one: JsonValue | undefined, other: JsonValue | undefined): boolean =>
  one === undefined || other === undefined ? one === other : jcs(one) === jcs(other);

const isSpecWriter = ({ fieldsV1 }: Entry): boolean => isJsonObject(fieldsV1) && Object.hasOwn(fieldsV1, 'f:spec');

/** Who keeps the whole policy; undefined: nobody but `orb-api` writes its spec. */
export function managerElsewhere(object: KubeObject): string | undefined {
  const file = fileOf(object);
  if (file !== undefined) return `file:${file}`;
  return entriesOf(object).find((entry) => entry.manager !== POLICY_MANAGER && isSpecWriter(entry))?.manager;
}

interface Change {
  readonly name: string;
  /** Undefined: the member goes. */
  readonly value: JsonValue | undefined;
}

const patchOf = (changes: readonly Change[]): JsonObject => ({
  spec: Object.fromEntries(changes.map(({ name, value }) => [name, value ?? null])),
});

const specIn = (object: KubeObject): JsonObject => {
  const spec: unknown = specOf(object);
  return isJsonObject(spec) ? spec : {};
};

function changesOf(before: JsonObject, wanted: JsonObject): readonly Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(wanted)])];
  return names.filter((name) => !isSame(before[name], wanted[name])).map((name) => ({ name, value: wanted[name] }));
}

/** The one who keeps a field that would change. */
function keeperOf(object: KubeObject, owned: Owned, changes: readonly Change[]): string | undefined {
  const file = fileOf(object);
  if (file !== undefined && changes.length > 0) return `file:${file}`;
  return changes.flatMap(({ name }) => owned('f:spec', name)).find((manager) => manager !== POLICY_MANAGER);
}

/** Fields without an owner, and those of `orb-api`: an apply must name them all, or they would go. */
const isOurs = (owners: readonly string[]): boolean => owners.length === 0 || owners.includes(POLICY_MANAGER);

function namesOf(
  wanted: Readonly<Record<string, string>> | undefined,
  there: Readonly<Record<string, string>> | undefined,
  owners: (name: string) => readonly string[],
): JsonObject {
  const kept = Object.entries(there ?? {}).filter(([name]) => isOurs(owners(name)));
  return { ...(wanted ?? Object.fromEntries(kept)) };
}

/** An API server makes a null of an object whose last field an apply takes away, and refuses that: one default stays. */
const neverEmpty = (spec: JsonObject): JsonObject => (Object.keys(spec).length === 0 ? { engine: 'cel' } : spec);

/**
 * How a policy becomes another one by server-side apply without force: only fields that change, and those that are ours,
 * are named, so that fields of other managers stay theirs.
 */
export function planPolicyWrite(object: KubeObject, { spec: asked, ...wanted }: WantedPolicy): PolicyWrite {
  const owned = ownersOf(object);
  const changes = changesOf(specIn(object), asked);
  const keeper = keeperOf(object, owned, changes);
  if (keeper !== undefined) return { kind: 'managed-elsewhere', manager: keeper, patch: patchOf(changes) };
  const changed = new Set(changes.map(({ name }) => name));
  const spec = Object.entries(neverEmpty(asked)).filter(([name]) => changed.has(name) || isOurs(owned('f:spec', name)));
  const { labels, annotations } = object.metadata;
  return {
    kind: 'apply',
    spec: Object.fromEntries(spec),
    patch: patchOf(changes),
    metadata: {
      labels: namesOf(wanted.labels, labels, (name) => owned('f:labels', name)),
      annotations: namesOf(wanted.annotations, annotations, (name) => owned('f:annotations', name)),
    },
  };
}
