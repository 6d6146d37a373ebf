import { readdirSync, readFileSync } from 'node:fs';
import { parseTaskStat } from './proc-stat.ts';

/** `mapping` maps deliveries; `check` verifies receipts; `pool` is libuv's; `V8` compiles and collects garbage. */
export const THREADS = ['main', 'ledger', 'mapping', 'check', 'pool', 'V8', 'other'] as const;
type Thread = (typeof THREADS)[number];
/** CPU time by thread, µs. */
export type ThreadTimes = Readonly<Record<Thread, number>>;

/** Names that Node and the platform give to their threads. A worker without a name is the ledger's of an older commit. */
const NAMES: Readonly<Record<string, Thread>> = {
  MainThread: 'main',
  node: 'main',
  ledger: 'ledger',
  mapping: 'mapping',
  'self-check': 'check',
  WorkerThread: 'ledger',
  'libuv-worker': 'pool',
  V8Worker: 'V8',
  DelayedTaskSche: 'V8',
};

/** @param stats content of each /proc/PID/task/TID/stat of one process */
export function sumThreads(stats: readonly string[]): ThreadTimes {
  const sums = { main: 0, ledger: 0, mapping: 0, check: 0, pool: 0, V8: 0, other: 0 };
  for (const { name, micros } of stats.map(parseTaskStat)) sums[NAMES[name] ?? 'other'] += micros;
  return sums;
}

function statOf(path: string): readonly string[] {
  try {
    return [readFileSync(path, 'utf8')];
  } catch {
    return []; // the thread has ended since its folder was listed
  }
}

/** CPU times of the threads that a process has now (Linux). */
export const threadTimes = (pid: number): ThreadTimes =>
  sumThreads(readdirSync(`/proc/${pid}/task`).flatMap((thread) => statOf(`/proc/${pid}/task/${thread}/stat`)));

/** What was used in between, for each of `requests`. A time never runs backwards: a thread may have ended. */
export function timesPerRequest(before: ThreadTimes, after: ThreadTimes, requests: number): ThreadTimes {
  const per = (thread: Thread): number => Math.max(0, after[thread] - before[thread]) / requests;
  return {
    main: per('main'),
    ledger: per('ledger'),
    mapping: per('mapping'),
    check: per('check'),
    pool: per('pool'),
    V8: per('V8'),
    other: per('other'),
  };
}
