// A one-node Kubernetes cluster and the tests that run on it: `npm run e2e [run | up | down | load]`.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { imagePlace } from './image/build-image.ts';
import { HELP, parseNodeCommand, type NodeCommand } from './node/command-line.ts';
import { bringUp, isUp, loadImage, placeOf, takeDown, type NodePlace } from './node/node.ts';
import { unsupportedReason } from './node/requirements.ts';
import { runTests } from './node/run-tests.ts';

const USAGE = 64;

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
      return runTests(placeOf(), command);
    default:
      return command satisfies never;
  }
}

process.exitCode = await answer(parseNodeCommand(process.argv.slice(2))).catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  return 1;
});
