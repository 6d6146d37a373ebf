import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Say } from '../control-plane/build.ts';
import { command } from '../control-plane/command.ts';

/** Archives of images, and buildah's storage with the layers that builds share. */
export const IMAGES = join(homedir(), '.cache/orb-control-plane', `images-${process.platform}-${process.arch}`);

const LOG_LINES = 40;
const TICK_MS = 15_000;

/** What a command printed on stdout. @throws Error the end of what it printed */
export async function output(file: string, args: readonly string[], cwd?: string): Promise<string> {
  const { code, stdout, stderr } = await command(file, args, cwd === undefined ? {} : { cwd });
  if (code === 0) return stdout;
  const tail = `${stdout}${stderr}`.trimEnd().split('\n').slice(-LOG_LINES).join('\n');
  throw new Error(`${file} ${args.slice(0, 2).join(' ')} … failed (${code}):\n${tail}`);
}

/** Installs missing packages. @param programs Debian package → a program of it @throws Error installation failed */
export async function ensurePackages(programs: Readonly<Record<string, string>>, say: Say): Promise<void> {
  const missing: string[] = [];
  for (const [name, program] of Object.entries(programs)) {
    if ((await command(program, ['--version'])).code === 127) missing.push(name);
  }
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0) throw new Error(`as root: apt-get install ${missing.join(' ')}`);
  say(`Installing ${missing.join(', ')} …`);
  // Wait for another apt-get, such as that of the machine's own updates.
  const patient = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=5'];
  const install = [...patient, 'install', '-y', '--no-install-recommends', ...missing];
  // The lists of a fresh machine are empty, and old lists name files that no longer exist.
  if ((await command('apt-get', install)).code === 0) return;
  await output('apt-get', [...patient, 'update']);
  await output('apt-get', install);
}

// buildah always keeps notes in /var/lib/containers and npm's cache in /var/tmp: our own folders are mounted there.
const CONFINE = 'mount --bind "$0" /var/lib && mount --bind "$1" /var/tmp && shift && exec buildah "$@"';

/**
 * Runs buildah on the cache's storage only. It has its own mount namespace, because it leaves a mount in its root. It
 * has its own run folder, because that folder would remember the mount.
 * @throws Error the end of what it printed
 */
export async function buildah(args: readonly string[], cwd?: string): Promise<string> {
  if (process.getuid?.() !== 0) throw new Error('building images needs root: it unpacks layers with their owners');
  const [storage, lib, temporary] = [join(IMAGES, 'storage'), join(IMAGES, 'lib'), join(IMAGES, 'tmp')];
  for (const folder of [storage, lib, temporary]) await mkdir(folder, { recursive: true });
  const run = await mkdtemp(join(tmpdir(), 'orb-buildah-'));
  const place = ['--root', storage, '--runroot', run, '--storage-driver', 'overlay'];
  const confined = ['--mount', '--propagation', 'private', 'sh', '-c', CONFINE, lib, temporary];
  try {
    return await output('unshare', [...confined, ...place, ...args], cwd);
  } finally {
    await rm(run, { recursive: true, force: true });
  }
}

/** Reports how long some work took, and every 15 s that it still runs. */
export async function timed<T>(what: string, say: Say, work: () => Promise<T>): Promise<T> {
  const since = performance.now();
  const seconds = (): string => ((performance.now() - since) / 1000).toFixed(1);
  const timer = setInterval(() => say(`  still: ${what} (${seconds()} s)`), TICK_MS);
  try {
    const result = await work();
    say(`  ${what}: ${seconds()} s`);
    return result;
  } finally {
    clearInterval(timer);
  }
}
