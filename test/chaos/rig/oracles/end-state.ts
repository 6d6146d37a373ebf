import { metadataOf, textOf } from '../json.ts';
import { isRecord } from '../../../../hack/control-plane/json.ts';

/** Objects at one moment: `kind ns/name` → the compared value. */
export type Snapshot = ReadonlyMap<string, unknown>;

// `epoch` depends on which leader wrote, and after a fault another process may lead.
const DROPPED = new Set(['uid', 'resourceVersion', 'managedFields', 'selfLink', 'epoch']);
/** JSON text with many times: only its presence is compared. */
const isEvidence = (name: string, value: unknown): boolean => name === 'evidence' && typeof value === 'string';
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
const RECEIPT_ID = /^rcpt_[0-9a-f-]{36}$/;

/** Numbers receipt ids in the order in which they occur. */
class Ids {
  readonly #seen = new Map<string, string>();

  of(id: string): string {
    const known = this.#seen.get(id) ?? `receipt ${this.#seen.size + 1}`;
    this.#seen.set(id, known);
    return known;
  }
}

function normalText(text: string, ids: Ids): string {
  if (TIME.test(text)) return '<time>';
  return RECEIPT_ID.test(text) ? ids.of(text) : text;
}

/** Removes members that depend on the object, the moment or the leader; times keep their place, but not their value. */
function normal(value: unknown, ids: Ids): unknown {
  if (typeof value === 'string') return normalText(value, ids);
  if (Array.isArray(value)) return value.map((item) => normal(item, ids));
  if (!isRecord(value)) return value;
  const kept = Object.entries(value)
    .filter(([name]) => !DROPPED.has(name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(
    kept.map(([name, member]) => [name, isEvidence(name, member) ? '<evidence>' : normal(member, ids)]),
  );
}

/** @param objects of any kinds, as the API server returns them */
export function takeSnapshot(objects: readonly unknown[]): Snapshot {
  const ids = new Ids();
  const named = objects.map((object) => {
    const { namespace, name } = metadataOf(object);
    const kind = isRecord(object) ? (textOf(object['kind']) ?? '') : '';
    return [`${kind} ${textOf(namespace) ?? ''}/${textOf(name) ?? ''}`, object] as const;
  });
  const sorted = named.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return new Map(sorted.map(([key, object]) => [key, normal(object, ids)]));
}

const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 200));

function differences(expected: unknown, found: unknown, place: string): readonly string[] {
  if (Object.is(expected, found)) return [];
  const both = Array.isArray(expected) === Array.isArray(found);
  if (both && (isRecord(expected) || Array.isArray(expected)) && (isRecord(found) || Array.isArray(found))) {
    const one = new Map<string, unknown>(Object.entries(expected));
    const other = new Map<string, unknown>(Object.entries(found));
    return [...new Set([...one.keys(), ...other.keys()])].flatMap((name) =>
      differences(one.get(name), other.get(name), `${place}/${name}`),
    );
  }
  return [`${place}: ${shown(expected)} without the fault, ${shown(found)} with it`];
}

/** Oracle a (reliability.md §3): each difference to the run without a fault, by object and JSON Pointer. */
export function compareEndState(reference: Snapshot, found: Snapshot): readonly string[] {
  const keys = [...new Set([...reference.keys(), ...found.keys()])];
  return keys.flatMap((key) => {
    if (!found.has(key)) return [`${key} is missing`];
    if (!reference.has(key)) return [`${key} is left over`];
    return differences(reference.get(key), found.get(key), `${key} `);
  });
}
