import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { isFormerManager } from '../../core/reconcile/former-managers.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { OWN_GROUP } from '../kube/kinds.ts';
import { unsafeIntegersOf } from '../kube/kube-json.ts';
import { changedKeys, raisesGeneration, objectOf } from './fields.ts';
import type { Content, Owner } from './content.ts';

/** The parts of an object that never change after its creation. */
export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string;
  /** Ms since epoch. */
  readonly createdMs: number;
}

/** One stored object. Immutable. */
export interface ObjectRecord {
  readonly identity: Identity;
  readonly content: Content;
  readonly generation: number;
  readonly resourceVersion: string;
  /** The object that readers get: frozen to its depth and shared by all of them. */
  readonly object: KubeObject;
}

const PIN = 'spec.pin/';
const SPEC = /^spec[/.]/;

/** The members of `spec.pin` that an owner owns, as the API server writes them in managedFields. */
function pinFieldsOf({ keys }: Owner): JsonObject | undefined {
  const pin = [...keys].filter((key) => key.startsWith(PIN) || key === 'spec/pin');
  if (pin.length === 0) return undefined;
  return Object.fromEntries(pin.filter((key) => key.startsWith(PIN)).map((key) => [`f:${key.slice(PIN.length)}`, {}]));
}

/** The part of a spec that an owner owns, as far as it is read. */
function specFieldsOf(kind: string, owner: Owner): JsonObject | undefined {
  const pin = pinFieldsOf(owner);
  if (pin !== undefined) return { 'f:pin': pin };
  const isWriter = kind === 'OrbPolicy' && owner.part === undefined && [...owner.keys].some((key) => SPEC.test(key));
  return isWriter ? {} : undefined;
}

/**
 * Entries for managers that own a part of `spec.pin`, for former managers of a status, and for the writers of policies:
 * no other part of managedFields is ever read (operator.md A5).
 */
function managedFieldsOf({ apiVersion, kind }: KubeObject, { owners }: Content): readonly JsonObject[] {
  return owners.flatMap((owner): readonly JsonObject[] => {
    const { manager, operation, part } = owner;
    const former = { manager, operation, subresource: part ?? '' };
    if (isFormerManager(former)) return [former];
    const spec = specFieldsOf(kind, owner);
    if (spec === undefined) return [];
    return [{ manager, operation, apiVersion, fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': spec } }];
  });
}

const NO_SPEC = Object.freeze({});

/**
 * RFC 3339. An API server rounds to seconds. This store keeps milliseconds, to tell the older of two objects of the
 * same second.
 */
const timestamp = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

function holdsLargeInteger(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsLargeInteger);
}

/** The object of a record, without derived members: patches apply to it. */
export function plainObject(record: Omit<ObjectRecord, 'object'>): KubeObject {
  const { apiVersion, kind, namespace, name, uid, createdMs } = record.identity;
  const { metadata, ...members } = objectOf(record.content.fields);
  const own = {
    ...(isJsonObject(metadata) ? metadata : {}),
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid,
    generation: record.generation,
    creationTimestamp: timestamp(createdMs),
    resourceVersion: record.resourceVersion,
  };
  // An empty container has no fields. Without this, an object of ours with an empty spec would be malformed.
  const spec = apiVersion.startsWith(`${OWN_GROUP}/`) && members['spec'] === undefined ? { spec: NO_SPEC } : {};
  return { apiVersion, kind, metadata: own, ...spec, ...members };
}

/** Builds the object that readers get. */
export function recordOf(record: Omit<ObjectRecord, 'object'>): ObjectRecord {
  const plain = plainObject(record);
  const managedFields = managedFieldsOf(plain, record.content);
  const unsafeIntegers = holdsLargeInteger(plain) ? unsafeIntegersOf(plain) : [];
  const object: KubeObject = Object.freeze({
    ...plain,
    metadata: Object.freeze({ ...plain.metadata, ...(managedFields.length > 0 ? { managedFields } : {}) }),
    ...(unsafeIntegers.length > 0 ? { unsafeIntegers } : {}),
  });
  return { ...record, object };
}

/**
 * The record with another content; with unchanged content it is the same record.
 * @param nextVersion called only for a change
 */
export function changedRecord(
  { identity, known }: { readonly identity: Identity; readonly known: ObjectRecord | undefined },
  content: Content,
  nextVersion: () => string,
): ObjectRecord {
  if (known === undefined) return recordOf({ identity, content, generation: 1, resourceVersion: nextVersion() });
  if (content === known.content) return known;
  const moved = changedKeys(known.content.fields, content.fields).some(raisesGeneration) ? 1 : 0;
  return recordOf({ identity, content, generation: known.generation + moved, resourceVersion: nextVersion() });
}
