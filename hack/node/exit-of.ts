import type { ChildProcess } from 'node:child_process';

/** The exit code of a process: above 128 for a signal, 127 when it can't be started. */
export const exitOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => {
    child.once('error', () => resolve(127));
    child.once('exit', (code) => resolve(code ?? 128));
  });
