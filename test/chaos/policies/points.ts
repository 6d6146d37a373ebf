/** Kills that were aimed at one point, and what they left. */
export interface PointCount {
  readonly point: string;
  readonly kills: number;
  /** Kills that came before the caller had its answer. */
  readonly hits: number;
  /** What was acknowledged around these kills and is gone. */
  readonly lost: number;
  /** What was done twice around these kills. */
  readonly doubled: number;
}

/** One kill. */
export interface PointKill {
  readonly point: string;
  readonly isHit: boolean;
  readonly lost: number;
  readonly doubled: number;
}

/** Chance leaves a point unhit by this many kills less than once in a hundred runs. */
const ENOUGH = 5;

const sumOf = (kills: readonly PointKill[], of: (kill: PointKill) => number): number =>
  kills.reduce((sum, kill) => sum + of(kill), 0);

/** Counts by point, in the order of their first kills. */
export const countPoints = (kills: readonly PointKill[]): readonly PointCount[] =>
  [...Map.groupBy(kills, ({ point }) => point)].map(([point, own]) => ({
    point,
    kills: own.length,
    hits: own.filter(({ isHit }) => isHit).length,
    lost: sumOf(own, ({ lost }) => lost),
    doubled: sumOf(own, ({ doubled }) => doubled),
  }));

/** Points that kills were aimed at, none of which came in time. */
export const missedPoints = (points: readonly PointCount[]): readonly string[] =>
  points
    .filter(({ kills, hits }) => kills >= ENOUGH && hits === 0)
    .map(({ point, kills }) => `none of ${kills} kills hit the point "${point}"`);

/** What a fault of a change is: something acknowledged that is gone, or something done twice. */
export function kindOfFault(fault: string): 'lost' | 'doubled' | 'other' {
  if (fault.includes('was acknowledged and is')) return 'lost';
  return /made twice|counts (?:[2-9]|\d\d+) times|(?:[2-9]|\d\d) of \d+ runs used one approval/.test(fault)
    ? 'doubled'
    : 'other';
}

const COLUMNS = ['kills', 'hit', 'lost', 'double'] as const;
const WIDTH = 8;
const NAME_WIDTH = 24;

const line = (name: string, cells: readonly (string | number)[]): string =>
  [name.padEnd(NAME_WIDTH), ...cells.map((cell) => String(cell).padStart(WIDTH))].join('');

/** Lines of a table with a row for each point, and the sum of all. */
export function pointTable(points: readonly PointCount[]): readonly string[] {
  const cellsOf = ({ kills, hits, lost, doubled }: Omit<PointCount, 'point'>): readonly number[] => [
    kills,
    hits,
    lost,
    doubled,
  ];
  const rows = points.map((count) => cellsOf(count));
  const sums = COLUMNS.map((_, column) => rows.reduce((sum, row) => sum + (row[column] ?? 0), 0));
  return [line('point', COLUMNS), ...points.map((count) => line(count.point, cellsOf(count))), line('all', sums)];
}
