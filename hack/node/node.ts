import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rm, rmdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Say } from '../control-plane/build.ts';
import { command } from '../control-plane/command.ts';
import { withFolderLock } from '../control-plane/folder-lock.ts';
import { exitOf } from './exit-of.ts';
import { ensureImages } from './images.ts';
import { CACHE, findPrograms } from './programs.ts';

/** A one-node cluster of this machine, up or not. Several stand side by side under different names. */
export interface NodePlace {
  readonly name: string;
  /** Its lock is here; the state within. */
  readonly folder: string;
  readonly state: string;
  /** Commands in the state folder, there while it is up: kubectl; any command in its network; any as its process. */
  readonly kubectl: string;
  readonly net: string;
  readonly inside: string;
}

const BREAKING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const NAME = /^[a-z][a-z0-9]{0,15}$/;

/** @param name of `E2E_NAME`; default `e2e` @throws TypeError not a short word */
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

/** Runs a script whose output goes to stderr. @throws Error its exit code */
async function runScript(name: string, args: readonly string[], place: NodePlace): Promise<void> {
  const env = { ...process.env, E2E_NAME: place.name, E2E_STATE: place.state, E2E_NODE_BINARY: process.execPath };
  // Without this process nobody holds the lock: the script must not go on beside the next one.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', join(import.meta.dirname, name), ...args], {
    stdio: ['ignore', process.stderr, 'inherit'],
    env,
  });
  // Whoever breaks it off lets it end first, so that what it has started can be ended too.
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of BREAKING) process.on(signal, forward);
  const code = await exitOf(child);
  for (const signal of BREAKING) process.off(signal, forward);
  if (code !== 0) throw new Error(`${name} failed (${code}); what it said stands above`);
}

// What takes a node for dead removes it: one that a machine without a free moment slows down must not look so.
const TRIES = 4;
const PAUSE_MS = 2000;

/** Whether the process is there that all others of the node end with. */
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

/** The programs under their names: PATH of the node's processes. */
async function linkPrograms(state: string, programs: Readonly<Record<string, string>>): Promise<void> {
  const bin = join(state, 'bin');
  await rm(bin, { recursive: true, force: true });
  await mkdir(bin, { recursive: true });
  for (const [name, path] of Object.entries(programs)) await symlink(path, join(bin, name));
}

/** What a node needs besides packages: programs and images, from the cache or into it. */
async function prepare(say: Say): Promise<{
  readonly programs: Readonly<Record<string, string>>;
  readonly images: readonly string[];
}> {
  const programs = await findPrograms(say);
  return { programs, images: await ensureImages(programs, say) };
}

/**
 * What `takeDown` leaves: nothing; etcd, keys, volumes and images, with which the next `bringUp` goes on as after a power
 * cut; or all files until then, for whoever looks for what went wrong.
 */
export type Left = 'nothing' | 'node' | 'files';

const DOWN: Readonly<Record<Left, readonly string[]>> = { nothing: [], node: ['--keep'], files: ['--stop'] };

/**
 * Brings it up, or goes on with what `takeDown` kept; what a crash left is cleaned up first.
 * @returns false when it was up already
 * @throws Error what failed; nothing runs then, and its logs are in `state/log` until the next call
 */
export async function bringUp(place: NodePlace, say: Say): Promise<boolean> {
  const { programs, images } = await prepare(say);
  return withFolderLock(place.folder, say, async () => {
    if (await isUp(place)) {
      await runScript('volumes.sh', [], place);
      return false;
    }
    const kept = existsSync(join(place.state, 'kept'));
    await runScript('down.sh', DOWN[kept ? 'node' : 'nothing'], place);
    await linkPrograms(place.state, programs);
    try {
      await runScript('up.sh', images, place);
    } catch (error) {
      await runScript('down.sh', DOWN.files, place);
      throw error;
    }
    return true;
  });
}

/** A state that is kept lies in the folder, and whoever waits for the lock has a file of its own there. */
function unlessInUse(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY')) throw error;
}

/** Ends it. */
export async function takeDown(place: NodePlace, left: Left, say: Say): Promise<void> {
  await withFolderLock(place.folder, say, () => runScript('down.sh', DOWN[left], place));
  await rmdir(place.folder).catch(unlessInUse);
}

/** Loads an image archive (`docker save`, `buildah push docker-archive:`) into a node that is up. @throws Error why not */
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
