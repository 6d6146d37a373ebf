import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

const LAST_OUTPUT_MS = 1000;

/** The exit code of a process: above 128 for a signal, 127 when it can't be started. */
export const exitOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => {
    child.once('error', () => resolve(127));
    child.once('exit', (code) => resolve(code ?? 128));
  });

/**
 * The same, once its piped output has been read to the end. A program that it has left behind may hold the pipes open:
 * that is not waited for.
 */
export async function exitAfterOutput(child: ChildProcess): Promise<number> {
  const closed = new Promise((resolve) => void child.once('close', resolve));
  const code = await exitOf(child);
  await Promise.race([closed, delay(LAST_OUTPUT_MS, undefined, { ref: false })]);
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  return code;
}
