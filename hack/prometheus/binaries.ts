import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Say } from '../control-plane/build.ts';
import { command } from '../control-plane/command.ts';
import { withFolderLock } from '../control-plane/folder-lock.ts';

/** Paths of the two programs. */
export interface PrometheusBinaries {
  readonly prometheus: string;
  readonly promtool: string;
}

/** Debian's package holds both; it is unpacked, not installed: no service, no user, nothing outside the cache. */
const PACKAGE = 'prometheus';

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

async function inFolder(folder: string): Promise<PrometheusBinaries | undefined> {
  const found = { prometheus: join(folder, 'prometheus'), promtool: join(folder, 'promtool') };
  const there = await Promise.all(Object.values(found).map(isProgram));
  return there.every(Boolean) ? found : undefined;
}

async function onPath(path: string): Promise<PrometheusBinaries | undefined> {
  for (const folder of path.split(delimiter)) {
    const found = folder === '' ? undefined : await inFolder(folder);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function apt(args: readonly string[], cwd: string): Promise<string | undefined> {
  const { code, stderr } = await command('apt-get', args, { cwd });
  return code === 0 ? undefined : `apt-get ${args.join(' ')}: ${stderr.trim()}`;
}

/** Downloads the package; the lists of a fresh machine are empty, and old lists name files that no longer exist. */
async function download(work: string): Promise<string> {
  if ((await apt(['download', PACKAGE], work)) !== undefined) {
    const failed = (await apt(['update'], work)) ?? (await apt(['download', PACKAGE], work));
    if (failed !== undefined) throw new Error(`there is no prometheus on the PATH, and none to download: ${failed}`);
  }
  const file = (await readdir(work)).find((name) => name.endsWith('.deb'));
  if (file === undefined) throw new Error('apt-get download left no package behind');
  return join(work, file);
}

async function fill(folder: string, say: Say): Promise<void> {
  say('Downloading Prometheus …');
  const work = await mkdtemp(join(folder, '.download-'));
  try {
    const unpacked = join(work, 'unpacked');
    await mkdir(unpacked);
    const { code, stderr } = await command('dpkg-deb', ['-x', await download(work), unpacked]);
    if (code !== 0) throw new Error(`the package of Prometheus can't be unpacked: ${stderr.trim()}`);
    for (const name of ['prometheus', 'promtool']) await rename(join(unpacked, 'usr/bin', name), join(folder, name));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Prometheus and promtool: those on the PATH, else in the cache folder, else Debian's, unpacked into the cache folder.
 * @throws Error they were not found and can't be downloaded
 */
export async function ensurePrometheus(
  say: Say = console.error,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<PrometheusBinaries> {
  const folder = join(homedir(), '.cache/orb-control-plane', `prometheus-${process.platform}-${process.arch}`);
  const there = (await onPath(env['PATH'] ?? '')) ?? (await inFolder(folder));
  if (there !== undefined) return there;
  await withFolderLock(folder, say, async () => {
    if ((await inFolder(folder)) === undefined) await fill(folder, say);
  });
  const filled = await inFolder(folder);
  if (filled === undefined) throw new Error(`the package of Prometheus left no programs in ${folder}`);
  return filled;
}
