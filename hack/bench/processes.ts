import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { endWithUs } from './clean-end.ts';
import type { LoadResult, LoadSettings } from './generator.ts';
import { parseTaskStat } from './proc-stat.ts';

/** A process of the benchmark; its starter ends it. It never outlives this process. */
export interface Started {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
}

/** User and system CPU time of a process so far, µs (Linux). */
export const cpuMicros = (pid: number): number => parseTaskStat(readFileSync(`/proc/${pid}/stat`, 'utf8')).micros;

/** Resident memory, MB (Linux). */
export function residentMb(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return Math.round((pages * 4096) / 1e6);
}

/** Largest resident memory of a process so far, MB (Linux). */
export function peakMb(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round((Number(kilobytes) * 1024) / 1e6);
}

/** Starts one of our own scripts with this Node; stderr goes to `log`, a file descriptor. */
export function start(args: readonly string[], log: number, group = false): Started {
  const child = endWithUs(
    spawn(process.execPath, [...args], { stdio: ['ignore', 'pipe', log], detached: group }),
    group,
  );
  const pid = child.pid ?? 0;
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    process.kill(group ? -pid : pid, signal);
    await gone;
  };
  return { pid, child, stop };
}

/** The first line of a script's standard output, as JSON. */
export async function firstLine(started: Started): Promise<unknown> {
  const { stdout } = started.child;
  if (stdout === null) throw new TypeError('no standard output');
  for await (const line of createInterface({ input: stdout })) {
    stdout.resume();
    return JSON.parse(line);
  }
  throw new Error('the process ended before it said anything');
}

const isMeasured = (value: unknown): value is LoadResult =>
  typeof value === 'object' && value !== null && 'requests' in value && 'p50' in value;

/** Runs one load in its own process. */
export async function load(settings: LoadSettings): Promise<LoadResult> {
  const generator = `${import.meta.dirname}/generator.ts`;
  const child = endWithUs(spawn(process.execPath, [generator], { stdio: ['pipe', 'pipe', 'inherit'] }));
  child.stdin.end(JSON.stringify(settings));
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  const measured: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  if (!isMeasured(measured)) throw new TypeError('the generator printed no measurements');
  return measured;
}
