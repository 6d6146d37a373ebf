// The ledger alone (performance.md §1.1): closed loop of whole runs, start row then finish row, both durable. With
// `--policies` each start stores a decision with its facts.
import { mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import type { RunFinish, RunStart } from '../../adapters/ledger/port.ts';
import { median, percentile } from '../../test/support/rank.ts';
import { endByBadUse, readBenchOptions } from './bench-options.ts';
import { ledgerRun, openLedger } from './ledger-runs.ts';
import { aPolicyRecord } from './policy-record.ts';
import { threadTimes, timesPerRequest } from './thread-times.ts';

const CONCURRENCY = [1, 8, 32, 256];
/** performance.md §5: runs/s at 32. */
const GATE = { concurrency: 32, atLeast: 10_000, goal: 20_000 };
const TMPFS = 0x01021994;

interface RunLatencies {
  readonly concurrency: number;
  readonly runsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** CPU time of a run on the main thread, with this loop, and on the ledger's, µs. */
  readonly mainMicros: number;
  readonly ledgerMicros: number;
  /** Growth of the file, with indexes. */
  readonly bytes: number;
}

const options = readBenchOptions({
  name: 'ledger',
  about: `Measures the ledger alone: whole runs one after the other, each with its start row and its finish row, both durable. The
exit code is 1 below the gate of 10 000 runs a second.`,
  options: [
    { name: 'seconds', takes: 'SECONDS', value: '1.5', least: 0.1, text: 'duration of each measurement' },
    { name: 'rounds', takes: 'N', value: '3', least: 1, text: 'rounds' },
    { name: 'folder', takes: 'FOLDER', value: '.', text: 'for the ledger, on a disk' },
    { name: 'policies', text: 'each start stores a decision with its facts' },
  ],
});
const milliseconds = options.number('seconds') * 1000;

function aRun(number: number): readonly [RunStart, RunFinish] {
  const [start, finish] = ledgerRun(number);
  return options.has('policies')
    ? [{ ...start, policy: aPolicyRecord(start.runId, start.startedAt, number) }, finish]
    : [start, finish];
}

async function measure(concurrency: number): Promise<RunLatencies> {
  const folder = mkdtempSync(join(options.text('folder'), '.bench-ledger-'));
  const ledger = await openLedger(folder);
  const latencies: number[] = [];
  let runs = 0;
  const before = threadTimes(process.pid);
  const began = performance.now();
  const worker = async (): Promise<void> => {
    while (performance.now() - began < milliseconds) {
      const [start, finish] = aRun((runs += 1));
      const sent = performance.now();
      await ledger.startRun(start);
      await ledger.finishRun(finish);
      latencies.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const seconds = (performance.now() - began) / 1000;
  const { main, ledger: writer } = timesPerRequest(before, threadTimes(process.pid), latencies.length);
  await ledger.close();
  const bytes = statSync(join(folder, 'ledger.sqlite')).size / latencies.length;
  rmSync(folder, { recursive: true });
  return {
    concurrency,
    runsPerSecond: Math.round(latencies.length / seconds),
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    maxMs: percentile(latencies, 1),
    mainMicros: main,
    ledgerMicros: writer,
    bytes,
  };
}

function medians(concurrency: number, rounds: readonly RunLatencies[]): RunLatencies {
  const of = (member: keyof RunLatencies): number => median(rounds.map((latencies) => latencies[member]));
  return {
    concurrency,
    runsPerSecond: of('runsPerSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    maxMs: of('maxMs'),
    mainMicros: of('mainMicros'),
    ledgerMicros: of('ledgerMicros'),
    bytes: of('bytes'),
  };
}

if (statfsSync(options.text('folder')).type === TMPFS) {
  endByBadUse('ledger', 'this folder is in memory: a sync costs nothing there. Name one on a disk with --folder');
}
console.log(
  `node ${process.versions.node}, ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(2)}, ${options.text('rounds')} rounds`,
);
const results: RunLatencies[] = [];
for (const concurrency of CONCURRENCY) {
  const rounds: RunLatencies[] = [];
  for (let round = 0; round < options.number('rounds'); round += 1) rounds.push(await measure(concurrency));
  const result = medians(concurrency, rounds);
  results.push(result);
  const { runsPerSecond, p50Ms, p99Ms, maxMs, mainMicros, ledgerMicros, bytes } = result;
  const columns = [
    `c=${concurrency}`,
    `${runsPerSecond} runs/s`,
    `p50 ${p50Ms.toFixed(2)}`,
    `p99 ${p99Ms.toFixed(2)}`,
    `max ${maxMs.toFixed(1)} ms`,
    `main ${mainMicros.toFixed(0)} µs`,
    `ledger ${ledgerMicros.toFixed(0)} µs`,
    `${bytes.toFixed(0)} B/run`,
  ];
  console.log(columns.map((column) => column.padStart(15)).join(''));
}
console.log(
  JSON.stringify({ bench: 'ledger', policies: options.has('policies'), node: process.versions.node, results }),
);
const reached = results.find(({ concurrency }) => concurrency === GATE.concurrency)?.runsPerSecond ?? 0;
console.log(`c=${GATE.concurrency}: ${reached} runs/s; gate ${GATE.atLeast}, goal ${GATE.goal}`);
if (reached < GATE.atLeast) process.exitCode = 1;
