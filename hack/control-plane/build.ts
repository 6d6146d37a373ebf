import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildEstimate, buildOrder } from './build-order.ts';
import { command } from './command.ts';
import type { Release } from './releases.ts';
import { isRecord } from './json.ts';

/** Programs of a control plane without a node. */
export type ControlPlaneName = 'kube-apiserver' | 'kube-controller-manager' | 'kubectl' | 'etcd';

/** Names of the binaries of one release, as stored in the cache. */
export type BinaryName = ControlPlaneName | 'kube-scheduler' | 'kubelet' | 'kube-proxy';

/** Reports the progress of long work. */
export type Say = (line: string) => void;

const TICK_MS = 15_000;
const LOG_LINES = 15;

/** Where and how a build runs. */
interface Bench {
  readonly cwd: string;
  readonly say: Say;
  readonly env?: Readonly<Record<string, string>>;
}

/** Looked up on the PATH, then where the official archive puts it. */
const GO_PLACES = ['go', '/usr/local/go/bin/go'];

/** @throws Error no Go toolchain is installed */
async function findGo(): Promise<{ readonly path: string; readonly version: string }> {
  for (const path of GO_PLACES) {
    const { code, stdout } = await command(path, ['version']);
    if (code === 0) return { path, version: stdout.trim() };
  }
  throw new Error('there is no Go toolchain on the PATH to build it with');
}

/** Whether a Go toolchain is installed. */
export const hasGo = (): Promise<boolean> =>
  findGo().then(
    () => true,
    () => false,
  );

/** Runs the Go tool, reports every 15 s that it still runs, and fails with the end of its output. */
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

// Without this line Go also reads indirect dependencies of the dependencies, and some of them were never published.
const PRUNED = 'go 1.24';

/** A temporary module: requires one module, replaces others, imports commands so that `go mod tidy` keeps them. */
async function writeModule(
  folder: string,
  {
    require,
    replace,
    imports,
    pruned = false,
  }: {
    readonly require: string;
    readonly replace: readonly string[];
    readonly imports: readonly string[];
    readonly pruned?: boolean;
  },
): Promise<void> {
  const header = ['module controlplane', '', ...(pruned ? [PRUNED] : [])];
  const lines = [...header, `require ${require}`, ...replace.map((line) => `replace ${line}`)];
  await writeFile(join(folder, 'go.mod'), `${lines.join('\n')}\n`);
  const blank = imports.map((path) => `import _ "${path}"`).join('\n');
  await writeFile(join(folder, 'tools.go'), `//go:build tools\n\npackage tools\n\n${blank}\n`);
}

/** Moves a program that is complete to where it is used: what comes after it may fail or be interrupted. */
type Keep = (name: string) => Promise<void>;

/** A place for builds, with the progress that is reported. */
interface Workshop {
  readonly work: string;
  readonly say: Say;
  readonly keep: Keep;
  /** `[2/4] ` for the next program. */
  readonly nextPlace: () => string;
}

/** Counts programs. @param total of all that are built in this workshop */
function counter(total: number): Workshop['nextPlace'] {
  let started = 0;
  return () => `[${(started += 1)}/${total}] `;
}

/** Builds one program and keeps it, with a line when it begins and one when it is ready. */
async function buildProgram(
  { work, say, keep, nextPlace }: Workshop,
  {
    name,
    path,
    flags,
    cwd,
  }: { readonly name: string; readonly path: string; readonly flags: readonly string[]; readonly cwd: string },
): Promise<void> {
  const what = `${nextPlace()}building ${name}`;
  say(`  ${what} …`);
  await go(what, ['build', '-trimpath', ...flags, '-o', join(work, name), path], { cwd, say });
  await keep(name);
}

async function buildKubernetes(shop: Workshop, version: string, names: readonly BinaryName[]): Promise<void> {
  const { work, say } = shop;
  const folder = join(work, 'kubernetes');
  await mkdir(folder);
  const [, minor = '', patch = ''] = version.split('.');
  // An empty module: a module that required Kubernetes without the replacements could not be loaded.
  await writeFile(join(folder, 'go.mod'), 'module controlplane\n');
  const staging = await stagingModules(folder, version, say);
  await writeModule(folder, {
    require: `k8s.io/kubernetes v${version}`,
    replace: staging.map((module) => `${module} => ${module} v0.${minor}.${patch}`),
    imports: names.map((name) => `k8s.io/kubernetes/cmd/${name}`),
  });
  await go('fetching the sources of Kubernetes', ['mod', 'tidy'], { cwd: folder, say });
  const flags = ['-ldflags', `-s -w -X k8s.io/component-base/version.gitVersion=v${version}`];
  for (const name of names)
    await buildProgram(shop, { name, path: `k8s.io/kubernetes/cmd/${name}`, flags, cwd: folder });
}

const ETCD = 'go.etcd.io/etcd/server/v3';

