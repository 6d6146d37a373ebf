import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const bin = (name: string): string => join(import.meta.dirname, '../../cli', name);

/** The result of a process of the command line. */
export interface OrbEnded {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** The command line as its own process, with its own home folder. */
export interface OrbProcess {
  /** Home, configuration and working folder; the test removes it. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly run: (
    argv: readonly string[],
    options?: { readonly stdin?: string; readonly env?: NodeJS.ProcessEnv; readonly file?: string },
  ) => Promise<OrbEnded>;
}

export function anOrbProcess(): OrbProcess {
  const folder = mkdtempSync(join(tmpdir(), 'orb-process-'));
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const own: NodeJS.ProcessEnv = { PATH, NODE_COMPILE_CACHE, HOME: folder, ORB_CONFIG_DIR: join(folder, 'config') };
  return {
    folder,
    env: own,
    run: async (argv, { stdin = '', env = {}, file = 'orb.js' } = {}) => {
      const child = spawn(process.execPath, [bin(file), ...argv], { cwd: folder, env: { ...own, ...env } });
      const texts = { out: '', err: '' };
      child.stdout.on('data', (chunk: Buffer) => (texts.out += chunk.toString('utf8')));
      child.stderr.on('data', (chunk: Buffer) => (texts.err += chunk.toString('utf8')));
      // A process that ended before its input came, on a loaded machine: its status and its output say how it went.
      child.stdin.on('error', () => undefined);
      child.stdin.end(stdin);
      await once(child, 'close');
      return { status: child.exitCode, ...texts };
    },
  };
}
