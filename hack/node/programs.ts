import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { areCached, fillCache } from '../control-plane/binaries.ts';
import { buildGoModule, buildGoSource, type BinaryName, type Say } from '../control-plane/build.ts';
import { withFolderLock } from '../control-plane/folder-lock.ts';
import { NODE_PROGRAMS } from '../control-plane/releases.ts';
import { findTool, isToolCached } from '../control-plane/tools.ts';

/** The root folder of everything that is kept between runs. */
export const CACHE = join(homedir(), '.cache/orb-control-plane');

const KUBERNETES: readonly BinaryName[] = [
  'kube-apiserver',
  'kube-controller-manager',
  'kubectl',
  'etcd',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
];
const CONTAINERD = 'github.com/containerd/containerd/v2';
const SHIM = 'containerd-shim-runc-v2';

/** A folder of the cache that one build fills. */
interface Shelf {
  readonly folder: string;
  readonly names: readonly string[];
  readonly build: (folder: string, say: Say) => Promise<void>;
}

const shelfPath = (name: string): string => join(CACHE, `${name}-${process.platform}-${process.arch}`);

const containerd: Shelf = {
  folder: shelfPath(`containerd-v${NODE_PROGRAMS.containerd}`),
  names: ['containerd', SHIM, 'ctr'],
  build: (folder, say) =>
    buildGoModule(
      folder,
      {
        title: 'containerd',
        module: CONTAINERD,
        version: NODE_PROGRAMS.containerd,
        programs: Object.fromEntries(['containerd', SHIM, 'ctr'].map((name) => [name, `${CONTAINERD}/cmd/${name}`])),
        ldflags: `-X ${CONTAINERD}/version.Version=v${NODE_PROGRAMS.containerd}`,
        tags: 'no_btrfs no_zfs no_devmapper',
      },
      say,
    ),
};

const coredns: Shelf = {
  folder: shelfPath(`coredns-v${NODE_PROGRAMS.coredns}`),
  names: ['coredns'],
  build: (folder, say) => {
    const require = `github.com/coredns/coredns v${NODE_PROGRAMS.coredns}`;
    return buildGoSource(folder, { name: 'coredns', source: join(import.meta.dirname, 'coredns'), require }, say);
  },
};

const pause: Shelf = {
  folder: shelfPath('pause-v1'),
  names: ['pause'],
  build: (folder, say) => buildGoSource(folder, { name: 'pause', source: join(import.meta.dirname, 'pause') }, say),
};

const complete = ({ folder, names }: Shelf): boolean => names.every((name) => existsSync(join(folder, name)));

async function fill(shelf: Shelf, say: Say): Promise<void> {
  if (complete(shelf)) return;
  await withFolderLock(shelf.folder, say, async () => {
    if (!complete(shelf)) await shelf.build(shelf.folder, say);
  });
}

/**
 * Paths of all programs of a node and its control plane, by name. They come from the cache, else they are downloaded or
 * built into it (about 8 minutes for all), one build at a time.
 * @throws Error which program can't be obtained
 */
export async function findPrograms(say: Say): Promise<Readonly<Record<string, string>>> {
  const kubernetes = await fillCache(KUBERNETES, { say });
  const paths = Object.fromEntries(KUBERNETES.map((name) => [name, join(kubernetes, name)]));
  for (const shelf of [containerd, coredns, pause]) {
    await fill(shelf, say);
    for (const name of shelf.names) paths[name] = join(shelf.folder, name);
  }
  return { ...paths, helm: await findTool('helm', say) };
}

/** Whether every program is in the cache, so that no Go toolchain is needed. */
export const havePrograms = async (): Promise<boolean> =>
  [containerd, coredns, pause].every(complete) && (await areCached(KUBERNETES)) && isToolCached('helm');
