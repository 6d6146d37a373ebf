import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { endWithUs } from '../clean-end.ts';

/** The platform has a core of its own; else the generator of the load is what is measured. */
export const CORES = { others: 0, platform: 1 } as const;

/** Lower priority of attackers: they share their core with the measured caller, and must not delay it. */
export const ATTACKER_NICE = 10;

/** Moves a process with all its threads; threads and children that it starts later stay on the core too. */
export const pin = (pid: number, core: number): void =>
  void execFileSync('taskset', ['-a', '-c', '-p', String(core), String(pid)]);

/** A script of this benchmark that prints lines of JSON. */
export interface Script {
  /** The next line that it prints. @throws Error it ended before */
  readonly line: () => Promise<unknown>;
  readonly stop: () => Promise<void>;
}

/** Starts one of our own scripts. @param more niceness beside that of this process */
export function startScript(args: readonly string[], more = 0): Script {
  const program = ['-n', String(more), process.execPath, ...args];
  const child = endWithUs(spawn('nice', program, { stdio: ['ignore', 'pipe', 'inherit'] }));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<unknown> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`${args[0]} ended before it said anything`);
    return JSON.parse(value);
  };
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill();
    await gone;
  };
  return { line, stop };
}
