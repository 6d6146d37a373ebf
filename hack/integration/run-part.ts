import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { Part } from './parts.ts';

/** How a part ended. */
export interface PartResult {
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
/**
 * A test starts many programs that load the same modules. With Node's compile cache this takes a third of the time
 * (`orb help`: 0.24 s of CPU in place of 0.62 s). Not used for coverage, which is less exact with cached code.
 */
export const COMPILE_CACHE = join(root, 'node_modules/.cache/node-compile');
// etcd, the servers of Kubernetes, kubectl and Helm collect garbage less often: memory is there, cores are not.
const GO = { GOGC: '400' };
// Servers of a part get a signal to stop; its mocha kills servers that don't stop. All ends within 12 s.
const GRACE_MS = 10_000;

/**
 * Runs one part in its own process; never rejects.
 * @param signal ends it and all processes that it has started
 */
export function runPart(part: Part, extra: readonly string[], signal: AbortSignal): Promise<PartResult> {
  const begun = performance.now();
  const [file, ...args] =
    part.script === undefined
      ? [process.execPath, MOCHA, '--config', CONFIG, ...extra, ...part.files]
      : ['npm', 'run', '-s', part.script];
  // Its own process group: Ctrl-C in a terminal reaches only this process, which ends the parts.
  const env = { ...GO, ...(part.script === undefined && { NODE_COMPILE_CACHE: COMPILE_CACHE }), ...process.env };
  const child = spawn(file, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const killGroup = (name: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // The process has already ended.
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
