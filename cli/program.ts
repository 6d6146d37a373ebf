import { homedir } from 'node:os';
import { extname } from 'node:path';
import { randomSource } from '../adapters/keys/primitives.ts';
import { packageVersion } from '../adapters/process/package-root.ts';
import { runCommand } from '../adapters/process/run-command.ts';
import { systemClock } from '../adapters/time/clock.ts';
import { errorCode } from '../core/errors/error-code.ts';
import { run } from './command-line.ts';
import type { Cluster, ClusterSelection } from './io/cluster.ts';
import { EXIT } from './io/failure.ts';
import { fileStreams } from './io/file-streams.ts';
import { terminalInput } from './io/terminal-input.ts';

const files = fileStreams(process.stdin, process.stdout);

const err = (text: string): void => void process.stderr.write(text);

// A reader such as `head` may close the pipe early: this is not an error.
process.stdout.on('error', (error: Error) => {
  if (files.isSending()) return;
  if (errorCode(error) === 'EPIPE') process.exit(EXIT.ok);
  err(`orb: standard output can't be written: ${error.message}\n`);
  process.exit(EXIT.invalid);
});
// The exit code still tells how it ended.
process.stderr.on('error', () => undefined);

const settings = { env: process.env, home: homedir(), version: packageVersion() };
const plugin = process.env['ORB_CALLED_AS'] === 'kubectl';
const inCheckout = extname(import.meta.filename) === '.ts' && !plugin;

const closing: (() => Promise<void>)[] = [];
/** Loaded only for a cluster: a run against --server does not pay for it. */
async function openCluster(selection: ClusterSelection): Promise<Cluster> {
  const module = await import('./cluster/open-cluster.ts');
  const cluster = await module.openCluster(selection, settings);
  closing.push(cluster.close);
  return cluster;
}

await runCommand(async (argv) => {
  const code = await run(argv, {
    ...settings,
    out: (text) => void process.stdout.write(text),
    err,
    showsProgress: process.stderr.isTTY && !process.stdout.isTTY,
    input: terminalInput(process.stdin, err),
    files,
    clock: systemClock,
    random: randomSource(),
    program: inCheckout ? 'npm run -s orb --' : plugin ? 'kubectl orb' : 'orb',
    plugin,
    openCluster,
    runNode: async (file, args) => (await import('./io/run-node.ts')).runNode(file, args),
    signal: new AbortController().signal,
  });
  await Promise.all(closing.map((close) => close()));
  return code;
});
