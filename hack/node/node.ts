import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rm, rmdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../../core/errors/error-code.ts';
import type { Say } from '../control-plane/build.ts';
import { command } from '../control-plane/command.ts';
import { withFolderLock } from '../control-plane/folder-lock.ts';
import { exitAfterOutput, exitOf } from './exit-of.ts';
import { ensureImages } from './images.ts';
import { CACHE, findPrograms } from './programs.ts';

/** A one-node cluster on this machine, running or not. Several can exist under different names. */
export interface NodePlace {
  readonly name: string;
  /** Folder of its lock; the state is inside it. */
  readonly folder: string;
  readonly state: string;
  /** Commands in the state folder while it is up: kubectl; any command in its network; any command as its process. */
  readonly kubectl: string;
  readonly net: string;
  readonly inside: string;
}

const BREAKING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const NAME = /^[a-z][a-z0-9]{0,15}$/;

/** @param name of `E2E_NAME`; default `e2e` @throws TypeError the name is not a short word */
export function placeOf(name: string = process.env['E2E_NAME'] ?? 'e2e'): NodePlace {
  if (!NAME.test(name)) throw new TypeError(`E2E_NAME=${name}: a name is up to 16 of a-z and 0-9, a letter first`);
  const folder = join(CACHE, 'nodes', name);
  const state = join(folder, 'state');
  return {
    name,
    folder,
    state,
    kubectl: join(state, 'kubectl'),
    net: join(state, 'net'),
    inside: join(state, 'in'),
  };
}

/**
 * The second cluster of a run, beside the first.
 * @throws TypeError as `placeOf`
 */
export const besideOf = ({ name }: NodePlace): NodePlace => placeOf(`${name.slice(0, 10)}beside`);

/** Says each line that a script prints. @throws Error its exit code */
async function runScript(name: string, args: readonly string[], place: NodePlace, say: Say): Promise<void> {
  const env = { ...process.env, E2E_NAME: place.name, E2E_STATE: place.state, E2E_NODE_BINARY: process.execPath };
  // When this process ends, the lock is free: the script must not keep running beside the next script.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', join(import.meta.dirname, name), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  });
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', say);
  // On a signal the script ends first, so that processes that it has started can be ended too.
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of BREAKING) process.on(signal, forward);
  const code = await exitAfterOutput(child);
  for (const signal of BREAKING) process.off(signal, forward);
  if (code !== 0) throw new Error(`${name} failed (${code}); what it said stands above`);
}

// A node that looks dead is removed: a node on a busy, slow machine must not look dead.
const TRIES = 4;
const PAUSE_MS = 2000;

/** Whether the main process of the node runs: all its other processes end with it. */
async function isHeld(state: string): Promise<boolean> {
  const pid = (await readFile(join(state, 'holder.pid'), 'utf8').catch(() => '')).trim();
  return pid !== '' && existsSync(join('/proc', pid));
}

/** Whether it is up and its API server answers. */
export async function isUp({ state, kubectl }: NodePlace): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (!existsSync(join(state, 'up')) || !(await isHeld(state))) return false;
    if ((await command(kubectl, ['get', '--raw', '/readyz', '--request-timeout=20s'])).code === 0) return true;
    await delay(PAUSE_MS);
  }
  return false;
}

/** Links the programs under their names, for the PATH of the node's processes. */
async function linkPrograms(state: string, programs: Readonly<Record<string, string>>): Promise<void> {
  const bin = join(state, 'bin');
  await rm(bin, { recursive: true, force: true });
  await mkdir(bin, { recursive: true });
  for (const [name, path] of Object.entries(programs)) await symlink(path, join(bin, name));
}

/** Gets the programs and images that a node needs besides packages, from the cache, or makes them for it. */
async function prepare(say: Say): Promise<{
  readonly programs: Readonly<Record<string, string>>;
  readonly images: readonly string[];
}> {
  const programs = await findPrograms(say);
  return { programs, images: await ensureImages(programs, say) };
}

/**
 * What `takeDown` keeps. `nothing`. `node`: etcd, keys, volumes and images; the next `bringUp` continues with them, as
 * after a power cut. `files`: all files until the next `bringUp`, to find out what went wrong.
 */
export type KeptState = 'nothing' | 'node' | 'files';

const DOWN: Readonly<Record<KeptState, readonly string[]>> = { nothing: [], node: ['--keep'], files: ['--stop'] };

/**
 * Starts the cluster, or continues with what `takeDown` kept; remains of a crash are cleaned up first.
 * @returns false when it was up already
 * @throws Error what failed; then nothing runs, and the logs are in `state/log` until the next call
 */
export async function bringUp(place: NodePlace, say: Say): Promise<boolean> {
  const { programs, images } = await prepare(say);
  return withFolderLock(place.folder, say, async () => {
    if (await isUp(place)) {
      await runScript('volumes.sh', [], place, say);
      return false;
    }
    const kept = existsSync(join(place.state, 'kept'));
    await runScript('down.sh', DOWN[kept ? 'node' : 'nothing'], place, say);
    await linkPrograms(place.state, programs);
    try {
      await runScript('up.sh', images, place, say);
    } catch (error) {
      await runScript('down.sh', DOWN.files, place, say);
      throw error;
    }
    return true;
  });
}

/** The folder may not be empty: it holds a kept state, and a file of each process that waits for the lock. */
function unlessInUse(error: unknown): void {
  if (errorCode(error) !== 'ENOTEMPTY') throw error;
}

/** Stops the cluster. */
export async function takeDown(place: NodePlace, left: KeptState, say: Say): Promise<void> {
  await withFolderLock(place.folder, say, () => runScript('down.sh', DOWN[left], place, say));
  await rmdir(place.folder).catch(unlessInUse);
}

/**
 * Loads an image archive (`docker save`, `buildah push docker-archive:`) into a node that is up.
 * @throws Error why not
 */
export async function loadImage(place: NodePlace, archive: string): Promise<void> {
  const input = await open(archive);
  const log = join(place.state, 'log/load.log');
  const output = await open(log, 'w');
  try {
    const args = [join(place.state, 'bin/ctr'), '-n', 'k8s.io', 'images', 'import', '--local', '-'];
    const code = await exitOf(spawn(place.inside, args, { stdio: [input.fd, output.fd, output.fd] }));
    if (code !== 0) throw new Error(`${archive} can't be loaded:\n${await readFile(log, 'utf8')}`);
  } finally {
    await input.close();
    await output.close();
  }
}
