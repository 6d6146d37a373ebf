import { isJsonObject, type JsonValue } from '../../core/json/json-value.ts';
import type { AppliedObject, KubeClient, PatchOptions, Preconditions } from '../kube/port.ts';
import { applied, conflictingManagers, EMPTY_CONTENT, replaced, type Writer } from './content.ts';
import { frozenCopy } from './frozen-copy.ts';
import { jsonPatched } from './json-patch.ts';
import type { Decide } from './object-writes.ts';
import { plainObject, type Identity, type ObjectRecord } from './record.ts';
import { refusal } from './refusal.ts';

/** Applies a JSON Merge Patch (RFC 7396). */
function mergePatched(target: JsonValue, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch;
  const result = new Map<string, JsonValue>(isJsonObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, mergePatched(result.get(name) ?? null, value));
  }
  return Object.fromEntries(result);
}

type ApplyOptions = Parameters<KubeClient['apply']>[2];

/** Sources of creation time and uid for new objects. */
export interface CreationSources {
  readonly now: () => number;
  readonly newUid: () => string;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** @param namespace and name of the object */
function newIdentity({ apiVersion, kind, metadata }: AppliedObject, { now, newUid }: CreationSources): Identity {
  const { name = '', namespace } = metadata;
  const asked = Date.parse(text(metadata['creationTimestamp']) ?? '');
  const createdMs = Number.isNaN(asked) ? Math.trunc(now()) : asked;
  return { apiVersion, kind, namespace, name, uid: text(metadata['uid']) ?? newUid(), createdMs };
}

function checkVersion(record: ObjectRecord, wanted: unknown): void {
  if (wanted !== undefined && wanted !== record.resourceVersion) throw refusal(409, 'Conflict');
}

function checkUid(record: ObjectRecord, wanted: unknown): void {
  if (wanted !== undefined && wanted !== record.identity.uid) throw refusal(409, 'Conflict');
}

function found(known: ObjectRecord | undefined): ObjectRecord {
  if (known === undefined) throw refusal(404, 'NotFound');
  return known;
}

function checkMayMake({ metadata }: AppliedObject, { subresource }: ApplyOptions): void {
  if (subresource === 'status') throw refusal(404, 'NotFound');
  if (metadata['uid'] !== undefined) throw refusal(409, 'Conflict');
}

/** A status may name any uid: only its resourceVersion is checked. */
function checkMayChange(record: ObjectRecord, { metadata }: AppliedObject, { subresource }: ApplyOptions): void {
  checkVersion(record, metadata['resourceVersion']);
  const isOther = metadata['uid'] !== undefined && metadata['uid'] !== record.identity.uid;
  if (isOther && subresource === undefined) throw refusal(422, 'Invalid');
}

function checkConflicts({ content }: ObjectRecord, object: AppliedObject, writer: Writer): void {
  const managers = conflictingManagers(content, object, writer);
  const causes = managers.map(() => 'FieldManagerConflict');
  if (managers.length > 0) throw refusal(409, 'Conflict', causes, managers);
}

/** Server-side apply (operator.md A4). */
export const decideApply =
  (object: AppliedObject, options: ApplyOptions, birth: CreationSources): Decide =>
  (known) => {
    const { fieldManager: manager, subresource: part, force } = options;
    const writer: Writer = { manager, operation: 'Apply', part };
    if (known === undefined) checkMayMake(object, options);
    else checkMayChange(known, object, options);
    if (known !== undefined && force === false) checkConflicts(known, object, writer);
    const content = applied(known?.content ?? EMPTY_CONTENT, object, writer);
    return { identity: known?.identity ?? newIdentity(object, birth), content };
  };

export const decideCreate =
  (object: AppliedObject, birth: CreationSources): Decide =>
  (known) => {
    if (known !== undefined) throw refusal(409, 'AlreadyExists');
    return { identity: newIdentity(object, birth), content: replaced(EMPTY_CONTENT, object, undefined) };
  };

/** PUT. */
export const decideUpdate =
  (object: AppliedObject): Decide =>
  (known) => {
    const record = found(known);
    checkUid(record, object.metadata['uid']);
    checkVersion(record, object.metadata['resourceVersion']);
    return { identity: record.identity, content: replaced(record.content, object, undefined) };
  };

function patched(record: ObjectRecord, { type, body }: PatchOptions): JsonValue {
  const target = frozenCopy(plainObject(record)) ?? null;
  const patch = frozenCopy(body);
  return type === 'json' ? jsonPatched(target, patch) : mergePatched(target, patch ?? null);
}

export const decidePatch =
  (options: PatchOptions): Decide =>
  (known) => {
    const record = found(known);
    const object = patched(record, options);
    const { metadata, ...members } = isJsonObject(object) ? object : {};
    if (!isJsonObject(metadata)) throw refusal(422, 'Invalid');
    checkUid(record, metadata['uid']);
    checkVersion(record, metadata['resourceVersion']);
    const { subresource: part, fieldManager } = options;
    const content = replaced(record.content, { metadata, ...members }, part, fieldManager);
    return { identity: record.identity, content };
  };

/** Deleting an object that does not exist succeeds. */
export const decideDelete =
  ({ uid, resourceVersion }: Preconditions): Decide =>
  (known) => {
    if (known === undefined) return undefined;
    checkUid(known, uid);
    checkVersion(known, resourceVersion);
    return undefined;
  };
