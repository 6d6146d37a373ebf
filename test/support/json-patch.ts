import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';

/** Operation of a JSON Patch (RFC 6902), as far as the command line writes it. */
export interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: JsonValue;
}

const segmentsOf = (path: string): readonly string[] =>
  path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

function changedList(
  list: readonly JsonValue[],
  segment: string,
  change: (old: JsonValue | undefined) => Change,
): JsonValue {
  const index = segment === '-' ? list.length : Number(segment);
  if (!Number.isSafeInteger(index) || index > list.length) throw new Error(`no place ${segment}`);
  const { insert, value } = change(list[index]);
  return list.toSpliced(index, insert ? 0 : 1, ...(value === undefined ? [] : [value]));
}

interface Change {
  readonly insert: boolean;
  readonly value: JsonValue | undefined;
}

function changed(target: JsonValue, segments: readonly string[], operation: Operation): JsonValue {
  const [segment = '', ...rest] = segments;
  const change = (old: JsonValue | undefined): Change => {
    if (rest.length === 0) return last(old, operation);
    if (old === undefined) throw new Error(`no member ${segment}`);
    return { insert: false, value: changed(old, rest, operation) };
  };
  if (Array.isArray(target)) return changedList(target, segment, change);
  if (!isJsonObject(target)) throw new Error(`no container for ${segment}`);
  const { value } = change(Object.hasOwn(target, segment) ? target[segment] : undefined);
  const { [segment]: _old, ...others } = target;
  return value === undefined ? others : { ...others, [segment]: value };
}

function last(old: JsonValue | undefined, { op, value }: Operation): Change {
  if (op === 'add') return { insert: true, value };
  if (old === undefined) throw new Error(`${op} of nothing`);
  if (op === 'test' && JSON.stringify(old) !== JSON.stringify(value)) throw new Error('test failed');
  if (op === 'test') return { insert: false, value: old };
  return { insert: false, value: op === 'remove' ? undefined : value };
}

/** Applies a JSON Patch to a copy. @throws Error a place that is not there, or a test that fails */
export function patched(target: JsonObject, operations: readonly Operation[]): JsonObject {
  let result: JsonValue = target;
  for (const operation of operations) result = changed(result, segmentsOf(operation.path), operation);
  return isJsonObject(result) ? result : {};
}
