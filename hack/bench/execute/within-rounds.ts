import { median } from '../../../test/support/rank.ts';
import type { Row } from './measurement.ts';
import type { Round, SubjectName } from './round.ts';

/** The row of a load; undefined: not measured. */
const rowOf = (round: Round, subject: SubjectName, name: string): Row | undefined =>
  round[subject]?.find((row) => row.name === name);

/** A value of each round that has the row. */
export const valuesOf = (
  rounds: readonly Round[],
  [subject, name]: readonly [SubjectName, string],
  value: (row: Row) => number,
): readonly number[] =>
  rounds.flatMap((round) => {
    const row = rowOf(round, subject, name);
    return row === undefined ? [] : [value(row)];
  });

/**
 * Compares two rows within each round: the machine differs from round to round.
 * @returns a value for each round that has both rows
 */
export const compared = (
  rounds: readonly Round[],
  [one, other]: readonly [readonly [SubjectName, string], readonly [SubjectName, string]],
  compare: (one: Row, other: Row) => number,
): readonly number[] =>
  rounds.flatMap((round) => {
    const rows = [rowOf(round, ...one), rowOf(round, ...other)] as const;
    return rows[0] === undefined || rows[1] === undefined ? [] : [compare(rows[0], rows[1])];
  });

/** Median (least–most). */
export const spread = (values: readonly number[], digits: number): string =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)})`;
