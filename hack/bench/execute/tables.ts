import { median } from '../../../test/support/rank.ts';
import type { Inside } from './inside.ts';
import { callersName, type Row } from './measurement.ts';
import { SUBJECTS, type Round, type SubjectName } from './round.ts';
import { THREADS } from '../thread-times.ts';
import { compared, spread, valuesOf } from './within-rounds.ts';

interface Column {
  readonly title: string;
  readonly width: number;
  readonly of: (values: (value: (row: Row) => number) => readonly number[]) => string;
}

const spreadOf = (title: string, width: number, digits: number, value: (row: Row) => number): Column => ({
  title,
  width,
  of: (values) => spread(values(value), digits),
});
const medianOf = (title: string, width: number, value: (row: Row) => number, digits = 0): Column => ({
  title,
  width,
  of: (values) => median(values(value)).toFixed(digits),
});

/** CPU is in µs for each request. */
const COLUMNS: readonly Column[] = [
  spreadOf('requests/s', 20, 0, (row) => row.rps),
  spreadOf('p50 ms', 23, 2, (row) => row.p50),
  spreadOf('p99 ms', 24, 1, (row) => row.p99),
  medianOf('max ms', 8, (row) => row.max),
  medianOf('CPU µs', 8, (row) => row.serverCpu),
  ...THREADS.map((thread) => medianOf(thread, 8, (row) => row.threads[thread])),
  medianOf('mock', 6, (row) => row.mockCpu),
  medianOf('load', 6, (row) => row.generatorCpu),
  medianOf('RSS MB', 8, (row) => row.rssMb),
  medianOf('foreign cores', 13, (row) => row.foreignCores, 1),
];

const line = (subject: string, name: string, cells: readonly string[]): string =>
  [subject.padEnd(14), name.padEnd(21), ...cells.map((cell, index) => cell.padEnd((COLUMNS[index]?.width ?? 0) + 1))]
    .join('')
    .trimEnd();

/** The loads in their order, without the warm-up. */
const namesOf = (rounds: readonly Round[], subject: SubjectName): readonly string[] =>
  rounds[0]?.[subject]?.slice(1).map((row) => row.name) ?? [];

/** Median (least–most) over the rounds. */
export function tableOf(rounds: readonly Round[]): readonly string[] {
  const head = line(
    'subject',
    'load',
    COLUMNS.map(({ title }) => title),
  );
  const rows = SUBJECTS.flatMap((subject) =>
    namesOf(rounds, subject).map((name) => {
      const values = (value: (row: Row) => number): readonly number[] => valuesOf(rounds, [subject, name], value);
      return line(
        subject,
        name,
        COLUMNS.map((column) => column.of(values)),
      );
    }),
  );
  return [head, ...rows];
}

const INSIDE: readonly (readonly [title: string, value: (inside: Inside) => number, digits: number])[] = [
  ['rows per group', (inside) => inside.rowsPerGroup, 1],
  ['event loop use', (inside) => inside.loopUse, 2],
  ['delay p50 ms', (inside) => inside.loopDelayP50, 1],
  ['delay p99 ms', (inside) => inside.loopDelayP99, 1],
];
const INSIDE_WIDTH = 20;

const insideLine = (cells: readonly string[]): string =>
  cells
    .map((cell, index) => cell.padEnd([14, 21][index] ?? INSIDE_WIDTH))
    .join('')
    .trimEnd();

/** Groups of the ledger and the event loop of the platform: median (least–most) over the rounds. */
export function insideOf(rounds: readonly Round[]): readonly string[] {
  const rows = SUBJECTS.filter((subject) => subject === 'platform' || subject === 'against').flatMap((subject) =>
    namesOf(rounds, subject).map((name) => {
      const cells = INSIDE.map(([, value, digits]) => {
        const values = valuesOf(rounds, [subject, name], ({ inside }) => (inside === undefined ? NaN : value(inside)));
        return values.some((one) => Number.isNaN(one)) ? '–' : spread(values, digits);
      });
      return insideLine([subject, name, ...cells]);
    }),
  );
  return [insideLine(['inside', 'load', ...INSIDE.map(([title]) => title)]), ...rows];
}

function comparison(
  rounds: readonly Round[],
  what: string,
  pair: readonly [readonly [SubjectName, string], readonly [SubjectName, string]],
): string {
  const of = (value: (row: Row) => number): string =>
    spread(
      compared(rounds, pair, (a, b) => value(a) / value(b)),
      3,
    );
  const cells = [of((row) => row.rps), of((row) => row.p50), of((row) => row.serverCpu), of((row) => row.rssMb)];
  return `${what.padEnd(44)} rate ${cells[0]}, p50 ${cells[1]}, CPU ${cells[2]}, RSS ${cells[3]}`;
}

/** The platform ÷ each other subject, and each variant ÷ the ordinary run: ratios within a round, then their median. */
export function ratiosOf(rounds: readonly Round[]): readonly string[] {
  const others = SUBJECTS.filter((subject) => subject !== 'platform').flatMap((other) =>
    namesOf(rounds, other).map((name) =>
      comparison(rounds, `platform ÷ ${other}, ${name}`, [
        ['platform', name],
        [other, name],
      ]),
    ),
  );
  const ordinary = callersName(32);
  const variants = namesOf(rounds, 'platform')
    .filter((name) => !/^c=\d+$/.test(name))
    .map((name) =>
      comparison(rounds, `${name} ÷ ${ordinary}`, [
        ['platform', name],
        ['platform', ordinary],
      ]),
    );
  return [...others, ...variants];
}

/** What each subject adds to the p50 of the pass-through: within a round, then the median (least–most). */
export function addedOf(rounds: readonly Round[]): readonly string[] {
  const others = SUBJECTS.filter((subject) => subject !== 'pass-through');
  return namesOf(rounds, 'pass-through').map((name) => {
    const added = others
      .filter((subject) => namesOf(rounds, subject).includes(name))
      .map((subject) => {
        const pair = [
          [subject, name],
          ['pass-through', name],
        ] as const;
        return `${subject} ${spread(
          compared(rounds, pair, (one, two) => one.p50 - two.p50),
          2,
        )}`;
      });
    return `${`added to the p50 of the pass-through, ${name}, ms`.padEnd(50)}${added.join(', ')}`;
  });
}
