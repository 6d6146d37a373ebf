import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { errorCode } from '../../core/errors/error-code.ts';

const INTERRUPTED = 130;
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** A killed process may still write for a moment. */
const REMOVAL = { recursive: true, force: true, maxRetries: 10, retryDelay: 20 } as const;

/** Process ids; a negative one is that of a whole group. */
const running = new Set<number>();
const folders = new Set<string>();

function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

function removeFolder(folder: string): void {
  rmSync(folder, REMOVAL);
  folders.delete(folder);
}

// However this process ends, what it has started and made ends with it.
process.on('exit', () => {
  for (const id of running) kill(id);
  for (const folder of folders) removeFolder(folder);
});

/** Kills a child when this process ends first. @param group it leads a process group, and all of it is killed */
export function endWithUs<Child extends ChildProcess>(child: Child, group = false): Child {
  if (child.pid === undefined) return child;
  const id = group ? -child.pid : child.pid;
  running.add(id);
  child.once('exit', () => running.delete(id));
  return child;
}

/** A new folder for the time of `work`; it is removed also when this process ends in the middle. */
export async function withFolder<T>(prefix: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(prefix);
  folders.add(folder);
  try {
    return await work(folder);
  } finally {
    removeFolder(folder);
  }
}

/** Makes Ctrl-C and SIGTERM end this process with 130, without a signal's default that would skip the cleaning. */
export function endOnSignal(): void {
  for (const name of SIGNALS) process.once(name, () => process.exit(INTERRUPTED));
}
