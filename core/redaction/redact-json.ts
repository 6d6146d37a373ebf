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

/** A value without its secrets, and how many were found. */
export interface Redacted {
  readonly value: JsonValue;
  readonly hits: number;
}

/** Redaction in steps: it stops after each, and ends with the result. A step takes up to 1 ms, and most a few µs. */
export type RedactSteps = Iterator<undefined, Redacted, undefined>;

/** Counts work, and says when a step is over. */
class StepPace {
  /** Of characters. The texts that take longest, with several encodings in each, take 0.5 µs a character. */
  static readonly STEP = 2048;
  /** A scalar costs as much as so many characters. */
  static readonly SCALAR = 64;
  #left = StepPace.STEP;

  /** @returns the step is over */
  isOverAfter(value: JsonValue): boolean {
    this.#left -= StepPace.SCALAR + (typeof value === 'string' ? value.length : 0);
    if (this.#left > 0) return false;
    this.#left = StepPace.STEP;
    return true;
  }
}

/** True when any string, key or number changes. Most values stay the same and are not copied. */
function* concerns(
  { text: redact, number }: ScalarRedactors,
  root: JsonValue,
  pace: StepPace,
): Generator<undefined, boolean, undefined> {
  const isHit = (value: JsonValue): boolean =>
    typeof value === 'string' ? redact(value).hits > 0 : typeof value === 'number' && number?.(value) !== undefined;
  const isScanned =
    number === undefined ? (value: JsonValue): boolean => typeof value !== 'number' : (): boolean => true;
  const stack: JsonValue[] = [root];
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (isHit(value)) return true;
    if (pace.isOverAfter(value)) yield;
    if (!isMembers(value)) continue;
    const names: readonly JsonValue[] = Array.isArray(value) ? [] : Object.keys(value);
    const members: readonly JsonValue[] = Object.values(value);
    for (const part of [...names, ...members]) if (isScanned(part)) stack.push(part);
  }
  return false;
}

/**
 * Sets an own data property, so that a key `__proto__` is an ordinary key.
 * @param numbers last number of each key that came again: thousands of keys may be forms of one secret
 */
function put(target: Copy, key: string, value: JsonValue, numbers: Map<string, number>): void {
  let free = key;
  // Two keys may be two forms of one secret; one must not overwrite the other.
  for (let next = (numbers.get(key) ?? 1) + 1; Object.hasOwn(target, free); next += 1) {
    free = `${key}#${next}`;
    numbers.set(key, next);
  }
  Object.defineProperty(target, free, { value, enumerable: true, writable: true, configurable: true });
}

/**
 * Redacts every string, key and number; a number that holds a secret becomes its marker, a string. It does not recurse,
 * because a provider's answer may be nested deeper than the stack allows.
 * @returns the same value without a hit
 */
export function* redactSteps(redactors: ScalarRedactors, root: JsonValue): Generator<undefined, Redacted, undefined> {
  const pace = new StepPace();
  if (!(yield* concerns(redactors, root, pace))) return { value: root, hits: 0 };
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
  const add = (to: Copy, name: string, item: JsonValue, numbers: Map<string, number>): void => {
    if (Array.isArray(to)) to.push(copy(item));
    else put(to, clean(name), copy(item), numbers);
  };
  const result = copy(root);
  for (let work = queue.pop(); work !== undefined; work = queue.pop()) {
    const { from, to } = work;
    const names = Array.isArray(from) ? [] : Object.keys(from);
    const items: readonly JsonValue[] = Object.values(from);
    const numbers = new Map<string, number>();
    for (const [index, item] of items.entries()) {
      add(to, names[index] ?? '', item, numbers);
      if (pace.isOverAfter(item)) yield;
    }
  }
  return { value: result, hits };
}

/** The same at once. */
export function redactJson(redactors: ScalarRedactors, root: JsonValue): Redacted {
  const steps = redactSteps(redactors, root);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
