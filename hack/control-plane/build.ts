import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { command } from './command.ts';
import type { Release } from './releases.ts';

/** Names of the binaries, as they lie in the cache. */
export type BinaryName = 'kube-apiserver' | 'kube-controller-manager' | 'kubectl' | 'etcd';

/** Says how a long work goes on. */
export type Say = (line: string) => void;

const TICK_MS = 15_000;
const LOG_LINES = 15;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Where and how a build runs. */
interface Bench {
  readonly cwd: string;
  readonly say: Say;
  readonly env?: Readonly<Record<string, string>>;
}

/** On the PATH, else where the official archive puts it. */
const GO_PLACES = ['go', '/usr/local/go/bin/go'];

/** @throws Error there is no Go toolchain */
async function findGo(): Promise<{ readonly path: string; readonly version: string }> {
  for (const path of GO_PLACES) {
    const { code, stdout } = await command(path, ['version']);
    if (code === 0) return { path, version: stdout.trim() };
  }
  throw new Error('there is no Go toolchain on the PATH to build it with');
}

/** Runs the Go tool, says every 15 s that it goes on, and fails with the end of its output. */
async function go(what: string, args: readonly string[], { cwd, say, env = {} }: Bench): Promise<string> {
  const since = performance.now();
  const seconds = (): number => Math.round((performance.now() - since) / 1000);
  const timer = setInterval(() => say(`  still: ${what} (${seconds()} s)`), TICK_MS);
  const { code, stdout, stderr } = await command((await findGo()).path, args, {
    cwd,
    env: { CGO_ENABLED: '0', GOFLAGS: '-mod=mod', ...env },
  });
  clearInterval(timer);
  if (code === 0) {
    say(`  ${what}: ${seconds()} s`);
    return stdout;
  }
  const tail = stderr.trimEnd().split('\n').slice(-LOG_LINES).join('\n');
  throw new Error(`${what} failed (go ${args.join(' ')}):\n${tail}`);
}

/** Module path of a Kubernetes staging repository → version, from the `replace` list of its go.mod. */
async function stagingModules(folder: string, version: string, say: Say): Promise<readonly string[]> {
  const said = await go('fetching the list of modules', ['list', '-m', '-json', `k8s.io/kubernetes@v${version}`], {
    cwd: folder,
    say,
  });
  const answer: unknown = JSON.parse(said);
  const path = isRecord(answer) && typeof answer['GoMod'] === 'string' ? answer['GoMod'] : '';
  return [...(await readFile(path, 'utf8')).matchAll(/^\s*(?:replace )?(k8s\.io\/[\w-]+) => \.\/staging\//gm)].map(
    (match) => match[1] ?? '',
  );
}

/** A throw-away module: requires one module, replaces others, imports commands so that `go mod tidy` keeps them. */
async function writeModule(
  folder: string,
  {
    require,
    replace,
    imports,
  }: { readonly require: string; readonly replace: readonly string[]; readonly imports: readonly string[] },
): Promise<void> {
  const lines = ['module controlplane', '', `require ${require}`, ...replace.map((line) => `replace ${line}`)];
  await writeFile(join(folder, 'go.mod'), `${lines.join('\n')}\n`);
  const blank = imports.map((path) => `import _ "${path}"`).join('\n');
  await writeFile(join(folder, 'tools.go'), `//go:build tools\n\npackage tools\n\n${blank}\n`);
}

async function buildKubernetes(work: string, version: string, names: readonly BinaryName[], say: Say): Promise<void> {
  const folder = join(work, 'kubernetes');
  await mkdir(folder);
  const [, minor = '', patch = ''] = version.split('.');
  // An empty module: one that required Kubernetes without the replacements could not be loaded.
  await writeFile(join(folder, 'go.mod'), 'module controlplane\n');
  const staging = await stagingModules(folder, version, say);
  await writeModule(folder, {
    require: `k8s.io/kubernetes v${version}`,
    replace: staging.map((module) => `${module} => ${module} v0.${minor}.${patch}`),
    imports: names.map((name) => `k8s.io/kubernetes/cmd/${name}`),
  });
  await go('fetching the sources of Kubernetes', ['mod', 'tidy'], { cwd: folder, say });
  const flags = `-s -w -X k8s.io/component-base/version.gitVersion=v${version}`;
  for (const name of names) {
    const args = ['build', '-trimpath', '-ldflags', flags, '-o', join(work, name), `k8s.io/kubernetes/cmd/${name}`];
    await go(`building ${name}`, args, { cwd: folder, say });
  }
}

async function buildEtcd(work: string, version: string, say: Say): Promise<void> {
  const folder = join(work, 'etcd-module');
  await mkdir(folder);
  const module = 'go.etcd.io/etcd/server/v3';
  await writeModule(folder, { require: `${module} v${version}`, replace: [], imports: [module] });
  await go('fetching the sources of etcd', ['mod', 'tidy'], { cwd: folder, say });
  await go('building etcd', ['build', '-trimpath', '-ldflags', '-s -w', '-o', join(work, 'etcd'), module], {
    cwd: folder,
    say,
  });
}

/**
 * Builds binaries from Go modules (design.md §7) and moves each into `folder` when it is whole.
 * @throws Error no Go toolchain, or the end of what the failing step printed
 */
export async function buildBinaries(
  folder: string,
  release: Release,
  names: readonly BinaryName[],
  say: Say,
): Promise<void> {
  const { version } = await findGo();
  say(`Building ${names.join(', ')} from Go modules (${version}); once, about 5 minutes …`);
  const work = await mkdtemp(join(folder, '.build-'));
  try {
    const kubernetes = names.filter((name) => name !== 'etcd');
    if (kubernetes.length > 0) await buildKubernetes(work, release.kubernetes, kubernetes, say);
    if (names.includes('etcd')) await buildEtcd(work, release.etcd, say);
    for (const name of names) await rename(join(work, name), join(folder, name));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Installs a Go command (`path@version`) into `folder`. @throws Error the end of what the Go tool printed */
export async function installGoTool(folder: string, module: string, say: Say): Promise<void> {
  await go(`installing ${module}`, ['install', '-trimpath', module], { cwd: folder, say, env: { GOBIN: folder } });
}
