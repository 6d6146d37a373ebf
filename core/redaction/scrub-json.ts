import type { JsonObject, JsonValue } from '../json/json-value.ts';

export type Scrub = (text: string) => { readonly value: string; readonly hits: number };

type Members = readonly JsonValue[] | JsonObject;
type Copy = JsonValue[] | Record<string, JsonValue>;

const isMembers = (value: JsonValue): value is Members => typeof value === 'object' && value !== null;

/** True when any string or key changes; most values have none, and are not copied. */
function concerns(scrub: Scrub, root: JsonValue): boolean {
  const hit = (text: string): boolean => scrub(text).hits > 0;
  const stack: JsonValue[] = [root];
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (typeof value === 'string' && hit(value)) return true;
    if (!isMembers(value)) continue;
    if (!Array.isArray(value) && Object.keys(value).some(hit)) return true;
    const members: readonly JsonValue[] = Object.values(value);
    for (const member of members) if (typeof member !== 'number') stack.push(member);
  }
  return false;
}

/** Own data properties only: a key `__proto__` is a key like any other. */
function put(target: Copy, key: string, value: JsonValue): void {
  let free = key;
  // Two keys that were two forms of one secret must not swallow one another.
  for (let next = 2; Object.hasOwn(target, free); next += 1) free = `${key}#${next}`;
  Object.defineProperty(target, free, { value, enumerable: true, writable: true, configurable: true });
}

/**
 * Scrubs every string and every key. Without recursion: a provider's answer may be nested deeper than the stack is.
 * @returns the same value when nothing was hit
 */
export function scrubJson(scrub: Scrub, root: JsonValue): { readonly value: JsonValue; readonly hits: number } {
  if (!concerns(scrub, root)) return { value: root, hits: 0 };
  const queue: { readonly from: Members; readonly to: Copy }[] = [];
  let hits = 0;
  const clean = (text: string): string => {
    const { value, hits: found } = scrub(text);
    hits += found;
    return value;
  };
  const copy = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return clean(value);
    if (!isMembers(value)) return value;
    const to: Copy = Array.isArray(value) ? [] : {};
    queue.push({ from: value, to });
    return to;
  };
  const result = copy(root);
  for (let work = queue.pop(); work !== undefined; work = queue.pop()) {
    const { from, to } = work;
    if (Array.isArray(to)) for (const item of Object.values(from)) to.push(copy(item));
    else for (const [key, item] of Object.entries(from)) put(to, clean(key), copy(item));
  }
  return { value: result, hits };
}
