import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SCOPES, type Scope } from '../../core/api-key/scopes.ts';
import { command } from '../control-plane/command.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { kubectlOk, PLATFORM_NAMESPACE } from '../control-plane/install.ts';
import { startProcess, type Process } from '../control-plane/process.ts';
import { untilReadyFile } from '../control-plane/until-ready.ts';
import { isRecord, textAt } from '../control-plane/json.ts';

/** A running part of the platform; addresses from its ready file. */
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
  /** Added to its usual flags, or replacing them; `--name value`. */
  readonly flags?: readonly string[];
  /** Names log and ready file when a part runs more than once. */
  readonly instance?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The compiled program, as the image runs it, within a memory limit; default: the sources, without one. */
  readonly compiled?: { readonly megabytes: number };
  /** Cancels the start: the part is then killed. */
  readonly signal?: AbortSignal;
}

// Share of its memory limit that the image gives to the heap (packaging.md §4).
const HEAP_SHARE = 0.75;
const root = resolve(import.meta.dirname, '../..');
const KEY_SECRET = 'orb-platform-keys';
/** Rights over every tenant of a cluster that is thrown away: what the printed lines and the docs need. */
export const KEY_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== 'status:report');

/** Runs a verb of the command line as the administrator of the control plane. @throws Error what it printed */
async function orb(plane: ControlPlane, args: readonly string[]): Promise<string> {
  const line = [join(root, 'cli/main.ts'), ...args, '--kubeconfig', plane.users.admin.kubeconfig];
  const { code, stdout, stderr } = await command(process.execPath, line);
  if (code !== 0) throw new Error(`orb ${args.join(' ')}:\n${stderr}${stdout}`);
  return stdout;
}

/** Makes the platform's keys, and the folder that a pod would get by mounting their Secret. @returns that folder */
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

/** What a key is for. */
export interface KeyOptions {
  readonly tenant: string;
  readonly scopes: readonly Scope[];
  /** Absent: that of every key. */
  readonly rate?: string;
}

/** Makes an API key, by default for all tenants and without a rate. @returns its text */
export async function makeApiKey(
  plane: ControlPlane,
  { tenant, scopes, rate }: KeyOptions = { tenant: '*', scopes: KEY_SCOPES, rate: '0' },
): Promise<string> {
  const more = [...scopes.flatMap((scope) => ['--scope', scope]), ...(rate === undefined ? [] : ['--rate', rate])];
  return (await orb(plane, ['keys', 'create', '--tenant', tenant, ...more])).trim();
}

/** Flags for values, except those given already: a program refuses a flag that is given twice. */
const flagsBeside = (given: readonly string[], values: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(values).flatMap(([name, value]) => (given.includes(`--${name}`) ? [] : [`--${name}`, value]));

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

async function startPart(
  folder: 'operator' | 'api-server',
  user: 'operator' | 'api',
  own: Readonly<Record<string, string>>,
  options: PartOptions,
): Promise<Part> {
  const { plane, server = plane.server.url, flags = [], instance = folder, env = {} } = options;
  const ready = join(plane.folder, `${instance}-ready.json`);
  await rm(ready, { force: true });
  const usual = {
    'kube-server': server,
    'kube-token-file': plane.users[user].tokenFile,
    'kube-ca-file': plane.caFile,
    namespace: PLATFORM_NAMESPACE,
    'ready-file': ready,
    ...own,
  };
  const args = [...programOf(folder, options.compiled), ...flagsBeside(flags, usual), ...flags];
  const log = join(plane.folder, `${instance}.log`);
  const started = startProcess({ name: instance, file: process.execPath, args, log, cwd: plane.folder, env });
  try {
    const addresses = await untilReadyFile(ready, started, isRecord, options.signal);
    return { process: started, url: textAt(addresses, 'url'), metricsUrl: textAt(addresses, 'metrics_url') };
  } catch (error) {
    await started.stop(0);
    throw error;
  }
}

/** Starts the operator as its shipped ServiceAccount; it runs when this resolves. */
export const startOperator = (options: PartOptions): Promise<Part> =>
  startPart('operator', 'operator', { 'probes-listen': '127.0.0.1:0', 'metrics-listen': '127.0.0.1:0' }, options);

/** Starts the API as its shipped ServiceAccount; it answers requests when this resolves. @param keys of `makeKeys` */
export const startApi = (keys: string, options: PartOptions): Promise<Part> => {
  const data = join(options.plane.folder, `${options.instance ?? 'api-server'}-data`);
  return startPart(
    'api-server',
    'api',
    { listen: '127.0.0.1:0', 'metrics-listen': '127.0.0.1:0', keys, data },
    options,
  );
};
