import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { command } from '../../hack/control-plane/command.ts';

const ROOT = join(import.meta.dirname, '../..');
const POLL_MS = 100;

/** An npm script in its own process group, as in a terminal. */
export interface NpmRun {
  /** Everything that it printed so far. */
  readonly output: () => string;
  /** Waits until its output holds `text`. @throws Error it ended earlier, or a minute has passed */
  readonly untilSaid: (text: string) => Promise<void>;
  /** Command lines of npm and its descendants that still run, including descendants found by earlier calls. */
  readonly members: () => Promise<readonly string[]>;
  /** Sends a signal to npm alone, or to all of its group as Ctrl-C does. */
  readonly signal: (signal: NodeJS.Signals, to: 'npm' | 'group') => void;
  /** Waits until npm and its descendants have ended. @returns processes that still run after 20 s */
  readonly left: () => Promise<readonly string[]>;
  /** Kills the remaining processes. */
  readonly kill: () => Promise<void>;
}

interface Running {
  readonly pid: number;
  readonly parent: number;
  readonly line: string;
}

async function processes(): Promise<readonly Running[]> {
  const { stdout } = await command('ps', ['-A', '-ww', '-o', 'pid=,ppid=,stat=,args=']);
  return stdout.split('\n').flatMap((row) => {
    const [, pid, parent, state = '', line = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(row) ?? [];
    return pid === undefined || state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), line }];
  });
}

/** Starts `npm ARGS…` in the repository; the test ends it. */
export function npmRun(args: readonly string[]): NpmRun {
  const child = spawn('npm', [...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
  const exited = once(child, 'exit');
  const pid = child.pid ?? 0;
  const known = new Set([pid]);
  const running = async (): Promise<readonly Running[]> => {
    const all = await processes();
    // Processes are listed in the order of their start: parents come before their children, except for reused ids.
    for (const each of all) if (known.has(each.parent)) known.add(each.pid);
    return all.filter((each) => known.has(each.pid));
  };
  const members = async (): Promise<readonly string[]> => (await running()).map(({ line }) => line);
  return {
    output: () => text,
    untilSaid: async (wanted) => {
      const until = performance.now() + 60_000;
      while (!text.includes(wanted)) {
        if (child.exitCode !== null || performance.now() > until) throw new Error(`never said "${wanted}":\n${text}`);
        await delay(POLL_MS);
      }
    },
    members,
    signal: (signal, to) => void process.kill(to === 'group' ? -pid : pid, signal),
    left: async () => {
      const until = performance.now() + 20_000;
      let found = await members();
      while (found.length > 0 && performance.now() < until) {
        await delay(POLL_MS);
        found = await members();
      }
      return found;
    },
    kill: async () => {
      for (const each of await running()) process.kill(each.pid, 'SIGKILL');
      await exited;
    },
  };
}
