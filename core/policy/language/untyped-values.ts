import { celList, celMap, isCelList, isCelMap, type CelInput, type CelMap, type CelResult } from '@bufbuild/cel';
import type { JsonValue } from '../../json/json-value.ts';

// The built-in guard turns a readonly array into any[].
const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

/** Longest text that an expression sees, UTF-16 units; a longer one is cut. */
export const MAX_TEXT = 16_384;
/** Items of a list that an expression sees, the first ones: the estimate of its cost counts as many. */
export const MAX_ITEMS = 500;
/** Members of an object that an expression sees, the first ones. */
const MAX_MEMBERS = 1000;

/** JSON as the evaluator takes it: numbers are doubles. */
export function bindJson(value: JsonValue): CelInput {
  if (isList(value)) return celList(value.slice(0, MAX_ITEMS).map(bindJson));
  if (typeof value === 'string') return value.slice(0, MAX_TEXT);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).slice(0, MAX_MEMBERS);
  return celMap(new Map(members.map(([name, found]) => [name, bindJson(found)])));
}

/** Values that a result may still have: it is read again for each event of a payload. */
interface Budget {
  left: number;
}

/**
 * @param values that the result may have at most
 * @returns undefined when the value, or a part of it, has no form in JSON, such as a time or NaN, or when it is too large
 */
export const jsonOf = (value: CelResult, values: number): JsonValue | undefined => valueOf(value, { left: values });

function valueOf(value: CelResult, budget: Budget): JsonValue | undefined {
  budget.left -= 1;
  if (budget.left < 0) return undefined;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint' || typeof value === 'number') return numberOf(Number(value));
  if (isCelList(value)) return listOf(value, budget);
  return isCelMap(value) ? objectOf(value, budget) : undefined;
}

function objectOf(map: CelMap, budget: Budget): JsonValue | undefined {
  const members: (readonly [string, JsonValue])[] = [];
  for (const [name, item] of map) {
    const found = valueOf(item, budget);
    if (typeof name !== 'string' || found === undefined) return undefined;
    members.push([name, found]);
  }
  return Object.fromEntries(members);
}

const numberOf = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined);

function listOf(items: Iterable<CelResult>, budget: Budget): JsonValue | undefined {
  const found: JsonValue[] = [];
  for (const item of items) {
    const value = valueOf(item, budget);
    if (value === undefined) return undefined;
    found.push(value);
  }
  return found;
}
