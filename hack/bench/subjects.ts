import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { untilReadyFile } from '../control-plane/until-ready.ts';
import { EXECUTE_BODY, manifest, orbiset } from './bench-orbs.ts';
import { firstLine, start, type Started } from './processes.ts';

/** A server that answers the benchmark's request. */
export interface BenchServer {
  readonly started: Started;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** URL of its metrics, if it has any. */
  readonly metrics?: string;
}

/** This checkout. */
export const ROOT = join(import.meta.dirname, '../..');

/** The port in the first line that one of our scripts prints. */
export const portOf = (value: unknown): number =>
  typeof value === 'object' && value !== null && 'port' in value ? Number(value.port) : 0;

export async function startMock(log: number): Promise<{ readonly started: Started; readonly port: number }> {
  const started = start([join(import.meta.dirname, 'mock-provider.ts')], log);
  return { started, port: portOf(await firstLine(started)) };
}

async function startApp(script: string, args: readonly string[], log: number): Promise<BenchServer> {
  const started = start([join(import.meta.dirname, script), ...args], log);
  return {
    started,
    port: portOf(await firstLine(started)),
    path: '/orbisets/default/execute',
    headers: {},
    body: EXECUTE_BODY,
  };
}

const targetOf = (mock: number): string => `http://127.0.0.1:${mock}/v1/send`;

export const startPassThrough = (mock: number, log: number): Promise<BenchServer> =>
  startApp('pass-through.ts', [targetOf(mock)], log);

/** A pass-through with two durable commits and a signature. @param folder for its ledger */
export function startBareRun(folder: string, mock: number, log: number): Promise<BenchServer> {
  mkdirSync(folder, { recursive: true });
  return startApp('bare-run.ts', [targetOf(mock), folder], log);
}

/** What `--ready-file` gets. */
export interface Ready {
  readonly url: string;
  readonly metrics_url: string;
  readonly api_key: string;
}

const isReady = (value: unknown): value is Ready =>
  typeof value === 'object' && value !== null && 'url' in value && 'metrics_url' in value && 'api_key' in value;

/** The ready file of a platform. @throws Error it ended, or was not ready in time */
export function untilPlatformReady(file: string, started: Started): Promise<Ready> {
  const { child } = started;
  const starting = {
    name: 'the platform',
    ended: () => child.exitCode !== null || child.signalCode !== null,
    tail: () => 'see the log file',
    kill: (signal: NodeJS.Signals) => void started.stop(signal),
  };
  return untilReadyFile(file, starting, isReady);
}

/** How `npm start` runs Node in a checkout. */
export const STANDALONE = {
  node: ['--max-semi-space-size=32', '--v8-pool-size=1'],
  program: 'standalone/main.ts',
  compiled: 'dist/standalone/main.js',
} as const;

/** Which code runs, and how. */
export interface PlatformOptions {
  /** Folder of the code to run; default: this checkout. */
  readonly checkout?: string;
  /** Runs what `compile` made of it, as the image does; default: the sources. */
  readonly isCompiled?: boolean;
  /** Further options of Node. */
  readonly node?: readonly string[];
  /** Further flags of the program. */
  readonly flags?: readonly string[];
}

/**
 * The product in its shipped configuration: full sync, self-check on, logs to a file, a real key.
 * @param folder for its data; what its `resources` holds already is served too
 */
export async function startPlatform(
  folder: string,
  mock: number,
  log: number,
  { checkout = ROOT, isCompiled = false, node = [], flags: further = [] }: PlatformOptions = {},
): Promise<BenchServer> {
  const resources = join(folder, 'resources');
  mkdirSync(resources, { recursive: true });
  writeFileSync(join(resources, 'send.yaml'), manifest(mock));
  writeFileSync(join(resources, 'orbiset.yaml'), orbiset);
  const ready = join(folder, 'ready.json');
  const flags = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0', '--resources', resources];
  const more = ['--data', join(folder, 'data'), '--ready-file', ready, '--egress-allow', `http://127.0.0.1:${mock}`];
  const program = join(checkout, isCompiled ? STANDALONE.compiled : STANDALONE.program);
  const started = start([...STANDALONE.node, ...node, program, ...flags, ...more, ...further], log, true);
  started.child.stdout?.resume();
  const { url, metrics_url: metrics, api_key: key } = await untilPlatformReady(ready, started);
  const headers = { authorization: `Bearer ${key}` };
  const path = '/orbisets/default/execute';
  return { started, port: Number(new URL(url).port), path, headers, body: EXECUTE_BODY, metrics };
}

/** A log file of one round. */
export const logFile = (folder: string, name: string): number => {
  mkdirSync(folder, { recursive: true });
  return openSync(join(folder, name), 'a');
};
