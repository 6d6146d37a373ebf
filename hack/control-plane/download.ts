import { createHash } from 'node:crypto';
import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BinaryName, Say } from './build.ts';
import { command } from './command.ts';
import type { Release } from './releases.ts';

/** Where official binaries are published; a test passes its own sources. */
export interface Sources {
  /** Index of the envtest archives: archive name → sha512 and address. */
  readonly envtestIndex: string;
  /** Folder of the release binaries; each has its `.sha256` beside it. */
  readonly releases: string;
}

/** The places that the Kubernetes project publishes to. */
const officialSources: Sources = {
  envtestIndex: 'https://raw.githubusercontent.com/kubernetes-sigs/controller-tools/HEAD/envtest-releases.yaml',
  releases: 'https://dl.k8s.io/release',
};

const FIRST_BYTE_MS = 8000;
const WHOLE_MS = 300_000;
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
const platform = (): string => `${process.platform}-${ARCHITECTURES[process.arch] ?? process.arch}`;
/** Programs in the envtest archive. */
const ARCHIVED: readonly BinaryName[] = ['kube-apiserver', 'etcd', 'kubectl'];

async function fetchBytes(url: string): Promise<Buffer> {
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(new Error('no answer within 8 s')), FIRST_BYTE_MS);
  const signal = AbortSignal.any([waiting.signal, AbortSignal.timeout(WHOLE_MS)]);
  const response = await fetch(url, { signal }).finally(() => clearTimeout(timer));
  if (!response.ok) throw new Error(`${url} answers with ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

function verify(bytes: Buffer, algorithm: 'sha256' | 'sha512', published: string, what: string): void {
  const found = createHash(algorithm).update(bytes).digest('hex');
  if (found !== published) throw new Error(`${what}: its ${algorithm} is ${found}, published is ${published}`);
}

/** Address and checksum of an archive in the index, which is YAML of a fixed form. */
function archiveIn(index: string, name: string): { readonly url: string; readonly sha512: string } {
  const lines = index.split('\n');
  const start = lines.findIndex((line) => line.trim() === `${name}:`);
  if (start === -1) throw new Error(`the index of envtest archives has no ${name}`);
  const entry = lines.slice(start + 1, start + 3).join('\n');
  const sha512 = /hash: ([0-9a-f]{128})\b/.exec(entry)?.[1];
  const url = /selfLink: (\S+)/.exec(entry)?.[1];
  if (sha512 === undefined || url === undefined)
    throw new Error(`the index of envtest archives can't be read at ${name}`);
  return { url, sha512 };
}

async function fetchArchive(work: string, release: Release, sources: Sources): Promise<void> {
  const name = `envtest-v${release.kubernetes}-${platform()}.tar.gz`;
  const { url, sha512 } = archiveIn((await fetchBytes(sources.envtestIndex)).toString('utf8'), name);
  const bytes = await fetchBytes(url);
  verify(bytes, 'sha512', sha512, name);
  const file = join(work, name);
  await writeFile(file, bytes);
  const tar = await command('tar', ['-xzf', file, '-C', work, '--strip-components=2']);
  if (tar.code !== 0) throw new Error(`${name} can't be unpacked: ${tar.stderr.trim()}`);
}

async function fetchBinary(work: string, release: Release, name: BinaryName, sources: Sources): Promise<void> {
  const url = `${sources.releases}/v${release.kubernetes}/bin/${platform().replace('-', '/')}/${name}`;
  const bytes = await fetchBytes(url);
  const published = (await fetchBytes(`${url}.sha256`)).toString('utf8').trim().split(/\s+/)[0] ?? '';
  verify(bytes, 'sha256', published, name);
  await writeFile(join(work, name), bytes);
}

/**
 * Downloads binaries with their published checksums into `folder`: the envtest archive, and the other binaries from
 * the release itself. A binary whose checksum differs is never kept.
 * @throws Error what could not be fetched or verified; then the folder stays empty
 */
export async function downloadBinaries(
  folder: string,
  release: Release,
  names: readonly BinaryName[],
  { say, sources = officialSources }: { readonly say: Say; readonly sources?: Sources },
): Promise<void> {
  say(`Downloading ${names.join(', ')} …`);
  const work = await mkdtemp(join(folder, '.download-'));
  try {
    if (names.some((name) => ARCHIVED.includes(name))) await fetchArchive(work, release, sources);
    for (const name of names.filter((wanted) => !ARCHIVED.includes(wanted)))
      await fetchBinary(work, release, name, sources);
    for (const name of names) {
      await chmod(join(work, name), 0o755);
      await rename(join(work, name), join(folder, name));
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