/** Commands of one Go module. */
export interface GoModule {
  /** Name in progress messages. */
  readonly title: string;
  readonly module: string;
  readonly version: string;
  /** Name of the program → its package. */
  readonly programs: Readonly<Record<string, string>>;
  readonly ldflags?: string;
  readonly tags?: string;
}

async function buildModule(shop: Workshop, wanted: GoModule): Promise<void> {
  const { work, say } = shop;
  const { title, module, version, programs, ldflags = '', tags = '' } = wanted;
  const folder = join(work, 'module');
  await mkdir(folder);
  await writeModule(folder, {
    require: `${module} v${version}`,
    replace: [],
    imports: Object.values(programs),
    pruned: true,
  });
  await go(`fetching the sources of ${title}`, ['mod', 'tidy'], { cwd: folder, say });
  const flags = ['-tags', tags, '-ldflags', `-s -w ${ldflags}`.trim()];
  for (const [name, path] of Object.entries(programs)) await buildProgram(shop, { name, path, flags, cwd: folder });
}

/** Runs a build in its own folder. Each program is moved into `folder` as soon as it is complete. */
async function inWorkshop(
  folder: string,
  { say, total }: { readonly say: Say; readonly total: number },
  build: (shop: Workshop) => Promise<void>,
): Promise<void> {
  const work = await mkdtemp(join(folder, '.build-'));
  const keep: Keep = (name) => rename(join(work, name), join(folder, name));
  try {
    await build({ work, say, keep, nextPlace: counter(total) });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Builds the commands of a module into `folder`. @throws Error the end of the output of the failing step */
export async function buildGoModule(folder: string, wanted: GoModule, say: Say): Promise<void> {
  const names = Object.keys(wanted.programs);
  const estimate = buildEstimate(names.length, availableParallelism());
  say(`Building ${names.join(', ')} from Go modules; once, ${estimate} …`);
  await inWorkshop(folder, { say, total: names.length }, (shop) => buildModule(shop, wanted));
}

/**
 * Builds one command from our own source file into `folder`.
 * @param source the folder with its main.go; the program is named after the folder
 * @param require `module version`; absent: the standard library only
 */
export async function buildGoSource(
  folder: string,
  { name, source, require }: { readonly name: string; readonly source: string; readonly require?: string },
  say: Say,
): Promise<void> {
  say(`Building ${name} …`);
  await inWorkshop(folder, { say, total: 1 }, async ({ work, keep }) => {
    const module = join(work, 'module');
    await mkdir(module);
    await copyFile(join(source, 'main.go'), join(module, 'main.go'));
    const lines = [`module ${name}`, '', PRUNED, ...(require === undefined ? [] : [`require ${require}`])];
    await writeFile(join(module, 'go.mod'), `${lines.join('\n')}\n`);
    await go(`fetching the sources of ${name}`, ['mod', 'tidy'], { cwd: module, say });
    const args = ['build', '-trimpath', '-ldflags', '-s -w', '-o', join(work, name), '.'];
    await go(`building ${name}`, args, { cwd: module, say });
    await keep(name);
  });
}

/**
 * Builds binaries from Go modules (design.md §7), kubectl last, and moves each into `folder` when it is complete.
 * @throws Error no Go toolchain, or the end of what the failing step printed
 */
export async function buildBinaries(
  folder: string,
  release: Release,
  names: readonly BinaryName[],
  say: Say,
): Promise<void> {
  const { version } = await findGo();
  const ordered = buildOrder(names);
  const estimate = buildEstimate(ordered.length, availableParallelism());
  say(`Building ${ordered.join(', ')} from Go modules (${version}). This is done once, and takes ${estimate}:`);
  await inWorkshop(folder, { say, total: ordered.length }, async (shop) => {
    if (ordered.includes('etcd'))
      await buildModule(shop, { title: 'etcd', module: ETCD, version: release.etcd, programs: { etcd: ETCD } });
    const kubernetes = ordered.filter((name) => name !== 'etcd');
    if (kubernetes.length > 0) await buildKubernetes(shop, release.kubernetes, kubernetes);
  });
}

/** Installs a Go command (`path@version`) into `folder`. @throws Error the end of what the Go tool printed */
export async function installGoTool(folder: string, module: string, say: Say): Promise<void> {
  await go(`installing ${module}`, ['install', '-trimpath', module], { cwd: folder, say, env: { GOBIN: folder } });
}

/** Folder of a Go module (`path@version`) in Go's own cache. @throws Error the end of what the Go tool printed */
export async function fetchGoModule(module: string, say: Say): Promise<string> {
  const said = await go(`fetching ${module}`, ['mod', 'download', '-json', module], { cwd: tmpdir(), say });
  const answer: unknown = JSON.parse(said);
  if (isRecord(answer) && typeof answer['Dir'] === 'string') return answer['Dir'];
  throw new Error(`go mod download named no folder of ${module}`);
}
