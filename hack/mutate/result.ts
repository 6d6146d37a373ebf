import { readFileSync, writeFileSync } from 'node:fs';

export type Fate = 'killed' | 'timed out' | 'survived' | 'equal';

/** What became of the changes of one place, as `--json` writes it. */
export interface Result {
  readonly place: string;
  readonly seed: number;
  readonly mutants: number;
  readonly killed: number;
  readonly equal: number;
  /** Changes by name: file, row and change. */
  readonly timedOut: readonly string[];
  readonly survivors: readonly string[];
}

export function resultOf(place: string, seed: number, fates: ReadonlyMap<string, Fate>): Result {
  const of = (wanted: Fate): readonly string[] => [...fates].flatMap(([name, fate]) => (fate === wanted ? [name] : []));
  const [timedOut, survivors] = [of('timed out'), of('survived')];
  return {
    place,
    seed,
    mutants: fates.size,
    killed: of('killed').length,
    equal: of('equal').length,
    timedOut,
    survivors,
  };
}

export function summaryOf({ place, mutants, killed, timedOut, equal, survivors }: Result, all: number): string {
  const share = (100 * (killed + timedOut.length)) / Math.max(1, mutants - equal);
  return `${place}: ${mutants} of ${all} changes, ${killed} killed by a failure, ${timedOut.length} timed out, ${equal} equal, ${survivors.length} survived: ${share.toFixed(1)} %`;
}

export const writeResults = (file: string, results: readonly Result[]): void => {
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
};

/** @returns what an earlier run says about a change; undefined: it survived, or there is no earlier run */
export function readFates(file: string | undefined): (name: string) => Fate | undefined {
  if (file === undefined) return () => undefined;
  const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const rows: readonly unknown[] = Array.isArray(read) ? read : [];
  const listed = (member: string): ReadonlySet<string> =>
    new Set(
      rows.flatMap((row) => {
        const members: readonly (readonly [string, unknown])[] =
          typeof row === 'object' && row !== null ? Object.entries(row) : [];
        const list = members.find(([name]) => name === member)?.[1];
        return Array.isArray(list) ? list.map(String) : [];
      }),
    );
  const [timedOut, survivors] = [listed('timedOut'), listed('survivors')];
  return (name) => (survivors.has(name) ? undefined : timedOut.has(name) ? 'timed out' : 'killed');
}
