import { readFileSync } from 'node:fs';

/** A change that no test can notice, with the reason. */
interface Equal {
  readonly file: string;
  /** Line of the source in which the change begins, without blanks at its ends. */
  readonly line: string;
  readonly change: string;
  readonly reason: string;
}

export interface Described {
  readonly file: string;
  readonly line: string;
  readonly change: string;
}

const LIST = 'test/mutation/equal.json';

const isEqual = (value: unknown): value is Equal =>
  typeof value === 'object' &&
  value !== null &&
  ['file', 'line', 'change', 'reason'].every(
    (name) => typeof Object.entries(value).find(([key]) => key === name)?.[1] === 'string',
  );

const same = (one: Described, other: Described): boolean =>
  one.file === other.file && one.line === other.line && one.change === other.change;

export function readEqual(): readonly Equal[] {
  const list: unknown = JSON.parse(readFileSync(LIST, 'utf8'));
  if (!Array.isArray(list) || !list.every(isEqual))
    throw new Error(`${LIST}: each entry needs file, line, change, reason`);
  return list;
}

export const reasonOf = (list: readonly Equal[], mutant: Described): string | undefined =>
  list.find((entry) => same(entry, mutant))?.reason;

/** @throws Error an entry of the list describes no mutant of its file: the code is another since */
export function refuseOutdated(list: readonly Equal[], all: readonly Described[]): void {
  const files = new Set(all.map(({ file }) => file));
  const outdated = list.filter((entry) => files.has(entry.file) && !all.some((mutant) => same(entry, mutant)));
  if (outdated.length > 0)
    throw new Error(
      `${LIST}: no longer in the code: ${outdated.map(({ file, change }) => `${file}  ${change}`).join('; ')}`,
    );
}
