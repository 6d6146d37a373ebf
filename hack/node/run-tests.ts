import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { Say } from '../control-plane/build.ts';
import { ensureNodeBase } from '../image/base.ts';
import { buildImage, type ImagePlace } from '../image/build-image.ts';
import { COMPILE_CACHE } from '../integration/run-part.ts';
import type { NodeCommand } from './command-line.ts';
import { exitAfterOutput } from './exit-of.ts';
import { keptOutput, type KeptOutput } from './kept-output.ts';
import { besideOf, bringUp, loadImage, takeDown, type NodePlace } from './node.ts';
import { unsupportedReason } from './requirements.ts';

/** A cluster of the run, and where its progress is reported. */
interface Lane {
  readonly place: NodePlace;
  readonly say: Say;
  /** Whether the run got a signal to stop. */
  readonly isStopped: () => boolean;
  /** Leave it up, if the run brings it up. */
  readonly keepUp: boolean;
}

const STOPPED = 130;
const root = resolve(import.meta.dirname, '../..');

const sayNow: Say = (line) => void process.stderr.write(`${line}\n`);
const newOutput = (): KeptOutput => keptOutput((chunk) => void process.stdout.write(chunk));

const since = performance.now();
const seconds = (): string => ((performance.now() - since) / 1000).toFixed(1);

/** Builds the image of the checkout; the tests themselves have no network to build one. */
async function buildPlatform(): Promise<ImagePlace> {
  const { tag: base } = await ensureNodeBase(sayNow);
  return buildImage({ base, buildBase: undefined, fresh: false, say: sayNow });
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
 * @param output gets what it prints; undefined: it prints to the terminal
 * @returns its exit code
 */
async function mocha({ net }: NodePlace, args: readonly string[], output?: KeptOutput): Promise<number> {
  const program = join(root, 'node_modules/mocha/bin/mocha.js');
  const config = join(root, '.mocharc.e2e.json');
  const line = [process.execPath, program, '--config', config, ...args];
  // For a test that builds something: the cluster's network has no way out, so the test needs the machine's network.
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, E2E_MACHINE_NETWORK: `/proc/${process.pid}/ns/net` };
  // Tests end with this process, because they leave the cluster's network through it.
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', net, ...line], {
    stdio: output === undefined ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    cwd: root,
    env,
  });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => output?.write(chunk));
  // Ctrl-C in a terminal reaches mocha directly.
  process.on('SIGTERM', (signal) => child.kill(signal));
  return exitAfterOutput(child);
}

/** Runs two mochas on one cluster; what the second prints is shown when the first has ended. @returns the higher code */
async function bothMochas(place: NodePlace, args: readonly string[], beside: readonly string[]): Promise<number> {
  const output = newOutput();
  const second = beside.length === 0 ? Promise.resolve(0) : mocha(place, beside, output);
  const code = await mocha(place, args);
  output.show();
  return Math.max(code, await second);
}

/** Ends the cluster of a run. */
async function end({ place, say }: Lane, failed: boolean): Promise<void> {
  await takeDown(place, failed ? 'files' : 'nothing', say);
  if (!failed) return;
  const [node, pods] = ['log', 'var-log/pods'].map((folder) => join(place.state, folder));
  say(`Until the next e2e run, up or down: logs of the node in ${node}, of its last pods in ${pods}`);
}

/**
 * Brings a cluster up, unless it is up, loads the image, and tests; then ends a cluster that it has brought up.
 * @param test its exit code
 */
async function runOn(lane: Lane, image: Promise<ImagePlace>, test: () => Promise<number>): Promise<number> {
  const { place, say, isStopped, keepUp } = lane;
  let ours = false;
  let code: number | undefined;
  try {
    ours = await bringUp(place, say);
    const { tag, archive } = await image;
    await loadImage(place, archive);
    say(`${tag} is loaded into "${place.name}" (${seconds()} s).`);
    code = isStopped() ? STOPPED : await test();
    return isStopped() ? STOPPED : code;
  } finally {
    if (ours && !keepUp) await end(lane, code !== undefined && code > 0 && !isStopped());
  }
}

/** An error as an exit code, said where the cluster reports. */
const codeOf =
  ({ say }: Lane) =>
  (error: unknown): number => {
    say(error instanceof Error ? error.message : String(error));
    return 1;
  };

/** Runs tests on a second cluster, whose output begins with a title. @returns the exit code */
function runBeside(
  first: Lane,
  image: Promise<ImagePlace>,
  files: readonly string[],
  output: KeptOutput,
): Promise<number> {
  const place = besideOf(first.place);
  const say: Say = (line) => output.write(`${line}\n`);
  const lane = { ...first, place, say };
  say(`\n=== The cluster "${place.name}"`);
  return runOn(lane, image, () => mocha(place, files, output)).catch(codeOf(lane));
}

/** Runs tests, on one cluster or on two. @returns the highest exit code */
export async function runTests(
  place: NodePlace,
  { keepUp, mocha: args, beside, second: files }: Extract<NodeCommand, { kind: 'run' }>,
): Promise<number> {
  const fault = await unsupportedReason(sayNow);
  if (fault !== undefined) {
    sayNow(`\n=== SKIPPED: the tests against running pods did not run: ${fault} ===\n`);
    return 0;
  }
  const lane = { place, say: sayNow, isStopped: outlive(), keepUp };
  // At the same time: the node mostly waits while it starts.
  const image = buildPlatform();
  image.catch(() => undefined); // awaited below, also when the node fails
  if (files.length === 0) return runOn(lane, image, () => bothMochas(place, args, beside));

  const output = newOutput();
  let second = Promise.resolve(0);
  const first = await runOn(lane, image, () => {
    sayNow(`Other tests run on "${besideOf(place).name}" beside it; what they print follows when these have ended.`);
    // Not earlier: two nodes that start at once take both cores.
    second = runBeside(lane, image, files, output);
    return bothMochas(place, args, beside);
  }).catch(codeOf(lane));
  output.show();
  const code = await second;
  sayNow(`Exit code ${first} of "${place.name}", ${code} of "${besideOf(place).name}" (${seconds()} s).`);
  return Math.max(first, code);
}
