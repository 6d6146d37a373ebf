import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../cli/command-line.ts';
import type { Io } from '../../cli/io/io.ts';

/** 2026-11-20T12:00:00Z */
export const CLI_NOW = 1_795_176_000_000;

/** What a command line did. */
export interface Ran {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/** A command line in a process of its own kind: nothing of this machine's user is seen or changed. */
export interface TestCli {
  /** A temporary folder, also home and place of the trust store; the test removes it. */
  readonly folder: string;
  readonly run: (argv: readonly string[], some?: Partial<Io> & { readonly stdin?: string | Uint8Array }) => Promise<Ran>;
  /** Runs of Node that were asked for, instead of being made. */
  readonly started: (readonly string[])[];
}

let counter = 0;
const someBytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => (counter += 37) & 255);

const inputOf = (stdin: string | Uint8Array): Io['input'] => ({
  isTerminal: false,
  read: async () => Buffer.from(stdin),
  readHidden: async () => Buffer.from(stdin),
});

/** A command line whose time goes on only by its own waiting. */
export function aCli(): TestCli {
  const folder = mkdtempSync(join(tmpdir(), 'orb-cli-'));
  const started: (readonly string[])[] = [];
  let waited = 0;
  const clock: Io['clock'] = {
    now: () => CLI_NOW + waited,
    monotonic: () => waited,
    sleep: async (ms) => void (waited += ms),
  };
  const base = {
    env: { ORB_CONFIG_DIR: join(folder, 'config') },
    home: folder,
    clock,
    random: someBytes,
    version: '1.2.3',
    program: 'orb',
    runNode: async (file: string, args: readonly string[]) => {
      started.push([file, ...args]);
      return 7;
    },
    signal: new AbortController().signal,
  };
  const runOne: TestCli['run'] = async (argv, { stdin = '', ...some } = {}) => {
    const [out, err]: [string[], string[]] = [[], []];
    const io: Io = {
      ...base,
      out: (text) => void out.push(text),
      err: (text) => void err.push(text),
      input: inputOf(stdin),
      ...some,
    };
    const exit = await run(argv, io);
    return { exit, out: out.join(''), err: err.join('') };
  };
  return { folder, run: runOne, started };
}
