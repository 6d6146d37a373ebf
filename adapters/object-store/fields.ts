import { isJsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { jsonEqual } from '../kube/json-equal.ts';
import { frozenCopy } from './frozen-copy.ts';
import { refusal } from './refusal.ts';

/**
 * An object split into the fields that server-side apply owns separately. A key is `CONTAINER/NAME`; the container is a
 * path with dots: `spec/url`, `metadata.labels/app.kubernetes.io/name`, `status.conditions/Ready`. Values are frozen to
 * their depth.
 */
export type Fields = ReadonlyMap<string, JsonValue>;

/** The status alone, or everything else. */
export type Part = 'status' | undefined;

interface Container {
  readonly id: string;
  readonly name: string;
  readonly parent: string;
  /** For a list: the member that identifies its items; '': the item itself. */
  readonly by?: string;
}

/** Each member or item of a container has owners of its own. Containers come after the container that holds them. */
const CONTAINERS: readonly Container[] = [
  { id: 'metadata', parent: '', name: 'metadata' },
  { id: 'metadata.labels', parent: 'metadata', name: 'labels' },
  { id: 'metadata.annotations', parent: 'metadata', name: 'annotations' },
  { id: 'metadata.ownerReferences', parent: 'metadata', name: 'ownerReferences', by: 'uid' },
  { id: 'metadata.finalizers', parent: 'metadata', name: 'finalizers', by: '' },
  { id: 'spec', parent: '', name: 'spec' },
  { id: 'spec.pin', parent: 'spec', name: 'pin' },
  { id: 'status', parent: '', name: 'status' },
  { id: 'status.conditions', parent: 'status', name: 'conditions', by: 'type' },
  { id: 'data', parent: '', name: 'data' },
  { id: 'stringData', parent: '', name: 'stringData' },
];

/** The key of a container as a whole: a plain value may stand there. */
const placeOf = ({ parent, name }: Container): string => `${parent}/${name}`;

const BY_PLACE: ReadonlyMap<string, Container> = new Map(CONTAINERS.map((one) => [placeOf(one), one]));

const SET_BY_THE_STORE = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
];
/** These are not fields: the values that callers send are ignored. */
const NO_FIELDS: ReadonlySet<string> = new Set([
  '/apiVersion',
  '/kind',
  '/unsafeIntegers',
  ...SET_BY_THE_STORE.map((name) => `metadata/${name}`),
]);

const isStatus = (key: string): boolean => /^(?:\/status$|status[./])/.test(key);

/** Whether a change of this field raises the generation. */
export const raisesGeneration = (key: string): boolean => !isStatus(key) && !/^metadata[./]/.test(key);

/** Collects fields; a value that equals the known one is not copied again. */
class Collector {
  readonly found = new Map<string, JsonValue>();
  readonly #known: Fields;

  constructor(known: Fields) {
    this.#known = known;
  }

  /** Adds the member `name` of a container, or the members in it. */
  member(container: string, name: string, value: unknown): void {
    const key = `${container}/${name}`;
    if (NO_FIELDS.has(key)) return;
    const inner = BY_PLACE.get(key);
    if (inner === undefined || !this.#enter(inner, value)) this.#add(key, value);
  }

  #enter({ id, by }: Container, value: unknown): boolean {
    if (by !== undefined) return Array.isArray(value) && this.#items(id, by, value);
    if (!isJsonObject(value)) return false;
    const members = Object.entries(value);
    // An empty pin is malformed and must be reported to its user; other empty containers hold no field.
    if (id === 'spec.pin' && members.length === 0) return false;
    for (const [name, member] of members) this.member(id, name, member);
    return true;
  }

  #items(container: string, by: string, items: readonly unknown[]): true {
    for (const item of items) {
      const name = by === '' ? item : isJsonObject(item) ? item[by] : undefined;
      if (typeof name !== 'string') throw refusal(422, 'Invalid');
      this.#add(`${container}/${name}`, item);
    }
    return true;
  }

  #add(key: string, value: unknown): void {
    const known = this.#known.get(key);
    const kept = known !== undefined && jsonEqual(known, value) ? known : frozenCopy(value);
    if (kept !== undefined) this.found.set(key, kept);
  }
}

const NOTHING: Fields = new Map();

/**
 * @param known fields of the object as it is stored: equal values are taken from there
 * @throws KubeError 422 an item of a list without the member that identifies it
 */
export function fieldsOf(object: object, part: Part, known = NOTHING): Fields {
  const collector = new Collector(known);
  for (const [name, member] of Object.entries(object)) {
    if ((name === 'status') === (part === 'status')) collector.member('', name, member);
  }
  return collector.found;
}

/** The fields outside `part`. */
export const fieldsOutside = (fields: Fields, part: Part): Fields =>
  new Map([...fields].filter(([key]) => isStatus(key) !== (part === 'status')));

/**
 * Keys of `fields` that can't stay beside `wanted`: a value in the place of a container, or fields below such a value.
 * Example: `/spec` and `spec/url`.
 */
export function incompatibleKeys(wanted: Fields, fields: Fields): readonly string[] {
  return CONTAINERS.flatMap((container) => {
    const place = placeOf(container);
    const isBelow = (key: string): boolean => key.startsWith(`${container.id}/`) || key.startsWith(`${container.id}.`);
    if (wanted.has(place)) return [...fields.keys()].filter(isBelow);
    return fields.has(place) && [...wanted.keys()].some(isBelow) ? [place] : [];
  });
}

/** Whether a field has the same value in both; also true when it is absent in both. */
export function isSameField(one: Fields, other: Fields, key: string): boolean {
  const [value, its] = [one.get(key), other.get(key)];
  return value === its || (value !== undefined && its !== undefined && jsonEqual(value, its));
}

/** Keys of fields that were added, removed or changed. */
export function changedKeys(before: Fields, after: Fields): readonly string[] {
  if (before === after) return [];
  const gone = [...before.keys()].filter((key) => !after.has(key));
  return [...gone, ...[...after.keys()].filter((key) => !isSameField(before, after, key))];
}

type Members = Map<string, JsonValue>;

/** Names and values by container. */
function grouped(fields: Fields): ReadonlyMap<string, Members> {
  const groups = new Map<string, Members>();
  for (const [key, value] of fields) {
    const slash = key.indexOf('/');
    const container = key.slice(0, slash);
    const members = groups.get(container) ?? new Map<string, JsonValue>();
    groups.set(container, members.set(key.slice(slash + 1), value));
  }
  return groups;
}

/** Builds the object again, frozen below its first level; items of a list keep the order in which they came. */
export function objectOf(fields: Fields): Readonly<Record<string, JsonValue>> {
  const groups = new Map(grouped(fields));
  for (const { id, parent, name, by } of CONTAINERS.toReversed()) {
    const members = groups.get(id);
    if (members === undefined) continue;
    const value = Object.freeze(by === undefined ? Object.fromEntries(members) : [...members.values()]);
    const outer = groups.get(parent) ?? new Map<string, JsonValue>();
    groups.set(parent, outer.set(name, value));
  }
  return Object.fromEntries(groups.get('') ?? []);
}
