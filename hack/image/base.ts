import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Say } from '../control-plane/build.ts';
import { withFolderLock } from '../control-plane/folder-lock.ts';
import { buildah, ensurePackages, IMAGES, output, timed } from './buildah.ts';

/** An image in the cache. */
export interface LocalImage {
  readonly tag: string;
  /** Path of its docker archive. */
  readonly archive: string;
}

// The Debian release whose packages distroless consists of.
const RUNTIME = ['base-files', 'ca-certificates', 'libc6', 'libgcc-s1', 'libstdc++6', 'netbase', 'tzdata'];
const SHELL = ['coreutils', 'dash', 'libacl1', 'libattr1', 'libgmp10', 'libpcre2-8-0', 'libselinux1'];
const NPM = '11.6.2';
const root = resolve(import.meta.dirname, '../..');
const SELF = import.meta.filename;

/** How to make one of the two images. */
interface Recipe {
  readonly name: string;
  readonly packages: readonly string[];
  readonly npm: string | undefined;
  readonly dockerfile: string;
}

const NODE: Recipe = {
  name: 'node',
  packages: RUNTIME,
  npm: undefined,
  dockerfile: 'FROM scratch\nCOPY rootfs /\nUSER 65532:65532\nENTRYPOINT ["/nodejs/bin/node"]\n',
};

const BUILD: Recipe = {
  name: 'node-build',
  packages: [...RUNTIME, ...SHELL],
  npm: NPM,
  dockerfile: 'FROM scratch\nCOPY rootfs /\nENV PATH=/nodejs/bin:/usr/bin:/bin\nCMD ["/bin/sh"]\n',
};

/** The checkout's own Node, even when another Node runs this script. @throws Error its install script did not run */
async function nodeProgram(): Promise<string> {
  const path = join(root, 'node_modules/node/bin/node');
  if (existsSync(path)) return path;
  throw new Error(`${path} is missing: run npm rebuild node`);
}

/** Unpacks Debian's packages, without installing them: no shell, no package manager, no scripts. */
async function unpackPackages(packages: readonly string[], work: string, rootfs: string): Promise<void> {
  const debs = join(work, 'debs');
  await mkdir(debs);
  await output('apt-get', ['download', ...packages], debs).catch(async () => {
    await output('apt-get', ['update']);
    await output('apt-get', ['download', ...packages], debs);
  });
  for (const deb of await readdir(debs)) await output('dpkg-deb', ['-x', join(debs, deb), rootfs]);
}

/** Makes the files that the packages' own scripts would make. */
async function configure(rootfs: string): Promise<void> {
  const mozilla = join(rootfs, 'usr/share/ca-certificates/mozilla');
  const names = (await readdir(mozilla)).filter((name) => name.endsWith('.crt')).toSorted();
  const bundle = await Promise.all(names.map((name) => readFile(join(mozilla, name), 'utf8')));
  await mkdir(join(rootfs, 'etc/ssl/certs'), { recursive: true });
  await writeFile(join(rootfs, 'etc/ssl/certs/ca-certificates.crt'), bundle.join(''));
  const users = ['root:x:0:0:root:/root:/sbin/nologin', 'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin'];
  await writeFile(join(rootfs, 'etc/passwd'), `${users.join('\n')}\n`);
  await writeFile(join(rootfs, 'etc/group'), 'root:x:0:\nnonroot:x:65532:\n');
  await writeFile(join(rootfs, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  for (const folder of ['usr/share/doc', 'usr/share/man', 'usr/share/locale', 'usr/share/lintian'])
    await rm(join(rootfs, folder), { recursive: true, force: true });
}

/** npm from the registry; its package includes all its dependencies. */
async function addNpm(version: string, work: string, rootfs: string): Promise<void> {
  const packed = (await output('npm', ['pack', '--silent', `npm@${version}`], work)).trim();
  const target = join(rootfs, 'nodejs/lib/node_modules/npm');
  await mkdir(target, { recursive: true });
  await output('tar', ['-xzf', join(work, packed), '-C', target, '--strip-components=1', '--no-same-owner']);
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(rootfs, 'nodejs/bin/npm'));
}

async function make(recipe: Recipe, tag: string, archive: string): Promise<void> {
  const work = await mkdtemp(join(IMAGES, '.base-'));
  try {
    const rootfs = join(work, 'rootfs');
    await mkdir(join(rootfs, 'nodejs/bin'), { recursive: true });
    await unpackPackages(recipe.packages, work, rootfs);
    await configure(rootfs);
    await copyFile(await nodeProgram(), join(rootfs, 'nodejs/bin/node'));
    if (recipe.npm !== undefined) await addNpm(recipe.npm, work, rootfs);
    await writeFile(join(work, 'Dockerfile'), recipe.dockerfile);
    const build = ['build', '--quiet', '--isolation', 'chroot', '--pull-never', '--timestamp', '0', '-t', tag, work];
    await buildah(build);
    await buildah(['push', '--quiet', tag, `docker-archive:${join(work, 'image.tar')}:${tag}`]);
    await rename(join(work, 'image.tar'), archive);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Version of the included Node, and a digest of everything that determines the image. */
async function keyOf({ name, packages, npm, dockerfile }: Recipe): Promise<string> {
  const node = createHash('sha256')
    .update(await readFile(await nodeProgram()))
    .digest('hex');
  const said = JSON.stringify([name, packages, npm, dockerfile, node]);
  const digest = createHash('sha256')
    .update(said)
    .update(await readFile(SELF))
    .digest('hex');
  return digest.slice(0, 16);
}

const isStored = (tag: string): Promise<boolean> =>
  buildah(['inspect', '--type', 'image', tag]).then(
    () => true,
    () => false,
  );

async function ensure(recipe: Recipe, say: Say): Promise<LocalImage> {
  await ensurePackages({ buildah: 'buildah' }, say);
  const key = await keyOf(recipe);
  const keyed = `localhost/${recipe.name}:${key}`;
  const tag = `localhost/${recipe.name}:24`;
  const archive = join(IMAGES, `${recipe.name}-${key}.tar`);
  await withFolderLock(join(IMAGES, 'base'), say, async () => {
    if (!existsSync(archive)) await timed(`making ${tag}`, say, () => make(recipe, tag, archive));
    else if (!(await isStored(keyed))) await buildah(['pull', '--quiet', `docker-archive:${archive}`]);
    if (!(await isStored(keyed))) await buildah(['tag', tag, keyed]);
    await buildah(['tag', keyed, tag]);
  });
  return { tag, archive };
}

/**
 * The base for tests: glibc, the C++ runtime, CA certificates and time zones of Debian's packages and this checkout's
 * Node. It has the same layout as the distroless image of releases, without a shell.
 * @throws Error it can't be made
 */
export const ensureNodeBase = (say: Say = console.error): Promise<LocalImage> => ensure(NODE, say);

/** The same with npm and the shell that it needs; only builds run in it. */
export const ensureBuildBase = (say: Say = console.error): Promise<LocalImage> => ensure(BUILD, say);
