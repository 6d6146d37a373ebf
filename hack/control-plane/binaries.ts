import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { buildBinaries, type BinaryName, type ControlPlaneName, type Say } from './build.ts';
import { command } from './command.ts';
import { downloadBinaries, type Sources } from './download.ts';
import { withFolderLock } from './folder-lock.ts';
import { releaseOf, type Release } from './releases.ts';

/** Paths of the control plane's programs. */
export interface Binaries {
  readonly release: Release;
  readonly paths: Readonly<Record<ControlPlaneName, string>>;
}

/** How to find binaries; everything has a default. */
export interface FindOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cache?: string;
  readonly say?: Say;
  readonly sources?: Sources;
}

const NAMES: readonly ControlPlaneName[] = ['kube-apiserver', 'kube-controller-manager', 'kubectl', 'etcd'];
const SERVERS = NAMES.filter((name) => name !== 'kubectl');

const isProgram = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

async function missingIn<T extends string>(folder: string, names: readonly T[]): Promise<readonly T[]> {
  const there = await Promise.all(names.map((name) => isProgram(join(folder, name))));
  return names.filter((_, index) => !there[index]);
}

/** Fills the cache under a lock between processes. */
async function fill(
  folder: string,
  release: Release,
  names: readonly BinaryName[],
  { say = console.error, sources }: FindOptions,
): Promise<void> {
  await withFolderLock(folder, say, async () => {
    const missing = await missingIn(folder, names);
    if (missing.length === 0) return;
    try {
      await downloadBinaries(folder, release, missing, { say, ...(sources === undefined ? {} : { sources }) });
    } catch (error) {
      say(`  not downloaded: ${error instanceof Error ? error.message : String(error)}`);
      await buildBinaries(folder, release, await missingIn(folder, names), say);
    }
  });
}

const cacheOf = (release: Release, { cache = join(homedir(), '.cache/orb-control-plane') }: FindOptions): string =>
  join(cache, `v${release.kubernetes}-${process.platform}-${process.arch}`);

/** Whether a release's programs are in the cache. */
export const areCached = async (names: readonly BinaryName[], options: FindOptions = {}): Promise<boolean> => {
  const release = releaseOf((options.env ?? process.env)['ORB_K8S_VERSION']);
  return (await missingIn(cacheOf(release, options), names)).length === 0;
};

/**
 * Folder with a release's programs, including those of a node: from the cache, which is filled by download or build.
 * @throws Error neither download nor build worked; the message says what each lacked
 */
export async function fillCache(names: readonly BinaryName[], options: FindOptions = {}): Promise<string> {
  const release = releaseOf((options.env ?? process.env)['ORB_K8S_VERSION']);
  const cache = cacheOf(release, options);
  if (!(await areCached(names, options))) await fill(cache, release, names, options);
  return cache;
}

/**
 * A kubectl of the person's own, in place of one that would have to be fetched or built. Kubernetes supports one that is
 * at most one minor version away from the server.
 */
async function ownKubectl({ kubernetes }: Release, env: NonNullable<FindOptions['env']>): Promise<string | undefined> {
  const { code, stdout } = await command('kubectl', ['version', '--client', '-o', 'json'], { env });
  const minor = /"gitVersion":\s*"v1\.(\d+)\./.exec(stdout)?.[1];
  const wanted = Number(kubernetes.split('.')[1]);
  return code === 0 && minor !== undefined && Math.abs(Number(minor) - wanted) <= 1 ? 'kubectl' : undefined;
}

/**
 * The control plane's programs, from the first source that has them (design.md §7). These are `KUBEBUILDER_ASSETS`, the
 * cache folder, for kubectl the one on the PATH, the official downloads with their checksums, a build from Go modules.
 * The last two fill the cache.
 * @throws Error neither download nor build worked; the message says what each lacked
 */
export async function findBinaries(options: FindOptions = {}): Promise<Binaries> {
  const { env = process.env } = options;
  const release = releaseOf(env['ORB_K8S_VERSION']);
  const cache = cacheOf(release, options);
  const assets = env['KUBEBUILDER_ASSETS'];
  const absent = assets === undefined ? NAMES : await missingIn(assets, NAMES);
  const missing = (await missingIn(cache, NAMES)).filter((name) => absent.includes(name));
  const own = missing.includes('kubectl') ? await ownKubectl(release, env) : undefined;
  if (missing.some((name) => name !== 'kubectl' || own === undefined))
    await fill(cache, release, own === undefined ? NAMES : SERVERS, options);
  const pathOf = (name: ControlPlaneName): string =>
    join(assets === undefined || absent.includes(name) ? cache : assets, name);
  return {
    release,
    paths: {
      'kube-apiserver': pathOf('kube-apiserver'),
      'kube-controller-manager': pathOf('kube-controller-manager'),
      kubectl: own ?? pathOf('kubectl'),
      etcd: pathOf('etcd'),
    },
  };
}
