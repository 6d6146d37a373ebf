import { median } from '../../../test/support/rank.ts';
import { THREADS, type ThreadTimes } from '../thread-times.ts';
import type { Inside } from './inside.ts';
import type { Row } from './measurement.ts';

/** A processor changes its speed within seconds: a turn is short beside that, and long beside the start of a load. */
const MOST_SECONDS = 2;

const sum = (rows: readonly Row[], value: (row: Row) => number): number =>
  rows.reduce((total, row) => total + value(row), 0);

function joinInside(insides: readonly Inside[]): Inside {
  const of = (value: (inside: Inside) => number): number => median(insides.map(value));
  return {
    rowsPerGroup: of((inside) => inside.rowsPerGroup),
    loopUse: of((inside) => inside.loopUse),
    loopDelayP50: of((inside) => inside.loopDelayP50),
    loopDelayP99: of((inside) => inside.loopDelayP99),
  };
}

/**
 * One row for the turns of a load: counts are added, CPU and rate are of all its requests, and times are medians of the
 * turns, the longest excepted.
 */
function joinTurns(first: Row, others: readonly Row[]): Row {
  const rows = [first, ...others];
  const requests = sum(rows, (row) => row.requests);
  const seconds = sum(rows, (row) => row.requests / row.rps);
  const each = (value: (row: Row) => number): number => sum(rows, (row) => value(row) * row.requests) / requests;
  const middle = (value: (row: Row) => number): number => median(rows.map(value));
  const threads: Partial<Record<keyof ThreadTimes, number>> = {};
  for (const thread of THREADS) threads[thread] = each((row) => row.threads[thread]);
  return {
    name: first.name,
    requests,
    rps: requests / seconds,
    p50: middle((row) => row.p50),
    p99: middle((row) => row.p99),
    max: Math.max(...rows.map((row) => row.max)),
    serverCpu: each((row) => row.serverCpu),
    threads: { ...first.threads, ...threads },
    mockCpu: each((row) => row.mockCpu),
    generatorCpu: each((row) => row.generatorCpu),
    rssMb: Math.max(...rows.map((row) => row.rssMb)),
    foreignCores: sum(rows, (row) => (row.foreignCores * row.requests) / row.rps) / seconds,
    ...(first.inside === undefined
      ? {}
      : { inside: joinInside(rows.flatMap(({ inside }) => (inside === undefined ? [] : [inside]))) }),
  };
}

/**
 * Runs loads in turns of at most two seconds: from the first to the last, then from the last to the first, and so on. So
 * none of them always comes after the same other one.
 * @param seconds that each of them has in all
 * @returns the row of each load, in their order
 */
export async function measureInTurns(
  loads: readonly ((seconds: number) => Promise<Row>)[],
  seconds: number,
): Promise<readonly Row[]> {
  const turns = Math.max(1, Math.ceil(seconds / MOST_SECONDS));
  const taken = loads.map((load) => ({ load, rows: new Array<Row>() }));
  for (let turn = 0; turn < turns; turn += 1)
    for (const { load, rows } of turn % 2 === 0 ? taken : taken.toReversed()) rows.push(await load(seconds / turns));
  return taken.flatMap(({ rows: [first, ...others] }) => (first === undefined ? [] : [joinTurns(first, others)]));
}
