import type { JsonValue } from '../../json/json-value.ts';
import type { FactDefinition } from '../facts/fact-schema.ts';
import type { Steps } from '../../steps/steps.ts';

/** Whether the decision is another one with a value; a decision is one piece. */
type Flips = (value: JsonValue) => Steps<boolean>;

/**
 * The nearest number on one side that flips the decision, by halving: right when the decision changes once on that
 * side, which comparisons with constants do.
 */
function* nearestNumber(from: number, end: number, flips: Flips): Steps<number | undefined> {
  if (from === end || !(yield* flips(end))) return undefined;
  let near = from;
  let far = end;
  while (Math.abs(far - near) > 1) {
    const middle = Math.trunc(near / 2 + far / 2);
    const between = middle === near || middle === far ? near + Math.sign(far - near) : middle;
    if (yield* flips(between)) far = between;
    else near = between;
  }
  return far;
}

function* changedNumber({ min, max }: FactDefinition, from: number, flips: Flips): Steps<number | undefined> {
  const ends = [yield* nearestNumber(from, min, flips), yield* nearestNumber(from, max, flips)];
  const found = ends.filter((to) => to !== undefined);
  return found.toSorted((one, other) => Math.abs(one - from) - Math.abs(other - from))[0];
}

function* firstOf<T extends JsonValue>(values: readonly T[], flips: Flips): Steps<T | undefined> {
  for (const value of values) if (yield* flips(value)) return value;
  return undefined;
}

/** One item less, or one more of the texts that the rules name. */
function changedList(from: readonly JsonValue[], texts: readonly string[], flips: Flips): Steps<JsonValue | undefined> {
  const shorter = from.map((_, index) => from.toSpliced(index, 1));
  const longer = texts.filter((text) => !from.includes(text)).map((text) => [...from, text]);
  return firstOf<JsonValue>([...shorter, ...longer], flips);
}

// The built-in guard turns a readonly array into any[].
const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

/**
 * The smallest change of one fact that flips a decision: a boolean the other way, a number at its boundary, a text that
 * the rules name, a list with one item less or more.
 * @param texts strings of the rules
 * @returns undefined when no such change does
 */
export function* smallestChange(
  definition: FactDefinition,
  from: JsonValue,
  texts: readonly string[],
  flips: Flips,
): Steps<JsonValue | undefined> {
  if (typeof from === 'boolean') return (yield* flips(!from)) ? !from : undefined;
  if (typeof from === 'number') return yield* changedNumber(definition, from, flips);
  if (isList(from)) return yield* changedList(from, texts, flips);
  const others = definition.type === 'string' ? texts.filter((text) => text !== from) : [];
  return yield* firstOf(others, flips);
}
