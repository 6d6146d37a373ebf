import { median } from '../../test/support/rank.ts';

export const largest = (values: readonly number[]): number => Math.max(...values);

/** `12.3 (10.1–15.0)`: median, minimum and maximum. */
const spread = (values: readonly number[], digits = 1): string =>
  values.length === 0
    ? '–'
    : `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)}–${largest(values).toFixed(digits)})`;

/** A line of the table. */
export interface Row {
  readonly what: string;
  readonly measured: string;
  readonly goal?: string;
  /** Whether the goal is met; undefined: no goal. */
  readonly met?: boolean;
}

interface RowOptions {
  readonly digits?: number;
  /** The median must not exceed it. */
  readonly atMost?: number;
  /** The median must reach it. */
  readonly atLeast?: number;
}

/** A measurement beside its goal. */
export function row(what: string, values: readonly number[], { digits = 1, atMost, atLeast }: RowOptions = {}): Row {
  const measured = spread(values, digits);
  if (atMost !== undefined) return { what, measured, goal: `≤ ${atMost}`, met: median(values) <= atMost };
  if (atLeast !== undefined) return { what, measured, goal: `≥ ${atLeast}`, met: median(values) >= atLeast };
  return { what, measured };
}

/** Markdown in the form of docs/measured-performance.md. */
export function tableOf(title: string, rows: readonly Row[]): string {
  const lines = rows.map(({ what, measured, goal = '', met }) => {
    const missed = met === false ? ': missed' : '';
    return `| ${what} | ${measured} | ${goal}${missed} |`;
  });
  return [`| ${title} | median (least–most) | goal |`, '|---|---|---|', ...lines].join('\n');
}
