import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Say } from '../control-plane/build.ts';
import { withFolderLock } from '../control-plane/folder-lock.ts';
import { ensureBuildBase } from './base.ts';
import { buildah, IMAGES, output, timed } from './buildah.ts';
import { measure, type Measured } from './measure.ts';
import { npmAccess } from './npm-settings.ts';

export interface ImageOptions {
  /** Base image, under the name that buildah knows. */
  readonly base: string;
  /** Image with Node, npm and a shell; undefined: the image that this program makes. */
  readonly buildBase: string | undefined;
  /** Builds all layers without the cache. */
  readonly fresh: boolean;
  readonly say: Say;
}

/** Where to find the image of this version. */
export interface ImagePlace {
  readonly tag: string;
  /** Docker archive, for `ctr images import`, `docker load`, `kind load image-archive`. */
  readonly archive: string;
  /** CycloneDX file, the same as /app/sbom.cdx.json. */
  readonly sbomFile: string;
}

/** A built image, in buildah's storage and as files of the cache. */
export type BuiltImage = Measured & ImagePlace;

const root = resolve(import.meta.dirname, '../..');

async function versionOf(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) return String(manifest.version);
  throw new Error('package.json has no version');
}

const git = (...args: readonly string[]): Promise<string> =>
  output('git', args, root).then(
    (text) => text.trim(),
    () => '',
  );

/** Time and name of the source; a changed checkout has those of its last commit. @throws Error there is no commit */
async function sourceOf(): Promise<{ readonly epoch: string; readonly revision: string }> {
  const epoch = process.env['SOURCE_DATE_EPOCH'] ?? (await git('log', '-1', '--format=%ct'));
  if (/^\d+$/.test(epoch)) return { epoch, revision: await git('rev-parse', 'HEAD') };
  throw new Error('this is no checkout of git: set SOURCE_DATE_EPOCH to the seconds of the release');
}

async function build(tag: string, { base, buildBase, fresh, say }: ImageOptions): Promise<void> {
  const { epoch, revision } = await sourceOf();
  const values = {
    NODE_IMAGE: base,
    BUILD_IMAGE: buildBase ?? (await ensureBuildBase(say)).tag,
    SOURCE_DATE_EPOCH: epoch,
    VERSION: await versionOf(),
    REVISION: revision,
  };
  const given = Object.entries(values).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
  const folder = await mkdtemp(join(tmpdir(), 'orb-image-'));
  try {
    const how = ['--isolation', 'chroot', '--pull=false', '--layers', '--timestamp', epoch, '-t', tag];
    const cache = fresh ? ['--no-cache'] : [];
    const args = ['build', ...how, ...cache, ...(await npmAccess(folder)), ...given, '.'];
    await timed(`building ${tag}${fresh ? ', no layer reused' : ''}`, say, () => buildah(args, root));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Name and files of the image that the checkout builds; the files exist after the build. */
export async function imagePlace(): Promise<ImagePlace> {
  const version = await versionOf();
  const path = join(IMAGES, `orb-platform-${version}`);
  return { tag: `localhost/orb-platform:${version}`, archive: `${path}.tar`, sbomFile: `${path}.cdx.json` };
}

// A build of changed sources leaves two or three stages, of 30 to 300 MB each.
const KEPT_STAGES = 40;

/** Removes old build stages from the disk when there are too many. */
async function dropOldStages(say: Say): Promise<void> {
  const stages = (await buildah(['images', '--all', '--quiet', '--filter', 'dangling=true'])).trim().split('\n');
  if (stages.length <= KEPT_STAGES) return;
  say(`Removing ${stages.length} stages of earlier builds …`);
  await buildah(['rmi', '--prune', '--force']);
}

/** Builds the image and writes its archive and its list of contents to the cache. @throws Error what failed */
export async function buildImage(options: ImageOptions): Promise<BuiltImage> {
  const place = await imagePlace();
  const { tag, archive, sbomFile } = place;
  return withFolderLock(join(IMAGES, 'build'), options.say, async () => {
    await dropOldStages(options.say);
    await build(tag, options);
    const measured = await timed('measuring it', options.say, () => measure(tag, options.base));
    await writeFile(`${sbomFile}.part`, measured.sbom);
    await rename(`${sbomFile}.part`, sbomFile);
    await rm(`${archive}.part`, { force: true });
    await buildah(['push', '--quiet', tag, `docker-archive:${archive}.part:${tag}`]);
    await rename(`${archive}.part`, archive);
    return { ...measured, ...place };
  });
}
