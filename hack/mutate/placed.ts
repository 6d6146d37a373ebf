import { readFileSync } from 'node:fs';
import type { Described } from './equal.ts';
import { mutantsOf, type Mutant } from './mutants.ts';

/** A mutant of a file of this checkout. */
export interface Placed extends Mutant, Described {
  /** Unlike that of any other mutant: file, row and change. */
  readonly name: string;
}

const brief = (code: string): string => code.replaceAll(/\s+/g, ' ').slice(0, 120);

/** Every mutant of a file; when a line has several changes of one text, the second says ` #2`. */
export function placedIn(file: string): readonly Placed[] {
  const source = readFileSync(file, 'utf8');
  const lines = source.split('\n');
  const times = new Map<string, number>();
  return mutantsOf(file, source).map((mutant) => {
    const row = source.slice(0, mutant.start).split('\n').length;
    const text = `${brief(source.slice(mutant.start, mutant.end))}  →  ${brief(mutant.text)}`;
    const nth = (times.get(`${row} ${text}`) ?? 0) + 1;
    times.set(`${row} ${text}`, nth);
    const change = nth === 1 ? text : `${text} #${nth}`;
    return { ...mutant, file, line: lines[row - 1]?.trim() ?? '', change, name: `${file}:${row}  ${change}` };
  });
}
