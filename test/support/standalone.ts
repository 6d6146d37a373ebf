import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithUs } from '../../hack/bench/clean-end.ts';
import { untilReadyFile } from '../../hack/control-plane/until-ready.ts';
import { unlessOverloaded } from './unless-overloaded.ts';
import { lastAnswer } from './wait-for.ts';

const root = join(import.meta.dirname, '../..');
const READY_MS = 60_000;
const PRINTED_MS = 30_000;

/** The content of `--ready-file`. */
interface ReadyFile {
  readonly url: string;
  readonly metrics_url: string;
  readonly api_key: string;
  readonly orbiset: string;
  readonly orb_id: string;
  readonly inputs: unknown;
}

/** A running `npm start`, without npm. */
export interface Standalone {
  readonly ready: ReadyFile;
  readonly child: ChildProcess;
  readonly data: string;
  /** The folder that `--resources` names; present when the test gave resources. */
  readonly resources: string;
  /** Everything that it printed so far, stdout and stderr. */
  readonly output: () => string;
  /** Signals it to stop and waits. @returns its exit code, null after a signal */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
  readonly post: (path: string, body: unknown, headers?: Readonly<Record<string, string>>) => Promise<Response>;
  readonly get: (path: string, headers?: Readonly<Record<string, string>>, signal?: AbortSignal) => Promise<Response>;
}

export interface StartOptions {
  /** Kept after the end; default a temporary folder. */
  readonly data?: string;
  /** File name → text; default: the repository's manifests. */
  readonly resources?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Receives the process before it is ready: for a test that ends it earlier. */
  readonly onSpawn?: (child: ChildProcess) => void;
}

/** A temporary folder that the test removes by `rmSync`. */
export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'orb-test-'));

const isReady = (value: unknown): value is ReadyFile =>
  typeof value === 'object' && value !== null && 'api_key' in value;

function writeResources(folder: string, files: Readonly<Record<string, string>>): string {
  const resources = join(folder, 'resources');
  mkdirSync(resources, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(resources, name), text);
  return resources;
}

/** The `code` of a problem; '' for any other answer. */
export const codeOf = (answer: unknown): string =>
  typeof answer === 'object' && answer !== null && 'code' in answer && typeof answer.code === 'string'
    ? answer.code
    : '';

/** The end of a process that was expected to end. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs standalone with exactly these arguments until it ends by itself, a minute at most. */
export async function runStandalone(args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [join(root, 'standalone/main.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), READY_MS);
  const texts = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (texts.stdout += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (texts.stderr += chunk.toString('utf8')));
  await once(child, 'close');
  clearTimeout(timer);
  return { code: child.exitCode, ...texts };
}

/**
 * Everything that a process printed, once it holds `text` or half a minute has passed. Log lines are written up to
 * 50 ms after their event.
 */
export async function outputWith({ output }: Pick<Standalone, 'output'>, text: string): Promise<string> {
  return lastAnswer(output, (printed) => printed.includes(text), PRINTED_MS);
}

/** Starts standalone on free ports and waits until it answers. */
export async function startStandalone(options: StartOptions = {}): Promise<Standalone> {
  const folder = options.data ?? temporaryFolder();
  const ready = join(folder, 'ready.json');
  rmSync(ready, { force: true });
  const resources =
    options.resources === undefined ? join(root, 'manifests') : writeResources(folder, options.resources);
  const flags = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0', '--data', join(folder, 'data')];
  // The runs of the status would stand between those of a test.
  const isMeasured = options.flags?.some((flag) => flag.startsWith('--status-interval')) ?? false;
  const args = [
    join(root, 'standalone/main.ts'),
    ...flags,
    '--ready-file',
    ready,
    '--resources',
    resources,
    ...(isMeasured ? [] : ['--status-interval', '0']),
    ...(options.flags ?? []),
  ];
  const started = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
    detached: true,
  });
  const child = endWithUs(started, true);
  options.onSpawn?.(child);
  let text = '';
  const collect = (chunk: Buffer): void => void (text += chunk.toString('utf8'));
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const output = (): string => text;
  const ended = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const starting = {
    name: 'standalone',
    ended,
    tail: output,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
  };
  const reported = await untilReadyFile(ready, starting, isReady);
  const authorization = `Bearer ${reported.api_key}`;
  return {
    ready: reported,
    child,
    data: join(folder, 'data'),
    resources,
    output,
    stop: async (signal = 'SIGTERM') => {
      if (ended()) return child.exitCode;
      const gone = once(child, 'close');
      process.kill(-(child.pid ?? 0), signal);
      await gone;
      return child.exitCode;
    },
    post: (path, body, headers = {}) =>
      unlessOverloaded(() =>
        fetch(`${reported.url}${path}`, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json', ...headers },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
      ),
    get: (path, headers = {}, signal) =>
      fetch(`${reported.url}${path}`, {
        headers: { authorization, ...headers },
        ...(signal === undefined ? {} : { signal }),
      }),
  };
}
