import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { asObject, has, isList, textAt, valueAt } from './read.ts';

/** Result of one case: it passed when `got` equals `expected` as JSON. */
export interface Outcome {
  readonly name: string;
  readonly expected: JsonValue;
  readonly got: JsonValue;
}

/** Runs one member of a vector file. */
export type Part = (value: JsonValue, file: JsonObject) => Promise<readonly Outcome[]>;

/** How to run files of one subject. */
export interface Suite {
  readonly subject: string;
  /** Members that hold cases. */
  readonly parts: Readonly<Record<string, Part>>;
  /** Arrays that other members use as data. */
  readonly data: readonly string[];
}

type ExpectedOf = (item: JsonObject) => JsonValue;
type Run = (item: JsonObject, file: JsonObject) => JsonValue | Promise<JsonValue>;

/** The answer of the code, or its error: a case that throws differs. */
export async function outcomeOf(
  name: string,
  expected: JsonValue,
  run: () => JsonValue | Promise<JsonValue>,
): Promise<Outcome> {
  try {
    return { name, expected, got: await run() };
  } catch (error) {
    return { name, expected, got: `threw ${String(error)}` };
  }
}

const label = (item: JsonObject, index: number): string => {
  const words = [has(item, 'id') ? textAt(item, 'id') : `#${index}`, has(item, 'name') ? textAt(item, 'name') : ''];
  return words.filter((word) => word !== '').join(' ');
};

async function runCase(
  name: string,
  item: JsonObject,
  expectedOf: ExpectedOf,
  run: () => ReturnType<Run>,
): Promise<Outcome> {
  try {
    return await outcomeOf(name, expectedOf(item), run);
  } catch (error) {
    return { name, expected: 'a case that can be read', got: `threw ${String(error)}` };
  }
}

/**
 * Runs each element of an array of cases; the expected value is its member `expected`, or is computed from the case.
 */
export function each(run: Run, expectedOf: ExpectedOf = (item) => valueAt(item, 'expected')): Part {
  return async (value, file) => {
    if (!isList(value)) throw new Error('no array of cases');
    const outcomes: Outcome[] = [];
    for (const [index, element] of value.entries()) {
      const item = asObject(element, `case #${index}`);
      outcomes.push(await runCase(label(item, index), item, expectedOf, () => run(item, file)));
    }
    return outcomes;
  };
}

/** Only these members, to compare a case with its source. */
export const pick = (item: JsonObject, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, valueAt(item, name)]));
