import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { buildBinaries, type BinaryName, type Say } from './build.ts';
import { downloadBinaries, type Sources } from './download.ts';
import { withFolderLock } from './folder-lock.ts';
import { releaseOf, type Release } from './releases.ts';

/** Paths of the control plane's programs. */
export interface Binaries {
  readonly release: Release;
  readonly paths: Readonly<Record<BinaryName, string>>;
}

/** How binaries are looked for; everything has a default. */
export interface FindOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cache?: string;
  readonly say?: Say;
  readonly sources?: Sources;
}

const NAMES: readonly BinaryName[] = ['kube-apiserver', 'kube-controller-manager', 'kubectl', 'etcd'];

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

async function missingIn(folder: string): Promise<readonly BinaryName[]> {
  const there = await Promise.all(NAMES.map((name) => isProgram(join(folder, name))));
  return NAMES.filter((_, index) => !there[index]);
}

/** Fills the cache while no other process does. */
async function fill(folder: string, release: Release, { say = console.error, sources }: FindOptions): Promise<void> {
  await withFolderLock(folder, say, async () => {
    const missing = await missingIn(folder);
    if (missing.length === 0) return;
    try {
      await downloadBinaries(folder, release, missing, { say, ...(sources === undefined ? {} : { sources }) });
    } catch (error) {
      say(`  not downloaded: ${error instanceof Error ? error.message : String(error)}`);
      await buildBinaries(folder, release, await missingIn(folder), say);
    }
  });
}

/**
 * The control plane's programs, first that answers (design.md §7): `KUBEBUILDER_ASSETS`, the cache folder, the official
 * downloads with their checksums, a build from Go modules. The last two fill the cache.
 * @throws Error neither download nor build worked; the message says what each lacked
 */
export async function findBinaries(options: FindOptions = {}): Promise<Binaries> {
  const { env = process.env } = options;
  const release = releaseOf(env['ORB_K8S_VERSION']);
  const platform = `${process.platform}-${process.arch}`;
  const cache = join(
    options.cache ?? join(homedir(), '.cache/orb-control-plane'),
    `v${release.kubernetes}-${platform}`,
  );
  const assets = env['KUBEBUILDER_ASSETS'];
  const absent = assets === undefined ? NAMES : await missingIn(assets);
  if (absent.length > 0 && (await missingIn(cache)).some((name) => absent.includes(name)))
    await fill(cache, release, options);
  const pathOf = (name: BinaryName): string =>
    join(assets === undefined || absent.includes(name) ? cache : assets, name);
  return {
    release,
    paths: {
      'kube-apiserver': pathOf('kube-apiserver'),
      'kube-controller-manager': pathOf('kube-controller-manager'),
      kubectl: pathOf('kubectl'),
      etcd: pathOf('etcd'),
    },
  };
}
