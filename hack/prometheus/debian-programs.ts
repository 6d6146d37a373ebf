import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Say } from '../control-plane/build.ts';
import { command } from '../control-plane/command.ts';
import { withFolderLock } from '../control-plane/folder-lock.ts';

/** Programs that a package of Debian holds. It is unpacked, not installed: no service, no user, nothing outside the cache. */
interface DebianPackage {
  readonly name: string;
  /** Name → path in the package, from its root. */
  readonly programs: Readonly<Record<string, string>>;
  /** Folder of the package that the programs read at its fixed place. The copies read it in their working folder. */
  readonly fixedFolder?: string;
}

type Programs = ReadonlyMap<string, string>;

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

async function inFolder(folder: string, names: readonly string[]): Promise<Programs | undefined> {
  const found = new Map(names.map((name) => [name, join(folder, name)]));
  const there = await Promise.all([...found.values()].map(isProgram));
  return there.every(Boolean) ? found : undefined;
}

async function onPath(path: string, names: readonly string[]): Promise<Programs | undefined> {
  for (const folder of path.split(delimiter)) {
    const found = folder === '' ? undefined : await inFolder(folder, names);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function apt(args: readonly string[], cwd: string): Promise<string | undefined> {
  const { code, stderr } = await command('apt-get', args, { cwd });
  return code === 0 ? undefined : `apt-get ${args.join(' ')}: ${stderr.trim()}`;
}

/** Downloads the package; the lists of a fresh machine are empty, and old lists name files that no longer exist. */
async function download(name: string, work: string): Promise<string> {
  if ((await apt(['download', name], work)) !== undefined) {
    const failed = (await apt(['update'], work)) ?? (await apt(['download', name], work));
    if (failed !== undefined) throw new Error(`there is no ${name} on the PATH, and none to download: ${failed}`);
  }
  const file = (await readdir(work)).find((found) => found.endsWith('.deb'));
  if (file === undefined) throw new Error('apt-get download left no package behind');
  return join(work, file);
}

/** Puts the path `.////` of the same length in place of a fixed one. */
function relocated(program: Buffer, fixed: string): Buffer {
  const copy = Buffer.from(program);
  const here = `.${'/'.repeat(fixed.length - 1)}`;
  for (let at = copy.indexOf(fixed); at >= 0; at = copy.indexOf(fixed, at)) copy.write(here, at);
  return copy;
}

async function fill({ name, programs, fixedFolder }: DebianPackage, folder: string, say: Say): Promise<void> {
  say(`Downloading ${name} …`);
  const work = await mkdtemp(join(folder, '.download-'));
  try {
    const unpacked = join(work, 'unpacked');
    await mkdir(unpacked);
    const { code, stderr } = await command('dpkg-deb', ['-x', await download(name, work), unpacked]);
    if (code !== 0) throw new Error(`the package ${name} can't be unpacked: ${stderr.trim()}`);
    const shared = fixedFolder === undefined ? [] : await readdir(join(unpacked, fixedFolder));
    for (const file of shared) await rename(join(unpacked, fixedFolder ?? '', file), join(folder, file));
    for (const [program, path] of Object.entries(programs)) {
      const file = join(unpacked, path);
      if (fixedFolder !== undefined) await writeFile(file, relocated(await readFile(file), fixedFolder));
      await rename(file, join(folder, program));
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Paths of the programs: those on the PATH, else in the cache folder, else Debian's, unpacked into the cache folder.
 * @throws Error they were not found and can't be downloaded
 */
export async function debianPrograms(
  wanted: DebianPackage,
  say: Say,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Programs> {
  const names = Object.keys(wanted.programs);
  const folder = join(homedir(), '.cache/orb-control-plane', `${wanted.name}-${process.platform}-${process.arch}`);
  const there = (await onPath(env['PATH'] ?? '', names)) ?? (await inFolder(folder, names));
  if (there !== undefined) return there;
  await withFolderLock(folder, say, async () => {
    if ((await inFolder(folder, names)) === undefined) await fill(wanted, folder, say);
  });
  const filled = await inFolder(folder, names);
  if (filled === undefined) throw new Error(`the package ${wanted.name} left no programs in ${folder}`);
  return filled;
}
