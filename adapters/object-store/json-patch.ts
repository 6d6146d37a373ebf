import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { parsePointer } from '../../core/json/pointer.ts';
import { jsonEqual } from '../kube/json-equal.ts';
import { KubeError } from '../kube/port.ts';
import { refusal } from './refusal.ts';

const OPERATIONS = ['test', 'add', 'replace', 'remove'] as const;

/** Operation of a JSON Patch (RFC 6902), as far as the platform writes it. */
interface Operation {
  readonly op: (typeof OPERATIONS)[number];
  readonly path: readonly string[];
  readonly value: JsonValue | undefined;
}

/** The new value at the place of an operation. */
interface Change {
  /** In an array: insert before the item at that index. */
  readonly insert: boolean;
  /** undefined: remove. */
  readonly value: JsonValue | undefined;
}

/** @param what the operation and its path, never a value */
const invalid = (what: string): KubeError =>
  new KubeError(`422 Invalid: ${what}`, { status: 422, reason: 'Invalid', causes: [] });

const failed = ({ op, path }: Operation): KubeError => invalid(`${op} at /${path.join('/')}`);

function operationOf(entry: JsonValue): Operation {
  const { op, path, value } = isJsonObject(entry) ? entry : {};
  const known = OPERATIONS.find((name) => name === op);
  const tokens = typeof path === 'string' ? parsePointer(path) : undefined;
  if (known === undefined || tokens === undefined || tokens.length === 0) throw invalid('no operation');
  return { op: known, path: tokens, value };
}

const INDEX = /^(?:0|[1-9][0-9]{0,8})$/;

// The built-in guard turns a readonly array into any[].
const isArray = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

/** @returns undefined when the token is not an index of the list */
function placeIn(items: readonly JsonValue[], token: string): number | undefined {
  if (token === '-') return items.length;
  return INDEX.test(token) && Number(token) <= items.length ? Number(token) : undefined;
}

function changedItems(items: readonly JsonValue[], index: number, { insert, value }: Change): JsonValue {
  return items.toSpliced(index, insert ? 0 : 1, ...(value === undefined ? [] : [value]));
}

function changedMembers(object: JsonObject, token: string, { value }: Change): JsonValue {
  const { [token]: _old, ...others } = object;
  return value === undefined ? others : { ...others, [token]: value };
}

function changeOf(old: JsonValue | undefined, operation: Operation): Change {
  const { op, value } = operation;
  if (op === 'add' || op === 'replace') {
    if (value === undefined || (op === 'replace' && old === undefined)) throw failed(operation);
    return { insert: op === 'add', value };
  }
  if (old === undefined || (op === 'test' && !jsonEqual(old, value))) throw failed(operation);
  return { insert: false, value: op === 'test' ? old : undefined };
}

function changed(target: JsonValue, path: readonly string[], operation: Operation): JsonValue {
  const [token = '', ...rest] = path;
  const change = (old: JsonValue | undefined): Change => {
    if (rest.length === 0) return changeOf(old, operation);
    if (old === undefined) throw failed(operation);
    return { insert: false, value: changed(old, rest, operation) };
  };
  if (isJsonObject(target))
    return changedMembers(target, token, change(Object.hasOwn(target, token) ? target[token] : undefined));
  const index = isArray(target) ? placeIn(target, token) : undefined;
  if (!isArray(target) || index === undefined) throw failed(operation);
  return changedItems(target, index, change(target[index]));
}

/**
 * Applies a JSON Patch: `test`, `add`, `replace` and `remove`, never at the root.
 * @throws KubeError 422 a test that fails, a place that does not exist, another operation; 400 the patch is not a list
 */
export function jsonPatched(target: JsonValue, patch: JsonValue | undefined): JsonValue {
  if (patch === undefined || !isArray(patch)) throw refusal(400, 'BadRequest');
  return patch.map(operationOf).reduce((object, operation) => changed(object, operation.path, operation), target);
}
