import { access, constants, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { hasGo, type Say } from '../control-plane/build.ts';
import { command } from '../control-plane/command.ts';
import { CACHE, havePrograms } from './programs.ts';

/** Debian package → a file that it installs. */
const PACKAGES: Readonly<Record<string, string>> = {
  buildah: '/usr/bin/buildah',
  'containernetworking-plugins': '/usr/lib/cni/ptp',
  iproute2: '/usr/sbin/ip',
  nftables: '/usr/sbin/nft',
  openssl: '/usr/bin/openssl',
  procps: '/usr/bin/pgrep',
  runc: '/usr/sbin/runc',
  'util-linux': '/usr/bin/unshare',
};
/** Cgroup controllers that the kubelet requires. */
const CONTROLLERS = ['cpu', 'cpuset', 'memory', 'pids'];
/** Folders that the node has for itself: it can't see the machine's files there. */
const HIDDEN = ['/run/', '/var/lib/', '/var/log/', '/var/tmp/'];

/** Operations that the kernel must allow to this process, each as a command that tries it. */
const ABILITIES: readonly (readonly [string, readonly string[]])[] = [
  ['namespaces (CAP_SYS_ADMIN)', ['--mount', '--net', '--pid', '--fork', 'true']],
  ['nftables', ['--net', 'nft', 'add', 'table', 'ip', 'probe']],
  ['a network bridge', ['--net', 'ip', 'link', 'add', 'probe', 'type', 'bridge']],
];

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

async function missingPackages(): Promise<readonly string[]> {
  const there = await Promise.all(Object.values(PACKAGES).map(isThere));
  return Object.keys(PACKAGES).filter((_, index) => there[index] === false);
}

// Wait for another apt-get, such as that of the machine's own updates.
const PATIENT = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=5'];
const APT = [...PATIENT, 'install', '--yes', '--no-install-recommends'];

/** @throws Error apt-get failed; a later try may succeed */
async function installPackages(names: readonly string[], say: Say): Promise<void> {
  say(`Installing ${names.join(', ')} …`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const first = await command('apt-get', [...APT, ...names], { env });
  if (first.code === 0) return;
  // The lists of a fresh machine are empty, and old lists name files that no longer exist.
  await command('apt-get', [...PATIENT, 'update'], { env });
  const { code, stderr } = await command('apt-get', [...APT, ...names], { env });
  if (code !== 0) throw new Error(`apt-get can't install ${names.join(', ')}:\n${stderr.trim()}`);
}

/** @returns why packages can't be installed at all */
async function packagesFault(say: Say): Promise<string | undefined> {
  const missing = await missingPackages();
  if (missing.length === 0) return undefined;
  if (!(await isThere('/usr/bin/apt-get'))) return `these programs are missing: ${missing.join(', ')}`;
  await installPackages(missing, say);
  return undefined;
}

/** Controllers of cgroup version 1 (a folder each) or 2 (a list). */
async function missingControllers(): Promise<readonly string[]> {
  const root = '/sys/fs/cgroup';
  const unified = await readFile(join(root, 'cgroup.controllers'), 'utf8').catch(() => undefined);
  const there = await Promise.all(CONTROLLERS.map((name) => isThere(join(root, name, 'tasks'))));
  return CONTROLLERS.filter((name, index) =>
    unified === undefined ? there[index] === false : !unified.split(/\s+/).includes(name),
  );
}

async function cgroupsFault(): Promise<string | undefined> {
  const missing = await missingControllers();
  if (missing.length > 0) return `these cgroup controllers are missing: ${missing.join(', ')}`;
  const writable = await access('/sys/fs/cgroup', constants.W_OK).then(
    () => true,
    () => false,
  );
  return writable ? undefined : '/sys/fs/cgroup is read-only';
}

async function overlayFault(folder: string): Promise<string | undefined> {
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(join(folder, 'overlay-'));
  const script = 'cd "$1"; mkdir a b c d; mount -t overlay -o lowerdir=a,upperdir=b,workdir=c overlay d';
  const { code } = await command('unshare', ['--mount', 'sh', '-ec', script, 'sh', work]);
  await rm(work, { recursive: true, force: true });
  return code === 0 ? undefined : 'this kernel has no overlay file system for this process';
}

async function abilitiesFault(): Promise<string | undefined> {
  for (const [what, args] of ABILITIES) {
    const { code, stderr } = await command('unshare', args);
    if (code !== 0) return `this process may not use ${what}: ${stderr.trim()}`;
  }
  // The folder for the layers of containers.
  return overlayFault(CACHE);
}

const goFault = async (): Promise<string | undefined> =>
  (await havePrograms()) || (await hasGo())
    ? undefined
    : 'there is no Go toolchain to build the programs of a node with (1.26 or newer)';

function machineFault(): string | undefined {
  if (process.platform !== 'linux') return 'a node needs Linux';
  if (process.getuid?.() !== 0) return 'a node needs root: namespaces, mounts, cgroups';
  const hidden = HIDDEN.find((folder) => `${homedir()}/`.startsWith(folder));
  return hidden === undefined ? undefined : `the home folder lies in ${hidden}, which a node has of its own`;
}

/**
 * Why a node can't run on this machine, in one line; undefined: it can. Missing packages are installed.
 * @throws Error they could not be installed
 */
export async function unsupportedReason(say: Say): Promise<string | undefined> {
  const basic = machineFault() ?? (await goFault()) ?? (await cgroupsFault());
  return basic ?? (await packagesFault(say)) ?? (await abilitiesFault());
}
