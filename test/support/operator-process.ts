import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ControlPlane } from '../../hack/control-plane/control-plane.ts';
import { startProcess, type Process } from '../../hack/control-plane/process.ts';

const root = join(import.meta.dirname, '../..');

/** What `--ready-file` of the operator holds. */
interface ReadyFile {
  readonly probes_url: string;
  readonly metrics_url: string;
  readonly identity: string;
}

/** A running operator. */
export interface OperatorProcess {
  readonly ready: ReadyFile;
  readonly process: Process;
  /** Value of one series; undefined when there is none. @param series name with its labels, as it is exposed */
  readonly metric: (series: string) => Promise<number | undefined>;
  /** Ends it and removes its folder. @returns exit code, null after a signal */
  readonly stop: () => Promise<number | null>;
}

export interface OperatorOptions {
  /** How it reaches the API server; default: the kubeconfig of the control plane's user `operator`. */
  readonly connection?: readonly string[];
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Does not wait until the caches are filled: `ready` holds nothing then. */
  readonly unready?: boolean;
}

/** A lease that changes hands within seconds. */
export const SHORT_LEASE = ['--lease-duration', '4s', '--renew-deadline', '3s', '--retry-period', '500ms'] as const;

const READY_MS = 60_000;
const POLL_MS = 50;

const isReady = (value: unknown): value is ReadyFile =>
  typeof value === 'object' && value !== null && 'probes_url' in value;

async function waitForReady(file: string, child: Process): Promise<ReadyFile> {
  const until = performance.now() + READY_MS;
  while (performance.now() < until) {
    if (child.ended()) throw new Error(`the operator has ended: ${child.tail()}`);
    const value: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
    if (isReady(value)) return value;
    await delay(POLL_MS);
  }
  child.kill('SIGKILL');
  throw new Error(`the operator is not ready within 60 s: ${child.tail()}`);
}

async function readMetric(url: string, series: string): Promise<number | undefined> {
  const text = await (await fetch(url)).text();
  const line = text.split('\n').find((row) => row.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

/** Starts an operator as a process of its own and waits until its caches are filled. */
export async function startOperator(plane: ControlPlane, options: OperatorOptions = {}): Promise<OperatorProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'orb-operator-'));
  const readyFile = join(folder, 'ready.json');
  const { connection = ['--kubeconfig', plane.users.operator.kubeconfig], flags = [], env = {}, unready } = options;
  const listen = ['--probes-listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0', '--ready-file', readyFile];
  const child = startProcess({
    name: 'operator',
    file: process.execPath,
    args: [join(root, 'operator/main.ts'), ...connection, ...listen, ...flags],
    log: join(folder, 'operator.log'),
    env,
  });
  const nothing = { probes_url: '', metrics_url: '', identity: '' };
  const ready = unready === true ? nothing : await waitForReady(readyFile, child);
  return {
    ready,
    process: child,
    metric: (series) => readMetric(ready.metrics_url, series),
    stop: async () => {
      const code = await child.stop();
      rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
}
