import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureNodeBase } from '../../hack/image/base.ts';
import { imagePlace } from '../../hack/image/build-image.ts';
import { output } from '../../hack/image/buildah.ts';
import { isRecord } from '../../hack/control-plane/json.ts';

/** The image as a node would unpack it. */
export interface ImageRoot {
  /** All layers, one over the other. */
  readonly folder: string;
  /** Paths that our own layers add, including folders. */
  readonly ownPaths: readonly string[];
  readonly config: ImageConfig;
  /** Starts the entry point as the pod's first process: user 65532, root read-only, only `/data` writable. */
  readonly start: (args: readonly string[]) => Started;
  /** Folder that is `/data` inside. */
  readonly data: string;
  /** Ends what still runs, and removes the folders. */
  readonly remove: () => Promise<void>;
}

interface ImageConfig {
  readonly user: string;
  readonly env: readonly string[];
  readonly entrypoint: readonly string[];
}

/** A started program of the image. */
export interface Started {
  readonly child: ChildProcess;
  /** Everything that it printed. */
  readonly output: () => string;
  /** Its exit code; null after a signal. */
  readonly ended: Promise<number | null>;
  /** Sends a signal to the program itself, which is pid 1 of its own tree. */
  readonly signal: (name: NodeJS.Signals) => Promise<void>;
}

const fields = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});
const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

async function unpackArchive(archive: string, folder: string): Promise<Record<string, unknown>> {
  await mkdir(folder);
  await output('tar', ['-xf', archive, '-C', folder]);
  const manifest: unknown = readJson(join(folder, 'manifest.json'));
  return fields(Array.isArray(manifest) ? manifest[0] : undefined);
}

function configOf(file: string): ImageConfig {
  const config = fields(fields(readJson(file))['config']);
  return { user: String(config['User']), env: texts(config['Env']), entrypoint: texts(config['Entrypoint']) };
}

// The work of a kubelet, without a kubelet: its own pid and mount tree, the root remounted read-only, the user changed
// last.
const CONFINE = `set -e
mount --bind "$ROOT" "$ROOT"
mount --bind "$DATA" "$ROOT/data"
mount -t proc proc "$ROOT/proc"
mount -o remount,bind,ro "$ROOT"
exec chroot --userspec="$IDENTITY" "$ROOT" /nodejs/bin/node -e 'process.chdir("/app");process.execve(process.argv[1],process.argv.slice(1))' -- "$@"`;

function starter(folder: string, data: string, { user, env, entrypoint }: ImageConfig): ImageRoot['start'] {
  return (args) => {
    const own = Object.fromEntries(
      env.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    const confine = [
      '--mount',
      '--propagation',
      'private',
      '--pid',
      '--fork',
      '--kill-child',
      'sh',
      '-c',
      CONFINE,
      'sh',
    ];
    const child = spawn('unshare', [...confine, ...entrypoint, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...own, PATH: `/usr/sbin:/usr/bin:/sbin:/bin:${own['PATH']}`, ROOT: folder, DATA: data, IDENTITY: user },
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
    const signal = async (name: NodeJS.Signals): Promise<void> => {
      const [first] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
      process.kill(Number(first), name);
    };
    return { child, output: () => printed, ended, signal };
  };
}

/** Ends a program that a failed test left: without its root, Node's search for a parent folder never ends. */
async function end({ child, ended, signal }: Started): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await signal('SIGKILL');
  await ended;
}

/** Unpacks the image that `npm run image` built. @throws Error it was not built, or this is not root */
export async function openImage(): Promise<ImageRoot> {
  const { archive } = await imagePlace();
  if (!existsSync(archive)) throw new Error(`${archive} is missing: npm run image`);
  const work = await mkdtemp(join(tmpdir(), 'orb-image-root-'));
  const { Layers, Config } = await unpackArchive(archive, join(work, 'archive'));
  const below = texts((await unpackArchive((await ensureNodeBase()).archive, join(work, 'base')))['Layers']).length;
  const [folder, data] = [join(work, 'root'), join(work, 'data')];
  await mkdir(folder);
  await mkdir(data);
  const ownPaths: string[] = [];
  for (const [index, layer] of texts(Layers).entries()) {
    const file = join(work, 'archive', layer);
    await output('tar', ['-xpf', file, '-C', folder]);
    if (index < below) continue;
    ownPaths.push(...(await output('tar', ['-tf', file])).trim().split('\n'));
  }
  await mkdir(join(folder, 'data'));
  await output('chown', ['65532:65532', data]);
  const config = configOf(join(work, 'archive', String(Config)));
  const start = starter(folder, data, config);
  const all: Started[] = [];
  return {
    folder,
    ownPaths,
    config,
    data,
    start: (args) => {
      const started = start(args);
      all.push(started);
      return started;
    },
    remove: async () => {
      await Promise.all(all.map(end));
      await rm(work, { recursive: true, force: true });
    },
  };
}
