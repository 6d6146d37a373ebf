import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { command, type CommandResult } from '../../../hack/control-plane/command.ts';
import { unlessOverloaded } from '../unless-overloaded.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const READY_MS = 120_000;
const POLL_MS = 50;

/** The content of `--ready-file`. */
interface ClusterReady {
  readonly url: string;
  readonly metrics_url: string;
  readonly api_key: string;
  readonly orbiset: string;
  readonly orb_id: string;
  readonly inputs: unknown;
  readonly kubeconfig: string;
  readonly kubectl: string;
}

/** An answer of the API. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** The body as it was sent. */
  readonly text: string;
}

/** A process of `npm run cluster`, without npm, in its own process group as in a terminal. */
interface ClusterProcess {
  /** Everything that it printed so far. */
  readonly output: () => { readonly stdout: string; readonly stderr: string };
  /** Waits until its stderr holds `text`. @throws Error it ended earlier */
  readonly untilSaid: (text: string) => Promise<void>;
  /** Waits for the ready file. @throws Error it ended earlier, with its output */
  readonly untilReady: () => Promise<ClusterReady>;
  /**
   * Sends a signal to it alone, or to all of its group as Ctrl-C does, and waits.
   * @returns exit code, null after a signal
   */
  readonly end: (signal: NodeJS.Signals, to?: 'process' | 'group') => Promise<number | null>;
  readonly exited: Promise<number | null>;
  /** Command lines of it and of its children that still run, including children found by earlier calls. */
  readonly members: () => Promise<readonly string[]>;
  /** The folders of control planes that its command lines have named so far. */
  readonly folders: () => Promise<readonly string[]>;
}

/** A ready cluster, and the actions of a user on it: kubectl and HTTP, with the addresses that it printed. */
export interface RunningCluster extends ClusterProcess {
  readonly ready: ClusterReady;
  /** Folder of its control plane, with the logs. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Never rejects. */
  readonly tryKubectl: (args: readonly string[], input?: string) => Promise<CommandResult>;
  /** @returns its stdout @throws Error what it printed */
  readonly kubectl: (...args: readonly string[]) => Promise<string>;
  /** @param orbiset `{namespace}.{name}` */
  readonly execute: (orbiset: string, orbId: string, inputs: unknown) => Promise<Answer>;
  readonly get: (path: string) => Promise<Answer>;
}

const isReady = (value: unknown): value is ClusterReady =>
  typeof value === 'object' && value !== null && 'kubeconfig' in value;

interface Running {
  readonly pid: number;
  readonly parent: number;
  readonly line: string;
}

/** The processes of this machine. */
async function processes(): Promise<readonly Running[]> {
  const { stdout } = await command('ps', ['-A', '-ww', '-o', 'pid=,ppid=,stat=,args=']);
  return stdout.split('\n').flatMap((row) => {
    const [, pid, parent, state = '', line = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(row) ?? [];
    return pid === undefined || state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), line }];
  });
}

/** Starts `hack/cluster.ts` with these arguments; the test ends it. */
export function spawnCluster(args: readonly string[], readyFile?: string): ClusterProcess {
  const given = readyFile === undefined ? args : [...args, '--ready-file', readyFile];
  const child = spawn(process.execPath, [join(ROOT, 'hack/cluster.ts'), ...given], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const group = child.pid ?? 0;
  const texts = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (texts.stdout += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (texts.stderr += chunk.toString('utf8')));
  const exited = once(child, 'close').then((): number | null => child.exitCode);
  const ended = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const until = async <T>(poll: () => T | undefined, what: string): Promise<T> => {
    const limit = performance.now() + READY_MS;
    while (performance.now() < limit && !ended()) {
      const found = poll();
      if (found !== undefined) return found;
      await delay(POLL_MS);
    }
    throw new Error(
      `${what}: ${ended() ? `ended with ${child.exitCode}` : 'too late'}\n${texts.stdout}${texts.stderr}`,
    );
  };
  // Every process that ever was its child: later an orphan has another parent.
  const known = new Set([group]);
  const members = async (): Promise<readonly string[]> => {
    const found = (await processes()).filter(({ pid, parent }) => known.has(pid) || parent === group);
    for (const { pid } of found) known.add(pid);
    return found.map(({ line }) => line);
  };
  return {
    output: () => ({ ...texts }),
    exited,
    members,
    untilSaid: async (text) => void (await until(() => (texts.stderr.includes(text) ? true : undefined), text)),
    untilReady: () =>
      until(() => {
        const file = readyFile ?? '';
        const value: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
        return isReady(value) ? value : undefined;
      }, 'ready'),
    end: async (signal, to = 'process') => {
      if (!ended()) process.kill(to === 'group' ? -group : group, signal);
      return exited;
    },
    folders: async () => {
      const named = (await members()).flatMap((line) => line.match(/\/[^\s=]*orb-control-plane-\w{6}(?=\/)/g) ?? []);
      return [...new Set(named)];
    },
  };
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) };
}

/** Starts a cluster on free ports and waits until it is ready. */
export async function startNpmCluster(args: readonly string[] = []): Promise<RunningCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'orb-npm-cluster-'));
  const ports = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0'];
  const child = spawnCluster([...ports, ...args], join(folder, 'ready.json'));
  const ready = await child.untilReady().finally(() => rmSync(folder, { recursive: true, force: true }));
  const env = { KUBECONFIG: ready.kubeconfig, KUBECACHEDIR: join(dirname(ready.kubeconfig), 'kubectl-cache') };
  const tryKubectl = (line: readonly string[], input?: string): Promise<CommandResult> =>
    command(ready.kubectl, line, { env, cwd: ROOT, ...(input === undefined ? {} : { input }) });
  const headers = { authorization: `Bearer ${ready.api_key}`, 'content-type': 'application/json' };
  return {
    ...child,
    ready,
    folder: dirname(ready.kubeconfig),
    env,
    tryKubectl,
    kubectl: async (...line) => {
      const { code, stdout, stderr } = await tryKubectl(line);
      if (code !== 0) throw new Error(`kubectl ${line.join(' ')}:\n${stderr}${stdout}`);
      return stdout;
    },
    execute: async (orbiset, orbId, inputs) =>
      answerOf(
        await unlessOverloaded(() =>
          fetch(`${ready.url}/orbisets/${orbiset}/execute`, {
            method: 'POST',
            headers,
            body: JSON.stringify({ orb_id: orbId, inputs }),
          }),
        ),
      ),
    get: async (path) => answerOf(await fetch(`${ready.url}${path}`, { headers })),
  };
}
