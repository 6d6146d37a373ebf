import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '../../../core/json/json-value.ts';
import type { KubeObject, ObjectMeta } from '../../../core/reconcile/kube-object.ts';
import { fieldsOf, objectOf, type Fields } from './fake-fields.ts';

/** One stored object and who owns its fields. Immutable: a write makes another one. */
export interface FakeRecord {
  readonly apiVersion: string;
  readonly kind: string;
  readonly meta: ObjectMeta;
  readonly fields: Fields;
  /** Field managers, `NAME` or `NAME status`, and the fields that they applied. */
  readonly owners: ReadonlyMap<string, ReadonlySet<string>>;
}

type Sub = 'status' | undefined;

/** A deep copy: what the fake holds and what a caller holds must be two things, as over a wire. */
const copy = <T>(value: T): T => structuredClone(value);

export function shown({ apiVersion, kind, meta, fields }: FakeRecord): KubeObject {
  const { metadata, ...members } = objectOf(fields);
  return copy({ apiVersion, kind, metadata: { ...(isJsonObject(metadata) ? metadata : {}), ...meta }, ...members });
}

/** What moves the generation. */
const specOf = (fields: Fields): Fields =>
  new Map([...fields].filter(([key]) => !key.startsWith('["status"') && !key.startsWith('["metadata"')));

/** The record with other fields; its resourceVersion and generation move only when something changed. */
function changed(record: FakeRecord, fields: Fields, nextVersion: () => string): FakeRecord {
  if (isDeepStrictEqual(new Map(record.fields), new Map(fields))) return record;
  const moved = isDeepStrictEqual(specOf(record.fields), specOf(fields)) ? 0 : 1;
  const meta = {
    ...record.meta,
    generation: (record.meta.generation ?? 0) + moved,
    resourceVersion: nextVersion(),
  };
  return { ...record, fields, meta };
}

/** Who applies. */
export interface AppliedBy {
  readonly fieldManager: string;
  readonly subresource?: 'status';
}

const managerOf = ({ fieldManager, subresource }: AppliedBy): string =>
  subresource === undefined ? fieldManager : `${fieldManager} ${subresource}`;

/** Managers whose values an apply would change; what nobody applied is `somebody`'s, as what a PUT wrote. */
export function conflicting(record: FakeRecord, object: object, by: AppliedBy): readonly string[] {
  const changedKeys = [...fieldsOf(copy(object), by.subresource)].flatMap(([key, value]) =>
    record.fields.has(key) && !isDeepStrictEqual(record.fields.get(key), value) ? [key] : [],
  );
  const found = changedKeys.flatMap((key) => {
    const owners = [...record.owners].flatMap(([name, keys]) => (keys.has(key) ? [name] : []));
    return owners.length === 0 ? ['somebody'] : owners.filter((name) => name !== managerOf(by));
  });
  return [...new Set(found)];
}

/** Server-side apply with force, simple enough to be right: fields are owned one by one (see fake-fields.ts). */
export function applied(record: FakeRecord, object: object, by: AppliedBy, nextVersion: () => string): FakeRecord {
  const manager = managerOf(by);
  const wanted = fieldsOf(copy(object), by.subresource);
  const fields = new Map(record.fields);
  const owners = new Map([...record.owners].map(([name, keys]) => [name, new Set(keys)]));
  const others = [...owners].filter(([name]) => name !== manager).map(([, keys]) => keys);
  for (const key of owners.get(manager) ?? []) {
    if (!wanted.has(key) && !others.some((keys) => keys.has(key))) fields.delete(key);
  }
  for (const [key, value] of wanted) {
    if (!isDeepStrictEqual(fields.get(key), value)) for (const keys of others) keys.delete(key);
    fields.set(key, value);
  }
  owners.set(manager, new Set(wanted.keys()));
  return { ...changed(record, fields, nextVersion), owners };
}

/** PUT and PATCH: the part of the subresource is replaced as a whole. */
export function replaced(record: FakeRecord, object: object, sub: Sub, nextVersion: () => string): FakeRecord {
  const kept = fieldsOf(shown(record), sub === undefined ? 'status' : undefined);
  return changed(record, new Map([...kept, ...fieldsOf(copy(object), sub)]), nextVersion);
}

/** RFC 7396. */
export function merged(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const result: Record<string, unknown> = isJsonObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}
