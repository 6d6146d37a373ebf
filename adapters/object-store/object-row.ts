import { isJsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { keyOf } from '../../core/reconcile/kube-object.ts';
import type { StateRow } from '../ledger/tables/state.ts';
import type { Content, Owner } from './content.ts';
import { frozenCopy } from './frozen-copy.ts';
import { recordOf, type Identity, type ObjectRecord } from './record.ts';

/** Kind of the ledger's `state` rows that hold objects. */
export const OBJECT_ROWS = 'object';

/**
 * Kinds that live in memory only. Values of secrets are never written; Events and Leases have no use after a restart.
 */
const MEMORY_KINDS: ReadonlySet<string> = new Set(['Secret', 'Event', 'Lease']);

export const isStored = (kind: string): boolean => !MEMORY_KINDS.has(kind);

/** `Orb acme/echo` */
export const rowKey = (kind: string, ref: { readonly namespace?: string | undefined; readonly name: string }): string =>
  `${kind} ${ref.namespace === undefined ? ref.name : keyOf({ namespace: ref.namespace, name: ref.name })}`;

/** JSON from which `recordOfRow` makes the same record. Owners name their fields by position. */
export function rowOfRecord({ identity, content, generation, resourceVersion }: ObjectRecord): string {
  const positions = new Map([...content.fields.keys()].map((key, position) => [key, position]));
  return JSON.stringify({
    ...identity,
    generation,
    resourceVersion,
    fields: [...content.fields],
    owners: content.owners.map(({ keys, ...writer }) => ({
      ...writer,
      fields: [...keys].map((key) => positions.get(key)),
    })),
  });
}

/** A row that `rowOfRecord` did not write. */
class NotARow extends Error {}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new NotARow();
  return value;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const textIn = (value: JsonValue | undefined): string => required(isText(value) ? value : undefined);
const optionalText = (value: JsonValue | undefined): string | undefined =>
  value === undefined ? undefined : textIn(value);
const wholeIn = (value: JsonValue | undefined): number =>
  required(typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined);
// The built-in guard turns a readonly array into any[].
const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);
const listIn = (value: JsonValue | undefined): readonly JsonValue[] => required(isList(value) ? value : undefined);

function fieldIn(entry: JsonValue): readonly [string, JsonValue] {
  const [key, given] = listIn(entry);
  const value = frozenCopy(given);
  return [required(isText(key) && key.includes('/') ? key : undefined), required(value)];
}

function ownerIn(entry: JsonValue, keys: readonly string[]): Owner {
  const { manager, operation, part, fields } = isJsonObject(entry) ? entry : {};
  if (operation !== 'Apply' && operation !== 'Update') throw new NotARow();
  if (part !== undefined && part !== 'status') throw new NotARow();
  const owned = listIn(fields).map((position) => required(keys[wholeIn(position)]));
  return { manager: textIn(manager), operation, part, keys: new Set(owned) };
}

function contentIn(fields: JsonValue | undefined, owners: JsonValue | undefined): Content {
  const found = new Map(listIn(fields).map(fieldIn));
  const keys = [...found.keys()];
  return { fields: found, owners: listIn(owners).map((entry) => ownerIn(entry, keys)) };
}

function identityIn(row: Readonly<Record<string, JsonValue>>): Identity {
  return {
    apiVersion: textIn(row['apiVersion']),
    kind: textIn(row['kind']),
    namespace: optionalText(row['namespace']),
    name: textIn(row['name']),
    uid: textIn(row['uid']),
    createdMs: wholeIn(row['createdMs']),
  };
}

const VERSION = /^[1-9][0-9]{0,14}$/;

function recordIn(key: string, json: string): ObjectRecord {
  const row: unknown = JSON.parse(json);
  if (!isJsonObject(row)) throw new NotARow();
  const identity = identityIn(row);
  const resourceVersion = textIn(row['resourceVersion']);
  const isOurs = isStored(identity.kind) && rowKey(identity.kind, identity) === key && VERSION.test(resourceVersion);
  if (!isOurs) throw new NotARow();
  const content = contentIn(row['fields'], row['owners']);
  return recordOf({ identity, content, generation: wholeIn(row['generation']), resourceVersion });
}

/** @returns undefined for a row that this store did not write in this form */
export function recordOfRow({ key, json }: StateRow): ObjectRecord | undefined {
  try {
    return recordIn(key, json);
  } catch (error) {
    if (error instanceof NotARow || error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
