import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { STARTER, watchStarter } from '../../adapters/process/stop-signal.ts';

const FORWARDED = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

// A terminal sends Ctrl-C to both processes; forwarding it would be a second signal, which stops the child's shutdown.
const isOurs = (signal: NodeJS.Signals): boolean => signal !== 'SIGINT' || !process.stdin.isTTY;

/**
 * Runs Node on a file, with this process's terminal, until it ends; signals to this process are forwarded to it.
 * @returns its exit code, 128 + number after a signal
 */
export async function runNode(file: string, args: readonly string[]): Promise<number> {
  const env = { ...process.env, [STARTER]: String(process.pid) };
  const child = spawn(process.execPath, [file, ...args], { stdio: 'inherit', env });
  const forward = (signal: NodeJS.Signals): void => {
    if (isOurs(signal)) child.kill(signal);
  };
  for (const signal of FORWARDED) process.on(signal, forward);
  const unwatch = watchStarter(() => child.kill('SIGTERM'));
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
    });
  } finally {
    unwatch();
    for (const signal of FORWARDED) process.off(signal, forward);
  }
}
