// `npm run bench execute [-- --rounds 5 --warm 8 --seconds 4 --base DIR --json FILE]`: the cost of a run compared with a
// bare pass-through (performance.md §6), and with another checkout of this repository. Every round starts fresh processes
// and a fresh ledger; ratios are computed within a round.
import { mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { cpuMicros, load, residentMb, type Started } from './processes.ts';
import { proveLedger } from './proof.ts';
import { logFile, ROOT, startMock, startPassThrough, startPlatform, type BenchServer } from './subjects.ts';
import { median } from '../../test/support/rank.ts';

const CONCURRENCIES = [1, 32, 256] as const;
const TMPFS_MAGIC = 0x01021994;

interface Row {
  readonly c: number;
  readonly requests: number;
  readonly rps: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly serverCpu: number;
  readonly mockCpu: number;
  readonly generatorCpu: number;
  readonly rssMb: number;
}

interface Round {
  readonly passThrough: readonly Row[];
  readonly platform: readonly Row[];
  /** The platform of the other checkout; empty without `--base`. */
  readonly base: readonly Row[];
}

async function measure(subject: BenchServer, mock: Started, c: number, seconds: number): Promise<Row> {
  const { started, port, path, headers, body } = subject;
  const before = [cpuMicros(started.pid), cpuMicros(mock.pid)] as const;
  const result = await load({ port, path, headers, body, concurrency: c, seconds });
  if (result.errors > 0) throw new Error(`${result.errors} requests failed: ${result.firstError}`);
  const per = (micros: number): number => micros / result.requests;
  return {
    c,
    requests: result.requests,
    rps: result.requests / result.seconds,
    p50: result.p50,
    p99: result.p99,
    max: result.max,
    serverCpu: per(cpuMicros(started.pid) - before[0]),
    mockCpu: per(cpuMicros(mock.pid) - before[1]),
    generatorCpu: per(result.cpuMicros),
    rssMb: residentMb(started.pid),
  };
}

/** The warm-up's row comes first. */
async function series(subject: BenchServer, mock: Started, warm: number, seconds: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  try {
    rows.push({ ...(await measure(subject, mock, 32, warm)), c: 0 });
    for (const c of CONCURRENCIES) rows.push(await measure(subject, mock, c, seconds));
  } finally {
    await subject.started.stop();
  }
  return rows;
}

interface RoundOptions {
  readonly warm: number;
  readonly seconds: number;
  /** Folder of another checkout. */
  readonly base: string | undefined;
  /** The two checkouts take turns in being the first: the second finds a warmer machine. */
  readonly baseFirst: boolean;
}

async function round(folder: string, { warm, seconds, base, baseFirst }: RoundOptions): Promise<Round> {
  const log = logFile(folder, 'log.txt');
  const mock = await startMock(log);
  const platformOf = async (name: string, checkout: string): Promise<readonly Row[]> => {
    const own = join(folder, name);
    const rows = await series(await startPlatform(own, mock.port, log, checkout), mock.started, warm, seconds);
    const answered = rows.reduce((sum, row) => sum + row.requests, 0);
    const receipts = await proveLedger(join(own, 'data'), { answered });
    console.error(`${name}: ${answered} answers, ${receipts} receipts: each verified in the log`);
    return rows;
  };
  const baseRows = (): Promise<readonly Row[]> => (base === undefined ? Promise.resolve([]) : platformOf('base', base));
  try {
    const passThrough = await series(await startPassThrough(mock.port, log), mock.started, warm, seconds);
    const early = baseFirst ? await baseRows() : undefined;
    const platform = await platformOf('platform', ROOT);
    return { passThrough, platform, base: early ?? (await baseRows()) };
  } finally {
    await mock.started.stop();
  }
}

/** `kill -9` under load: every acknowledged receipt must be in the ledger. */
async function killRound(folder: string): Promise<string> {
  const log = logFile(folder, 'log.txt');
  const mock = await startMock(log);
  const acks = join(folder, 'acks.txt');
  try {
    const subject = await startPlatform(folder, mock.port, log);
    const { port, path, headers, body } = subject;
    const running = load({ port, path, headers, body, concurrency: 32, seconds: 4, acks, mayBreak: true });
    await delay(3000);
    await subject.started.stop('SIGKILL');
    await running;
  } finally {
    await mock.started.stop();
  }
  const acknowledged = readFileSync(acks, 'utf8')
    .split('\n')
    .filter((id) => id !== '');
  await proveLedger(join(folder, 'data'), { acknowledged });
  return `kill -9 at 32: ${acknowledged.length} acknowledged receipts, 0 lost`;
}

const spread = (values: readonly number[], digits: number): string =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)})`;

const pick = (rounds: readonly Round[], subject: keyof Round, c: number): readonly Row[] =>
  rounds.map((item) => item[subject].find((row) => row.c === c)).filter((row) => row !== undefined);

function printTable(rounds: readonly Round[]): void {
  console.log(
    'subject        c    rps                     p50 ms               p99 ms               CPU µs/req  RSS MB',
  );
  for (const subject of ['passThrough', 'base', 'platform'] as const) {
    for (const c of CONCURRENCIES) {
      const rows = pick(rounds, subject, c);
      if (rows.length === 0) continue;
      const columns = [
        spread(
          rows.map((row) => row.rps),
          0,
        ).padEnd(24),
        spread(
          rows.map((row) => row.p50),
          2,
        ).padEnd(21),
        spread(
          rows.map((row) => row.p99),
          1,
        ).padEnd(21),
        median(rows.map((row) => row.serverCpu))
          .toFixed(0)
          .padEnd(12),
        median(rows.map((row) => row.rssMb)).toFixed(0),
      ];
      console.log(`${subject.padEnd(14)} ${String(c).padEnd(4)} ${columns.join('')}`);
    }
  }
}

/** The ratios of each round, then their median: absolute values of different minutes can't be compared. */
function ratios(rounds: readonly Round[]): {
  readonly rate32: number;
  readonly rate256: number;
  readonly addedP50: number;
} {
  const of = (c: number, value: (platform: Row, floor: Row) => number): number => {
    const platform = pick(rounds, 'platform', c);
    const floor = pick(rounds, 'passThrough', c);
    return median(platform.flatMap((row, index) => (floor[index] === undefined ? [] : [value(row, floor[index])])));
  };
  return {
    rate32: of(32, (row, floor) => row.rps / floor.rps),
    rate256: of(256, (row, floor) => row.rps / floor.rps),
    addedP50: of(1, (row, floor) => row.p50 - floor.p50),
  };
}

/** Platform ÷ the other checkout: the median of the ratios of each round, and their range. */
function printBase(rounds: readonly Round[]): void {
  for (const c of CONCURRENCIES) {
    const of = (value: (row: Row) => number): string => {
      const other = pick(rounds, 'base', c);
      const values = pick(rounds, 'platform', c).flatMap((row, index) =>
        other[index] === undefined ? [] : [value(row) / value(other[index])],
      );
      return spread(values, 3);
    };
    const columns = [of((row) => row.rps), of((row) => row.p50), of((row) => row.serverCpu), of((row) => row.rssMb)];
    console.log(`platform / base at ${c}: rate ${columns[0]}, p50 ${columns[1]}, CPU ${columns[2]}, RSS ${columns[3]}`);
  }
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    warm: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '4' },
    folder: { type: 'string', default: tmpdir() },
    base: { type: 'string' },
    json: { type: 'string' },
  },
});
if (statfsSync(values.folder).type === TMPFS_MAGIC) {
  console.error(`${values.folder} is in memory: a sync there costs nothing. Choose a folder on a disk by --folder.`);
  process.exit(64);
}
const folder = mkdtempSync(join(values.folder, 'orb-bench-'));
console.log(
  `node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(2) ?? '?'}; PostgreSQL and Portkey: skipped, not built or installed here`,
);
const rounds: Round[] = [];
for (let index = 0; index < Number(values.rounds); index += 1) {
  const options = { warm: Number(values.warm), seconds: Number(values.seconds), base: values.base };
  rounds.push(await round(join(folder, String(index)), { ...options, baseFirst: index % 2 === 1 }));
  console.error(`round ${index + 1} of ${values.rounds} done`);
}
printTable(rounds);
if (values.base !== undefined) printBase(rounds);
console.log(await killRound(join(folder, 'kill')));
const result = ratios(rounds);
console.log(`rate at 32, platform / pass-through:  ${result.rate32.toFixed(3)}   gate ≥ 0.25, goal ≥ 0.33`);
console.log(`rate at 256, platform / pass-through: ${result.rate256.toFixed(3)}`);
console.log(`added p50 at 1:                       ${result.addedP50.toFixed(2)} ms gate ≤ 0.9, goal ≤ 0.6`);
if (values.json !== undefined)
  writeFileSync(values.json, JSON.stringify({ node: process.version, rounds, ratios: result }));
rmSync(folder, { recursive: true, force: true });
process.exitCode = result.rate32 >= 0.25 && result.addedP50 <= 0.9 ? 0 : 1;
