import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, link, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Say } from '../control-plane/build.ts';
import { withFolderLock } from '../control-plane/folder-lock.ts';
import { NODE_PROGRAMS } from '../control-plane/releases.ts';
import { ensureNodeBase, type LocalImage } from '../image/base.ts';
import { buildah, IMAGES, output } from '../image/buildah.ts';
import { ensurePrometheus } from '../prometheus/binaries.ts';

/** How to make one image. */
interface Recipe {
  readonly name: string;
  readonly dockerfile: string;
  /** Name in the build context → file on the machine. */
  readonly files: Readonly<Record<string, string>>;
  /** Versions of its contents: with the Dockerfile they form the key of its archive in the cache. */
  readonly versions: readonly string[];
}

const KEY_LENGTH = 16;

const tagOf = ({ name }: Recipe): string => `localhost/${name}:1`;

function archiveOf({ name, dockerfile, versions }: Recipe): string {
  const key = createHash('sha256')
    .update(JSON.stringify([dockerfile, versions]))
    .digest('hex');
  return join(IMAGES, `${name}-${key.slice(0, KEY_LENGTH)}.tar`);
}

/** An image of one program without libraries. */
const single = (name: string, path: string, { user, version }: { user: number; version: string }): Recipe => ({
  name,
  dockerfile: `FROM scratch\nCOPY ${name} /${name}\nUSER ${user}:${user}\nENTRYPOINT ["/${name}"]\n`,
  files: { [name]: path },
  versions: [version],
});

/**
 * Debian's program on the C library of Node's base. It has the user of the base; its volume has the group of the pod.
 */
async function prometheusRecipe(base: LocalImage, say: Say): Promise<Recipe> {
  const { prometheus } = await ensurePrometheus(say);
  return {
    name: 'prometheus',
    dockerfile: `FROM ${base.tag}\nCOPY prometheus /usr/bin/prometheus\nENTRYPOINT ["/usr/bin/prometheus"]\nCMD []\n`,
    files: { prometheus },
    versions: [await output(prometheus, ['--version']), basename(base.archive)],
  };
}

/** A hard link when possible, because contexts are large. */
const place = (file: string, to: string): Promise<void> => link(file, to).catch(() => copyFile(file, to));

async function removeOlder({ name }: Recipe): Promise<void> {
  const own = new RegExp(`^${name}-[0-9a-f]{${KEY_LENGTH}}\\.tar$`);
  for (const file of (await readdir(IMAGES)).filter((entry) => own.test(entry))) await rm(join(IMAGES, file));
}

async function make(recipe: Recipe): Promise<void> {
  const archive = archiveOf(recipe);
  const context = await mkdtemp(join(tmpdir(), 'node-image-'));
  const tag = tagOf(recipe);
  try {
    await writeFile(join(context, 'Dockerfile'), recipe.dockerfile);
    for (const [name, file] of Object.entries(recipe.files)) await place(file, join(context, name));
    await buildah([
      'build',
      '--quiet',
      '--isolation',
      'chroot',
      '--pull-never',
      '--timestamp',
      '0',
      '-t',
      tag,
      context,
    ]);
    const part = join(context, 'image.tar');
    await buildah(['push', '--quiet', tag, `docker-archive:${part}:${tag}`]);
    await removeOlder(recipe);
    await copyFile(part, `${archive}.part`);
    await rename(`${archive}.part`, archive);
  } finally {
    await rm(context, { recursive: true, force: true });
  }
}

async function ensure(recipe: Recipe, say: Say): Promise<string> {
  const archive = archiveOf(recipe);
  if (existsSync(archive)) return archive;
  await withFolderLock(join(IMAGES, recipe.name), say, async () => {
    if (existsSync(archive)) return;
    say(`Making the image ${tagOf(recipe)} …`);
    await make(recipe);
  });
  return archive;
}

/**
 * The images that every node has, as archives in the cache: pause, CoreDNS, Node (`localhost/node:24`) and Prometheus
 * (`localhost/prometheus:1`). An image is built when its recipe or a version changes.
 * @param programs paths by name, as `findPrograms` returns them
 * @throws Error what failed, with the end of its output
 */
export async function ensureImages(
  { pause = '', coredns = '' }: Readonly<Record<string, string>>,
  say: Say,
): Promise<readonly string[]> {
  const base = await ensureNodeBase(say);
  const recipes = [
    single('pause', pause, { user: 65_535, version: '1' }),
    single('coredns', coredns, { user: 65_532, version: NODE_PROGRAMS.coredns }),
    await prometheusRecipe(base, say),
  ];
  const archives = [base.archive];
  for (const recipe of recipes) archives.push(await ensure(recipe, say));
  return archives;
}
