import type { JsonValue } from '../../core/json/json-value.ts';
import { refusal } from './refusal.ts';

// Far more than any reader of documents accepts (core/json/too-deep.ts), far less than the stack holds.
const MAX_DEPTH = 1000;

function copyNumber(value: number): JsonValue {
  if (!Number.isFinite(value)) return null;
  return value === 0 ? 0 : value; // -0 is 0
}

function copyObject(value: object, depth: number): JsonValue {
  const copied: [string, JsonValue][] = [];
  for (const [name, member] of Object.entries(value)) {
    const copy = frozenCopy(member, depth + 1);
    if (copy !== undefined) copied.push([name, copy]);
  }
  return Object.freeze(Object.fromEntries(copied));
}

/**
 * A deep copy, frozen to its depth: caller and store never share an object. The copy is what JSON would carry, so that
 * an object is the same after a restart: `undefined` members are dropped, -0 becomes 0.
 * @returns undefined for a value that JSON can't carry
 * @throws KubeError 422 more than 1 000 levels
 */
export function frozenCopy(value: unknown, depth = 0): JsonValue | undefined {
  if (depth > MAX_DEPTH) throw refusal(422, 'Invalid');
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return copyNumber(value);
  if (Array.isArray(value))
    return Object.freeze(value.map((item: unknown): JsonValue => frozenCopy(item, depth + 1) ?? null));
  return typeof value === 'object' ? copyObject(value, depth) : undefined;
}
