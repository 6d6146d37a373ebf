import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlPlane } from '../../hack/control-plane/control-plane.ts';
import { startProcess, type Process } from '../../hack/control-plane/process.ts';
import { untilReadyFile } from '../../hack/control-plane/until-ready.ts';

const root = join(import.meta.dirname, '../..');

/** The content of the operator's `--ready-file`. */
interface ReadyFile {
  readonly probes_url: string;
  readonly metrics_url: string;
  readonly identity: string;
}

/** A running operator. */
export interface OperatorProcess {
  readonly ready: ReadyFile;
  readonly process: Process;
  /** Value of one series; undefined when the series is missing. @param series name with its labels, as it is exposed */
  readonly metric: (series: string) => Promise<number | undefined>;
  /** Ends it and removes its folder. @returns exit code, null after a signal */
  readonly stop: () => Promise<number | null>;
}

export interface OperatorOptions {
  /** How it reaches the API server; default: the kubeconfig of the control plane's user `operator`. */
  readonly connection?: readonly string[];
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Does not wait until the caches are filled: `ready` is then empty. */
  readonly unready?: boolean;
}

/** Flags for a lease that changes its holder within seconds. */
export const SHORT_LEASE = ['--lease-duration', '4s', '--renew-deadline', '3s', '--retry-period', '500ms'] as const;

const isReady = (value: unknown): value is ReadyFile =>
  typeof value === 'object' && value !== null && 'probes_url' in value;

async function readMetric(url: string, series: string): Promise<number | undefined> {
  const text = await (await fetch(url)).text();
  const line = text.split('\n').find((row) => row.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

/** Starts an operator in its own process and waits until its caches are filled. */
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
  const ready = unready === true ? nothing : await untilReadyFile(readyFile, child, isReady);
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
