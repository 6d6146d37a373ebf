import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { processFamily } from './process-family.ts';
import { lastAnswer } from './wait-for.ts';

const ROOT = join(import.meta.dirname, '../..');
const SAID_MS = 60_000;
/** What was started by a person ends in so long. */
const LEFT_MS = 12_000;

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
  /** Waits until npm and its descendants have ended. @returns processes that still run after 12 s */
  readonly left: () => Promise<readonly string[]>;
  /** Kills the remaining processes. */
  readonly kill: () => Promise<void>;
}

/** Starts `npm ARGS…` in the repository; the test ends it. */
export function npmRun(args: readonly string[]): NpmRun {
  const child = spawn('npm', [...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
  const exited = once(child, 'exit');
  const pid = child.pid ?? 0;
  const { running, lines: members } = processFamily(pid);
  return {
    output: () => text,
    untilSaid: async (wanted) => {
      const isSaid = (): boolean => text.includes(wanted);
      await lastAnswer(isSaid, (said) => said || child.exitCode !== null, SAID_MS);
      if (!isSaid()) throw new Error(`never said "${wanted}":\n${text}`);
    },
    members,
    signal: (signal, to) => void process.kill(to === 'group' ? -pid : pid, signal),
    left: () => lastAnswer(members, ({ length }) => length === 0, LEFT_MS, 100),
    kill: async () => {
      for (const each of await running()) process.kill(each.pid, 'SIGKILL');
      await exited;
    },
  };
}
