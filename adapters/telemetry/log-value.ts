import type { JsonValue } from '../../core/json/json-value.ts';
import { isSensitiveName } from '../../core/redaction/structure.ts';

const DROPPED = '[dropped]';
/** Deeper values, and members beyond the limit, are cut. Texts are cut later, when a cut can't split a secret. */
const MAX_DEPTH = 6;
const MAX_MEMBERS = 64;

/** Code, stack and causes, which people need. Enumerable members of an error may hold a request, and are left out. */
function errorValue(error: Error, depth: number): JsonValue {
  const code = 'code' in error ? plain(error.code, depth + 1) : undefined;
  return {
    name: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    stack: error.stack ?? '',
    ...(error.cause === undefined ? {} : { cause: plain(error.cause, depth + 1) ?? null }),
  };
}

function membersOf(value: object, depth: number): Record<string, JsonValue> {
  const members: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(value).slice(0, MAX_MEMBERS)) {
    const text = isSensitiveName(name) ? DROPPED : plain(member, depth + 1);
    if (text !== undefined) Object.defineProperty(members, name, { value: text, enumerable: true, writable: true });
  }
  return members;
}

/** Objects that are logged as one text, not by their members. */
function singleValue(value: object): JsonValue | undefined {
  if (value instanceof Uint8Array) return `[${value.length} bytes]`;
  if (value instanceof URL) return DROPPED;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  return undefined;
}

function objectValue(value: object, depth: number): JsonValue {
  const single = singleValue(value);
  if (single !== undefined) return single;
  if (depth > MAX_DEPTH) return '[…]';
  if (value instanceof Error) return errorValue(value, depth);
  if (value instanceof Map || value instanceof Set) return objectValue([...value], depth);
  return Array.isArray(value)
    ? value.slice(0, MAX_MEMBERS).map((item) => plain(item, depth + 1) ?? null)
    : membersOf(value, depth);
}

function plain(value: unknown, depth: number): JsonValue | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return value.toString();
  return typeof value === 'object' ? objectValue(value, depth) : undefined;
}

/**
 * Fields of a log line as plain, bounded JSON, without fields that hold credentials or URLs by their name. Never
 * throws, whatever the shape.
 */
export const logFields = (fields: object): Record<string, JsonValue> => membersOf(fields, 0);
