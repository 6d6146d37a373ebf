import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

/** A child process whose output goes to a file. */
export interface Process {
  readonly name: string;
  readonly pid: number;
  readonly log: string;
  /** Whether it has ended. */
  readonly ended: () => boolean;
  /** Resolves with its exit code (null after a signal) when it has ended. */
  readonly exited: Promise<number | null>;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Sends SIGTERM, kills it after `graceMs`, and waits. @returns exit code, null after a signal */
  readonly stop: (graceMs?: number) => Promise<number | null>;
  /** The end of its output. */
  readonly tail: (lines?: number) => string;
}

export interface ProcessOptions {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly log: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

const GRACE_MS = 10_000;
const TAIL_LINES = 20;

// Processes that still run when this process ends unexpectedly are ended with it.
const running = new Set<Process>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a process; its stdout and stderr are appended to `log`. */
export function startProcess({ name, file, args, log, env = {}, cwd }: ProcessOptions): Process {
  const output = openSync(log, 'a');
  // Its own process group: Ctrl-C in a terminal reaches only the starter, which stops its processes in order.
  const stdio = ['ignore' as const, output, output];
  const child = spawn(file, [...args], { stdio, env: { ...process.env, ...env }, cwd, detached: true });
  closeSync(output);
  let ended = false;
  const exited = new Promise<number | null>((resolve) => {
    const end = (code: number | null): void => {
      ended = true;
      running.delete(started);
      resolve(code);
    };
    child.once('exit', end);
    child.once('error', () => end(127));
  });
  const kill = (signal: NodeJS.Signals): void => {
    if (!ended) child.kill(signal);
  };
  const stop = async (graceMs = GRACE_MS): Promise<number | null> => {
    kill('SIGTERM');
    const timer = setTimeout(() => kill('SIGKILL'), graceMs);
    return exited.finally(() => clearTimeout(timer));
  };
  const tail = (lines = TAIL_LINES): string => readFileSync(log, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  const started: Process = { name, pid: child.pid ?? 0, log, ended: () => ended, exited, kill, stop, tail };
  running.add(started);
  return started;
}
