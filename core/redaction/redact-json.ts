import type { JsonObject, JsonValue } from '../json/json-value.ts';
import type { RedactNumber } from './numbers.ts';

export type RedactText = (text: string) => { readonly value: string; readonly hits: number };

/** Functions that redact the scalars of a value. Without `number`, no secret could come back as a number. */
export interface ScalarRedactors {
  readonly text: RedactText;
  readonly number: RedactNumber | undefined;
}

type Members = readonly JsonValue[] | JsonObject;
type Copy = JsonValue[] | Record<string, JsonValue>;

const isMembers = (value: JsonValue): value is Members => typeof value === 'object' && value !== null;

/** True when any string, key or number changes. Most values stay the same and are not copied. */
function concerns({ text: redact, number }: ScalarRedactors, root: JsonValue): boolean {
  const hit = (text: string): boolean => redact(text).hits > 0;
  const isHit = (value: JsonValue): boolean =>
    typeof value === 'string' ? hit(value) : typeof value === 'number' && number?.(value) !== undefined;
  const isScanned =
    number === undefined ? (value: JsonValue): boolean => typeof value !== 'number' : (): boolean => true;
  const stack: JsonValue[] = [root];
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (isHit(value)) return true;
    if (!isMembers(value)) continue;
    if (!Array.isArray(value) && Object.keys(value).some(hit)) return true;
    const members: readonly JsonValue[] = Object.values(value);
    for (const member of members) if (isScanned(member)) stack.push(member);
  }
  return false;
}

/** Sets an own data property, so that a key `__proto__` is an ordinary key. */
function put(target: Copy, key: string, value: JsonValue): void {
  let free = key;
  // Two keys may be two forms of one secret; one must not overwrite the other.
  for (let next = 2; Object.hasOwn(target, free); next += 1) free = `${key}#${next}`;
  Object.defineProperty(target, free, { value, enumerable: true, writable: true, configurable: true });
}

/**
 * Redacts every string, key and number; a number that holds a secret becomes its marker, a string. It does not recurse,
 * because a provider's answer may be nested deeper than the stack allows.
 * @returns the same value without a hit
 */
export function redactJson(
  redactors: ScalarRedactors,
  root: JsonValue,
): { readonly value: JsonValue; readonly hits: number } {
  if (!concerns(redactors, root)) return { value: root, hits: 0 };
  const queue: { readonly from: Members; readonly to: Copy }[] = [];
  let hits = 0;
  const clean = (text: string): string => {
    const { value, hits: found } = redactors.text(text);
    hits += found;
    return value;
  };
  const cleanNumber = (value: number): number | string => {
    const marker = redactors.number?.(value);
    if (marker !== undefined) hits += 1;
    return marker ?? value;
  };
  const copy = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return clean(value);
    if (typeof value === 'number') return cleanNumber(value);
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
