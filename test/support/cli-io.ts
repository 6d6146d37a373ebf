import { mkdtempSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { run } from '../../cli/command-line.ts';
import { Failure } from '../../cli/io/failure.ts';
import type { Io } from '../../cli/io/io.ts';

/** 2026-11-20T12:00:00Z */
export const CLI_NOW = 1_795_176_000_000;

/** The result of a command line. */
export interface CliResult {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/** A simulated command line: it neither reads nor changes anything of this machine's user. */
export interface TestCli {
  /** A temporary folder, also the home folder and the place of the trust store; the test removes it. */
  readonly folder: string;
  readonly run: (argv: readonly string[], some?: Some) => Promise<CliResult>;
  /** Requested runs of Node; they are only recorded. */
  readonly started: (readonly string[])[];
}

let counter = 0;
const someBytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => (counter += 37) & 255);

const inputOf = (stdin: string | Uint8Array): Io['input'] => ({
  isTerminal: false,
  read: async () => Buffer.from(stdin),
  readHidden: async () => Buffer.from(stdin),
});

type Some = Partial<Io> & { readonly stdin?: string | Uint8Array };

/** Streams of a process that has this standard input and drops what it prints. */
export const filesOf = (some: Partial<Io['files']>, stdin: string | Uint8Array = ''): Io['files'] => ({
  chunks: (path) => Readable.from([path === '-' ? Buffer.from(stdin) : readFileSync(path)]),
  drained: async () => undefined,
  toStdout: async () => undefined,
  fromStdin: (path) => writeFile(path, stdin),
  ...some,
});

/** An `Io` that does nothing: output is dropped, time stands still. */
export const ioOf = ({ stdin = '', ...some }: Some): Io => ({
  env: {},
  home: '/nowhere',
  out: () => undefined,
  err: () => undefined,
  input: inputOf(stdin),
  showsProgress: false,
  files: filesOf({}, stdin),
  clock: { now: () => CLI_NOW, monotonic: () => 0, sleep: async () => undefined },
  random: someBytes,
  version: '1.2.3',
  program: 'orb',
  plugin: false,
  openCluster: () => Promise.reject(new Failure(2, 'no cluster in this test')),
  runNode: async () => 0,
  signal: new AbortController().signal,
  ...some,
});

/** Waiting lets other work run and takes no time: for command lines that wait for each other. */
export const patientClock: Io['clock'] = {
  now: () => CLI_NOW,
  monotonic: () => 0,
  sleep: () => new Promise((resolve) => setImmediate(resolve)),
};

/** A command line whose time advances only when it waits. */
export function aCli(): TestCli {
  const folder = mkdtempSync(join(tmpdir(), 'orb-cli-'));
  const started: (readonly string[])[] = [];
  let waited = 0;
  const clock: Io['clock'] = {
    now: () => CLI_NOW + waited,
    monotonic: () => waited,
    sleep: async (ms) => void (waited += ms),
  };
  const runNode: Io['runNode'] = async (file, args) => {
    started.push([file, ...args]);
    return 7;
  };
  const base = { env: { ORB_CONFIG_DIR: join(folder, 'config') }, home: folder, clock, runNode };
  const runOne: TestCli['run'] = async (argv, some = {}) => {
    const [out, err]: [string[], string[]] = [[], []];
    const streams = { out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) };
    const exit = await run(argv, ioOf({ ...base, ...streams, ...some }));
    return { exit, out: out.join(''), err: err.join('') };
  };
  return { folder, run: runOne, started };
}
