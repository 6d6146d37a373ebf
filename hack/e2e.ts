// A one-node Kubernetes cluster and the tests that run on it: `npm run e2e [run | up | down | load]`.
import { spawn, type StdioOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ensureNodeBase } from './image/base.ts';
import { buildImage, imagePlace, type ImagePlace } from './image/build-image.ts';
import { COMPILE_CACHE } from './integration/run-part.ts';
import { HELP, parseNodeCommand, type NodeCommand } from './node/command-line.ts';
import { exitOf } from './node/exit-of.ts';
import { bringUp, isUp, loadImage, placeOf, takeDown, type NodePlace } from './node/node.ts';
import { unsupportedReason } from './node/requirements.ts';

const USAGE = 64;
const STOPPED = 130;
const root = resolve(import.meta.dirname, '..');

const say = (line: string): void => void process.stderr.write(`${line}\n`);

const since = performance.now();
const seconds = (): string => ((performance.now() - since) / 1000).toFixed(1);

const greeting = ({ name, state, kubectl, net }: NodePlace): string =>
  [
    `The cluster "${name}" is up (${seconds()} s).`,
    `  kubectl    ${kubectl} get pods -A`,
    `  network    ${net} COMMAND…   (helm, curl, tests: with KUBECONFIG and PATH set)`,
    `  logs       ${join(state, 'log')}`,
    '',
  ].join('\n');

async function up(place: NodePlace): Promise<number> {
  const fault = await unsupportedReason(say);
  if (fault !== undefined) throw new Error(`No node can run here: ${fault}`);
  const started = await bringUp(place, say);
  process.stdout.write(started ? greeting(place) : `The cluster "${place.name}" is already up.\n`);
  return 0;
}

async function down(place: NodePlace, keep: boolean): Promise<number> {
  const there = existsSync(place.state);
  await takeDown(place, keep ? 'node' : 'nothing', say);
  const state = keep ? '; its state is kept for the next npm run e2e up' : '';
  say(there ? `The cluster "${place.name}" is down${state} (${seconds()} s).` : `There is no cluster "${place.name}".`);
  return 0;
}

async function load(place: NodePlace, named: string | undefined): Promise<number> {
  const archive = resolve(named ?? (await imagePlace()).archive);
  if (!existsSync(archive)) throw new Error(`There is no ${archive}: npm run image builds one`);
  if (!(await isUp(place))) throw new Error(`The cluster "${place.name}" is not up: npm run e2e up`);
  await loadImage(place, archive);
  say(`Loaded ${archive} (${seconds()} s).`);
  return 0;
}

/** Builds the image of the checkout; the tests themselves have no network to build one. */
async function buildPlatform(): Promise<ImagePlace> {
  const { tag: base } = await ensureNodeBase(say);
  return buildImage({ base, buildBase: undefined, fresh: false, say });
}

async function loadPlatform(place: NodePlace, { tag, archive }: ImagePlace): Promise<void> {
  await loadImage(place, archive);
  say(`${tag} is loaded (${seconds()} s).`);
}

/** Keeps this process alive on signals, so that it can clean up. @returns whether it got a signal to stop */
function outlive(): () => boolean {
  let stopped = false;
  const stay = (): void => {
    stopped = true;
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stay);
  return () => stopped;
}

/**
 * Runs mocha in the cluster's network.
 * @param beside it runs beside another one: what it prints is shown when it ends
 * @returns its exit code
 */
async function mocha({ net }: NodePlace, args: readonly string[], beside = false): Promise<number> {
  const program = join(root, 'node_modules/mocha/bin/mocha.js');
  const config = join(root, '.mocharc.e2e.json');
  const line = [process.execPath, program, '--config', config, ...args];
  // For a test that builds something: the cluster's network has no way out, so the test needs the machine's network.
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, E2E_MACHINE_NETWORK: `/proc/${process.pid}/ns/net` };
  // Tests end with this process, because they leave the cluster's network through it.
  const stdio: StdioOptions = beside ? ['ignore', 'pipe', 'pipe'] : 'inherit';
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', net, ...line], { stdio, cwd: root, env });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  // Ctrl-C in a terminal reaches mocha directly.
  process.on('SIGTERM', (signal) => child.kill(signal));
  const code = await exitOf(child);
  process.stdout.write(Buffer.concat(chunks));
  return code;
}

/** @returns the higher exit code of the two */
async function bothMochas(place: NodePlace, args: readonly string[], beside: readonly string[]): Promise<number> {
  const second = beside.length === 0 ? Promise.resolve(0) : mocha(place, beside, true);
  return Math.max(...(await Promise.all([mocha(place, args), second])));
}

/** Ends the cluster of a run. */
async function end(place: NodePlace, failed: boolean): Promise<void> {
  await takeDown(place, failed ? 'files' : 'nothing', say);
  if (!failed) return;
  const [node, pods] = ['log', 'var-log/pods'].map((folder) => join(place.state, folder));
  say(`Until the next e2e run, up or down: logs of the node in ${node}, of its last pods in ${pods}`);
}

async function run(
  place: NodePlace,
  { keepUp, mocha: args, beside }: Extract<NodeCommand, { kind: 'run' }>,
): Promise<number> {
  const fault = await unsupportedReason(say);
  if (fault !== undefined) {
    say(`\n=== SKIPPED: the tests against running pods did not run: ${fault} ===\n`);
    return 0;
  }
  let ours = false;
  let code: number | undefined;
  const isStopped = outlive();
  try {
    // At the same time: the node mostly waits while it starts.
    const building = buildPlatform();
    building.catch(() => undefined); // awaited below, also when the node fails
    ours = await bringUp(place, say);
    await loadPlatform(place, await building);
    code = isStopped() ? STOPPED : await bothMochas(place, args, beside);
    return code;
  } finally {
    if (ours && !keepUp) await end(place, code !== undefined && code > 0 && code !== STOPPED);
  }
}

async function answer(command: NodeCommand): Promise<number> {
  switch (command.kind) {
    case 'help':
      process.stdout.write(HELP);
      return 0;
    case 'wrong':
      process.stderr.write(`${command.message}\n\n${HELP}`);
      return USAGE;
    case 'up':
      return up(placeOf());
    case 'down':
      return down(placeOf(), command.keep);
    case 'load':
      return load(placeOf(), command.archive);
    case 'run':
      return run(placeOf(), command);
    default:
      return command satisfies never;
  }
}

process.exitCode = await answer(parseNodeCommand(process.argv.slice(2))).catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  return 1;
});
