import { readFileSync, writeFileSync } from 'node:fs';

const FATES = ['killed', 'timed out', 'survived', 'equal'] as const;
export type Fate = (typeof FATES)[number];

/** What became of the changes of one place, as `--json` writes it. */
export interface Result {
  readonly place: string;
  readonly seed: number;
  readonly mutants: number;
  readonly killed: number;
  readonly timedOut: number;
  readonly equal: number;
  readonly survived: number;
  /** By name of the change: file, row and change. */
  readonly fates: Readonly<Record<string, Fate>>;
}

export function resultOf(place: string, seed: number, fates: ReadonlyMap<string, Fate>): Result {
  const of = (wanted: Fate): number => [...fates.values()].filter((fate) => fate === wanted).length;
  const [killed, timedOut, equal, survived] = [of('killed'), of('timed out'), of('equal'), of('survived')];
  return { place, seed, mutants: fates.size, killed, timedOut, equal, survived, fates: Object.fromEntries(fates) };
}

export function summaryOf({ place, mutants, killed, timedOut, equal, survived }: Result, all: number): string {
  const share = (100 * (killed + timedOut)) / Math.max(1, mutants - equal);
  return `${place}: ${mutants} of ${all} changes, ${killed} killed by a failure, ${timedOut} timed out, ${equal} equal, ${survived} survived: ${share.toFixed(1)} %`;
}

/** @param file undefined: nothing is written */
export const writeResults = (file: string | undefined, results: readonly Result[]): void => {
  if (file !== undefined) writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
};

const membersOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];

/** @returns what an earlier run says about a change; undefined: it survived, was not tried, or there is no such run */
export function readFates(file: string | undefined): (name: string) => Fate | undefined {
  if (file === undefined) return () => undefined;
  const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const results: readonly unknown[] = Array.isArray(read) ? read : [];
  const found = new Map<string, Fate>();
  for (const [member, fates] of results.flatMap(membersOf))
    for (const [name, fate] of member === 'fates' ? membersOf(fates) : []) {
      const known = FATES.find((one) => one === fate);
      if (known !== undefined && known !== 'survived') found.set(name, known);
    }
  return (name) => found.get(name);
}
