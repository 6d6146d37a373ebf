import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { extname, join } from 'node:path';
import { randomSource } from '../adapters/keys/primitives.ts';
import { systemClock } from '../adapters/time/clock.ts';
import { run } from './command-line.ts';
import type { Cluster, ClusterWish } from './cluster/cluster.ts';
import { codeOf } from './io/failure.ts';
import { fileStreams } from './io/file-streams.ts';
import { runNode } from './io/run-node.ts';
import { terminalInput } from './io/terminal-input.ts';

/** Of the package: beside cli/ in a checkout, above dist/ when compiled. */
function version(): string {
  const files = ['../package.json', '../../package.json'].map((path) => join(import.meta.dirname, path));
  const value: unknown = JSON.parse(readFileSync(files.find((path) => existsSync(path)) ?? '', 'utf8'));
  return typeof value === 'object' && value !== null && 'version' in value ? String(value.version) : 'unknown';
}

const files = fileStreams(process.stdin, process.stdout);

// A reader such as `head` may go away early: that is its right, and no fault of ours.
process.stdout.on('error', (error) => {
  if (files.isSending()) return;
  if (codeOf(error) !== 'EPIPE') throw error;
  process.exit(0);
});

const err = (text: string): void => void process.stderr.write(text);
const settings = { env: process.env, home: homedir(), version: version() };
const plugin = process.env['ORB_CALLED_AS'] === 'kubectl';
const inCheckout = extname(import.meta.filename) === '.ts' && !plugin;

const closing: (() => Promise<void>)[] = [];
/** Loaded only for a cluster: a run against --server does not pay for it. */
async function openCluster(wish: ClusterWish): Promise<Cluster> {
  const module = await import('./cluster/open-cluster.ts');
  const cluster = await module.openCluster(wish, settings);
  closing.push(cluster.close);
  return cluster;
}

process.exitCode = await run(process.argv.slice(2), {
  ...settings,
  out: (text) => void process.stdout.write(text),
  err,
  input: terminalInput(process.stdin, err),
  files,
  clock: systemClock,
  random: randomSource(),
  program: inCheckout ? 'npm run -s orb --' : plugin ? 'kubectl orb' : 'orb',
  plugin,
  openCluster,
  runNode,
  signal: new AbortController().signal,
});
await Promise.all(closing.map((close) => close()));
