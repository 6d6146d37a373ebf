// `npm run bench verify [-- --lines 50000 --rounds 3 --starts 25 --json FILE]`: how many receipts and bundles a second
// `orb verify` judges, on one thread and on all cores, and what one process costs that verifies one bundle. Everything
// runs in processes of `orb`; their whole time counts, with the start.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBenchOptions } from './bench-options.ts';
import { ROOT } from './subjects.ts';
import { row, tableOf, type Row } from './table.ts';
import { writeLines, type LineFiles } from './verify/write-lines.ts';

/** What a person expects of one file, and what two cores have to do with many. */
const GOAL = { startMs: 150, linesPerSecond: 5000 };
const MIN_LINES = 50_000;
const MIN_STARTS = 20;

/** As many threads as `orb verify` uses by itself. */
const cores = Math.min(availableParallelism(), 16);

interface Cost {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** The shell is what knows the CPU time of a process that has ended, with all its threads. */
const TIMED = 'TIMEFORMAT="%3R %3U %3S"; time "$@" 2>&3';

function timed(args: readonly string[], expected: RegExp): Cost {
  const command = [process.execPath, join(ROOT, 'cli/orb.js'), 'verify', ...args];
  const { status, stderr, output } = spawnSync('bash', ['-c', TIMED, 'bash', ...command], {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const said = output[3] ?? '';
  if (status !== 0 || !expected.test(said)) throw new Error(`orb verify ${args.join(' ')}: ${status}\n${said}`);
  const [wall = 0, user = 0, system = 0] = stderr.trim().split(' ').map(Number);
  return { wallMs: wall * 1000, cpuMs: (user + system) * 1000 };
}

interface Subject {
  readonly name: string;
  readonly threads: number;
  readonly args: readonly string[];
}

/** Each file on one thread and on all cores. */
const subjectsOf = (files: LineFiles): readonly Subject[] =>
  [
    { what: 'receipts', args: [files.receipts, '--keys', files.keys, '--allow-unlogged'] },
    { what: 'bundles, 100 to a checkpoint', args: [files.bundles] },
    { what: 'bundles, a checkpoint each', args: [files.ownCheckpoints] },
  ].flatMap(({ what, args }) =>
    [...new Set([1, cores])].map((threads) => ({
      name: `${what}, ${threads === 1 ? '1 thread' : `${threads} threads`}`,
      threads,
      args,
    })),
  );

const options = readBenchOptions({
  name: 'verify',
  about: `Measures how many receipts and bundles a second orb verify judges, on one thread and on all cores, and what one process
costs that verifies one bundle. The exit code is 1 when a goal is missed.`,
  options: [
    { name: 'lines', takes: 'N', value: String(MIN_LINES), least: MIN_LINES, text: 'receipts, and bundles' },
    { name: 'rounds', takes: 'N', value: '3', least: 1, text: 'rounds' },
    { name: 'starts', takes: 'N', value: '25', least: MIN_STARTS, text: 'processes that verify one bundle' },
    { name: 'folder', takes: 'FOLDER', value: tmpdir(), text: 'for the files' },
    { name: 'json', takes: 'FILE', text: 'saves all measurements' },
  ],
});
const lines = options.number('lines');
const starts = options.number('starts');

const folder = mkdtempSync(join(options.text('folder'), 'orb-bench-verify-'));
const costs = new Map<string, Cost[]>();
const note = (name: string, cost: Cost): void => void costs.set(name, [...(costs.get(name) ?? []), cost]);
console.log(`node ${process.version}, ${cores} cores, load ${loadavg()[0]?.toFixed(2) ?? '?'}, ${lines} lines`);
try {
  console.error(`writing ${lines} receipts and their bundles …`);
  const files = writeLines(folder, lines);
  const trusted = ['--root', files.root];
  // The first start fills the compile cache.
  for (let index = -1; index < starts; index += 1) {
    const cost = timed([files.one, ...trusted], /^$/);
    if (index >= 0) note('start', cost);
  }
  for (let round = 0; round < options.number('rounds'); round += 1) {
    for (const { name, threads, args } of subjectsOf(files)) {
      const cost = timed([...args, ...trusted, '--threads', String(threads)], new RegExp(`${lines} valid\\n$`));
      note(name, cost);
      console.error(`${name}: ${Math.round((lines * 1000) / cost.wallMs)}/s`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const measured = (name: string, value: (cost: Cost) => number): readonly number[] => (costs.get(name) ?? []).map(value);

const rows: Row[] = [
  row(
    'one bundle, a process each: wall, ms',
    measured('start', ({ wallMs }) => wallMs),
    {
      digits: 0,
      atMost: GOAL.startMs,
    },
  ),
  row(
    'the same: CPU, ms',
    measured('start', ({ cpuMs }) => cpuMs),
    { digits: 0 },
  ),
];
for (const name of costs.keys()) {
  if (name === 'start') continue;
  const isGoal = cores > 1 && name.endsWith(`${cores} threads`);
  const rates = measured(name, ({ wallMs }) => (lines * 1000) / wallMs);
  rows.push(row(`${name}: lines/s`, rates, { digits: 0, ...(isGoal ? { atLeast: GOAL.linesPerSecond } : {}) }));
  rows.push(
    row(
      `${name}: CPU, µs a line`,
      measured(name, ({ cpuMs }) => (cpuMs * 1000) / lines),
      { digits: 0 },
    ),
  );
}
console.log(tableOf('orb verify', rows));
console.log(`load at the end ${loadavg()[0]?.toFixed(2) ?? '?'}`);
const json = options.given('json');
if (json !== undefined)
  writeFileSync(json, JSON.stringify({ node: process.version, cores, lines, costs: Object.fromEntries(costs) }));
if (rows.some(({ met }) => met === false)) process.exitCode = 1;
