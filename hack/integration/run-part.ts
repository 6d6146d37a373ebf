import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { Part } from './parts.ts';

/** How a part ended. */
export interface Ran {
  readonly part: Part;
  /** Exit code of mocha; null after a signal. */
  readonly code: number | null;
  /** What it printed. */
  readonly output: string;
  readonly ms: number;
}

const root = resolve(import.meta.dirname, '../..');
const MOCHA = join(root, 'node_modules/mocha/bin/mocha.js');
const CONFIG = '.mocharc.integration.json';
// Servers that a part has started are asked to stop, and are killed by its mocha when they don't.
const GRACE_MS = 15_000;

/**
 * Runs one part in a process of its own; never rejects.
 * @param signal ends it and all that it has started
 */
export function runPart(part: Part, extra: readonly string[], signal: AbortSignal): Promise<Ran> {
  const begun = performance.now();
  const args = [MOCHA, '--config', CONFIG, ...extra, ...part.files];
  // A group of its own: Ctrl-C in a terminal reaches this process alone, which ends the parts.
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const killGroup = (name: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // It has ended meanwhile.
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    killGroup('SIGTERM');
    timer = setTimeout(() => killGroup('SIGKILL'), GRACE_MS);
  };
  signal.addEventListener('abort', end, { once: true });
  return new Promise((done) => {
    const finish = (code: number | null, more = ''): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      const output = Buffer.concat(chunks).toString('utf8') + more;
      done({ part, code, output, ms: performance.now() - begun });
    };
    child.once('error', (error) => finish(null, error.message));
    child.once('close', (code) => finish(code));
  });
}
