import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { command } from '../control-plane/command.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { kubectlOk, PLATFORM_NAMESPACE } from '../control-plane/install.ts';
import { startProcess, type Process } from '../control-plane/process.ts';
import { isRecord, textAt } from './json.ts';

/** A running part of the platform; addresses as its ready file told them. */
export interface Part {
  readonly process: Process;
  readonly url: string;
  readonly metricsUrl: string;
}

/** How a part is started. */
export interface PartOptions {
  readonly plane: ControlPlane;
  /** Where it finds the Kubernetes API; default: the control plane itself. */
  readonly server?: string;
  /** Added to the flags that it needs; `--name value`. */
  readonly flags?: readonly string[];
  /** Names log and ready file when a part runs more than once. */
  readonly instance?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The compiled program, as the image runs it, within a memory limit; default: the sources, without one. */
  readonly compiled?: { readonly megabytes: number };
  /** Breaks the start off: the part is killed then. */
  readonly signal?: AbortSignal;
}

// What the image leaves to the heap of its memory limit (packaging.md §4).
const HEAP_SHARE = 0.75;
const root = resolve(import.meta.dirname, '../..');
const KEY_SECRET = 'orb-platform-keys';
const SCOPES = ['orbs:execute', 'receipts:read', 'providers:read'];
const READY_MS = 60_000;
const POLL_MS = 50;

/** Runs a verb of the command line as the administrator of the control plane. @throws Error what it printed */
async function orb(plane: ControlPlane, args: readonly string[]): Promise<string> {
  const line = [join(root, 'cli/main.ts'), ...args, '--kubeconfig', plane.users.admin.kubeconfig];
  const { code, stdout, stderr } = await command(process.execPath, line);
  if (code !== 0) throw new Error(`orb ${args.join(' ')}:\n${stderr}${stdout}`);
  return stdout;
}

/** Makes the platform's keys, and the folder that a pod would mount their Secret as. @returns that folder */
export async function makeKeys(plane: ControlPlane, issuer: string): Promise<string> {
  const place = ['-n', PLATFORM_NAMESPACE];
  await orb(plane, ['ledger', 'init', '--secret', KEY_SECRET, ...place, '--issuer', issuer]);
  const secret: unknown = JSON.parse(await kubectlOk(plane, ['get', 'secret', KEY_SECRET, ...place, '-o', 'json']));
  const folder = join(plane.folder, 'keys');
  await mkdir(folder, { mode: 0o700 });
  const data = isRecord(secret) && isRecord(secret['data']) ? secret['data'] : {};
  for (const name of Object.keys(data)) {
    await writeFile(join(folder, name), Buffer.from(textAt(data, name), 'base64'), { mode: 0o600 });
  }
  return folder;
}

/** Makes an API key of all tenants. @returns its text */
export async function makeApiKey(plane: ControlPlane): Promise<string> {
  const scopes = SCOPES.flatMap((scope) => ['--scope', scope]);
  return (await orb(plane, ['keys', 'create', '--tenant', '*', ...scopes])).trim();
}

const flagsOf = (values: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]);

function programOf(folder: string, compiled: PartOptions['compiled']): readonly string[] {
  if (compiled === undefined) return ['--v8-pool-size=1', join(root, folder, 'main.ts')];
  const heap = Math.floor(compiled.megabytes * HEAP_SHARE);
  return [
    '--v8-pool-size=1',
    `--max-old-space-size=${heap}`,
    '--max-semi-space-size=8',
    join(root, 'dist', folder, 'main.js'),
  ];
}

/** Waits for the ready file. @throws Error the end of the part's log, when it ended or took too long */
async function readyFile(file: string, part: Process, signal: AbortSignal | undefined): Promise<unknown> {
  const until = performance.now() + READY_MS;
  while (performance.now() < until && !part.ended()) {
    signal?.throwIfAborted();
    if (existsSync(file)) return JSON.parse(await readFile(file, 'utf8'));
    await delay(POLL_MS);
  }
  const why = part.ended() ? 'has ended' : 'is not ready after 60 s';
  throw new Error(`${part.name} ${why}:\n${part.tail()}`);
}

async function startPart(
  folder: 'operator' | 'api-server',
  user: 'operator' | 'api',
  own: Readonly<Record<string, string>>,
  options: PartOptions,
): Promise<Part> {
  const { plane, server = plane.server.url, flags = [], instance = folder, env = {} } = options;
  const ready = join(plane.folder, `${instance}-ready.json`);
  await rm(ready, { force: true });
  const given = {
    'kube-server': server,
    'kube-token-file': plane.users[user].tokenFile,
    'kube-ca-file': plane.caFile,
    namespace: PLATFORM_NAMESPACE,
    'ready-file': ready,
    ...own,
  };
  const args = [...programOf(folder, options.compiled), ...flagsOf(given), ...flags];
  const log = join(plane.folder, `${instance}.log`);
  const started = startProcess({ name: instance, file: process.execPath, args, log, cwd: plane.folder, env });
  try {
    const told = await readyFile(ready, started, options.signal);
    return { process: started, url: textAt(told, 'url'), metricsUrl: textAt(told, 'metrics_url') };
  } catch (error) {
    await started.stop(0);
    throw error;
  }
}

/** Starts the operator as the ServiceAccount that ships; it runs when this resolves. */
export const startOperator = (options: PartOptions): Promise<Part> =>
  startPart('operator', 'operator', { 'probes-listen': '127.0.0.1:0', 'metrics-listen': '127.0.0.1:0' }, options);

/** Starts the API as the ServiceAccount that ships; it answers requests when this resolves. @param keys of `makeKeys` */
export const startApi = (keys: string, options: PartOptions): Promise<Part> => {
  const data = join(options.plane.folder, `${options.instance ?? 'api-server'}-data`);
  return startPart(
    'api-server',
    'api',
    { listen: '127.0.0.1:0', 'metrics-listen': '127.0.0.1:0', keys, data },
    options,
  );
};
