import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueServerCertificate, makeLocalCa } from '../../adapters/egress/local-ca.ts';
import { systemClock } from '../../adapters/time/clock.ts';
import { findBinaries, type Binaries, type FindOptions } from './binaries.ts';
import { command, type CommandResult } from './command.ts';
import { freePort } from './free-port.ts';
import { writeFolder, type PackedFile } from './packed-folder.ts';
import { startProcess, type Process } from './process.ts';
import { kubeconfigText, writeTokens, writeUser, type Tokens, type User, type UserName } from './users.ts';
import { untilReady } from './until-ready.ts';

/** A running kube-apiserver; several may share one etcd. */
interface ApiServer {
  readonly url: string;
  readonly port: number;
  readonly process: () => Process;
  /** Kills it at once, as a crash would. */
  readonly crash: () => Promise<void>;
  /** Starts it again at the same address and waits until it is ready; a server that still runs is stopped first. */
  readonly restart: () => Promise<void>;
}

/** A local control plane: etcd, kube-apiserver and kube-controller-manager, on loopback, in one temporary folder. */
export interface ControlPlane {
  readonly folder: string;
  readonly version: string;
  readonly server: ApiServer;
  /** PEM of the authority that signed the API server's certificate. */
  readonly ca: string;
  readonly caFile: string;
  readonly etcdUrl: string;
  readonly etcd: () => Process;
  readonly users: Readonly<Record<UserName, User>>;
  /** Path of the binary. */
  readonly kubectlPath: string;
  /** Runs kubectl, by default as admin. */
  readonly kubectl: (
    args: readonly string[],
    options?: { readonly as?: UserName; readonly input?: string },
  ) => Promise<CommandResult>;
  /** Adds an API server, which may reach etcd through a proxy. */
  readonly addApiServer: (etcdUrl: string) => Promise<ApiServer>;
  /** Stops every process. `keep` leaves the folder with logs and data for a person to read. */
  readonly stop: (options?: { readonly keep?: boolean; readonly graceMs?: number }) => Promise<void>;
}

export interface ControlPlaneOptions extends FindOptions {
  /** etcd without fsync: faster; only where etcd is never killed. Default true. */
  readonly unsafeNoFsync?: boolean;
  /** Content of etcd's folder: that of a stopped etcd of the same version. Default: empty. */
  readonly etcdData?: readonly PackedFile[];
  /** Cancels the start: processes that have started are stopped, and the folder is removed. */
  readonly signal?: AbortSignal;
}

// A single etcd must name an address for peers, but no peer ever connects there.
const NO_PEER = 'http://127.0.0.1:1';

/** Sends one GET; 0 when no server answers. */
export function statusOf(url: string, ca: string, token: string): Promise<number> {
  return new Promise((resolve) => {
    const asked = request(url, { ca, headers: { authorization: `Bearer ${token}` }, timeout: 2000 }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(0));
    asked.end();
  });
}

async function waitUntilReady(url: string, child: Process, { ca, tokens, signal }: Plane): Promise<void> {
  const isReady = async (): Promise<boolean> => (await statusOf(`${url}/readyz`, ca, tokens.admin)) === 200;
  await untilReady(child, async () => ((await isReady()) ? true : undefined), signal);
}

/** State that all processes of one control plane share. */
interface Plane {
  readonly folder: string;
  readonly binaries: Binaries;
  readonly ca: string;
  readonly tokens: Tokens;
  readonly signal: AbortSignal | undefined;
}

/** Certificates and the keys of ServiceAccount tokens. */
async function writeKeys(folder: string): Promise<string> {
  const tools = { clock: systemClock, random: randomBytes };
  const authority = makeLocalCa(tools);
  const server = issueServerCertificate(
    authority,
    { names: ['localhost', 'kubernetes.default.svc'], ips: ['127.0.0.1'] },
    tools,
  );
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const files = {
    'ca.pem': authority.certificate,
    'server.pem': server.certificate,
    'server.key': server.key,
    'sa.pub': publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    'sa.key': privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 });
  return authority.certificate;
}

type EtcdOptions = Pick<ControlPlaneOptions, 'unsafeNoFsync' | 'etcdData'>;

async function startEtcd(
  { folder, binaries }: Plane,
  { unsafeNoFsync = true, etcdData = [] }: EtcdOptions,
): Promise<{ readonly url: string; readonly process: Process }> {
  await writeFolder(join(folder, 'etcd'), etcdData);
  const url = `http://127.0.0.1:${await freePort()}`;
  const args = [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    '--listen-peer-urls=http://127.0.0.1:0',
    `--initial-advertise-peer-urls=${NO_PEER}`,
    `--initial-cluster=default=${NO_PEER}`,
    ...(unsafeNoFsync ? ['--unsafe-no-fsync'] : []),
  ];
  return {
    url,
    process: startProcess({ name: 'etcd', file: binaries.paths.etcd, args, log: join(folder, 'etcd.log') }),
  };
}

function apiServerArgs(folder: string, etcdUrl: string, port: number): readonly string[] {
  const issuer = 'https://kubernetes.default.svc';
  return [
    `--etcd-servers=${etcdUrl}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--tls-cert-file=${join(folder, 'server.pem')}`,
    `--tls-private-key-file=${join(folder, 'server.key')}`,
    `--cert-dir=${join(folder, 'certs')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--authorization-mode=RBAC',
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    `--client-ca-file=${join(folder, 'ca.pem')}`,
    `--service-account-issuer=${issuer}`,
    `--service-account-key-file=${join(folder, 'sa.pub')}`,
    `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
    `--api-audiences=${issuer}`,
    '--disable-admission-plugins=ServiceAccount',
    '--etcd-compaction-interval=0',
    '--min-request-timeout=60',
    '--profiling=false',
  ];
}

async function startApiServer(plane: Plane, etcdUrl: string, name: string): Promise<ApiServer> {
  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  const log = join(plane.folder, `${name}.log`);
  const args = apiServerArgs(plane.folder, etcdUrl, port);
  const run = (): Process => startProcess({ name, file: plane.binaries.paths['kube-apiserver'], args, log });
  const ready = (started: Process): Promise<void> =>
    waitUntilReady(url, started, plane).catch(async (error: unknown) => {
      started.kill('SIGKILL');
      await started.exited;
      throw error;
    });
  let child = run();
  await ready(child);
  const crash = async (): Promise<void> => {
    child.kill('SIGKILL');
    await child.exited;
  };
  const restart = async (): Promise<void> => {
    await child.stop();
    child = run();
    await ready(child);
  };
  return { url, port, process: () => child, crash, restart };
}

async function startControllerManager({ folder, binaries, ca, tokens }: Plane, url: string): Promise<Process> {
  const kubeconfig = join(folder, 'controller-manager.kubeconfig');
  await writeFile(kubeconfig, kubeconfigText(url, ca, tokens.admin), { mode: 0o600 });
  const args = [
    `--kubeconfig=${kubeconfig}`,
    '--secure-port=0',
    '--controllers=garbagecollector,namespace,serviceaccount,clusterrole-aggregation',
    '--leader-elect=false',
    `--service-account-private-key-file=${join(folder, 'sa.key')}`,
    '--use-service-account-credentials=false',
  ];
  const log = join(folder, 'controller-manager.log');
  return startProcess({ name: 'kube-controller-manager', file: binaries.paths['kube-controller-manager'], args, log });
}

async function writeUsers({ folder, ca, tokens }: Plane, server: string): Promise<Readonly<Record<UserName, User>>> {
  const user = (name: UserName): Promise<User> => writeUser(folder, name, tokens[name], { server, ca });
  return {
    admin: await user('admin'),
    operator: await user('operator'),
    api: await user('api'),
    'tenant-a': await user('tenant-a'),
    'tenant-b': await user('tenant-b'),
  };
}

async function assemble(plane: Plane, options: EtcdOptions, processes: (() => Process)[]): Promise<ControlPlane> {
  const { folder, binaries, ca } = plane;
  const etcd = await startEtcd(plane, options);
  processes.unshift(() => etcd.process);
  const server = await startApiServer(plane, etcd.url, 'kube-apiserver');
  processes.unshift(server.process);
  const manager = await startControllerManager(plane, server.url);
  processes.unshift(() => manager);
  const users = await writeUsers(plane, server.url);
  const kubectlPath = binaries.paths.kubectl;
  const addApiServer = async (etcdUrl: string): Promise<ApiServer> => {
    const added = await startApiServer(plane, etcdUrl, `kube-apiserver-${processes.length}`);
    processes.unshift(added.process);
    return added;
  };
  return {
    folder,
    version: binaries.release.kubernetes,
    server,
    ca,
    caFile: join(folder, 'ca.pem'),
    etcdUrl: etcd.url,
    etcd: () => etcd.process,
    users,
    kubectlPath,
    kubectl: (args, { as = 'admin', input } = {}) =>
      command(kubectlPath, ['--kubeconfig', users[as].kubeconfig, ...args], {
        // The discovery cache must not be shared with other control planes at the same address.
        env: { KUBECACHEDIR: join(folder, 'kubectl-cache') },
        ...(input === undefined ? {} : { input }),
      }),
    addApiServer,
    stop: async ({ keep = false, graceMs } = {}) => {
      for (const running of processes) await running().stop(graceMs);
      if (!keep) await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Starts a control plane; ready when it returns (3–6 s, once the binaries exist).
 * @throws Error what failed, with the end of that process's log; then nothing keeps running
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const binaries = await findBinaries(options);
  const folder = await mkdtemp(join(tmpdir(), 'orb-control-plane-'));
  const ca = await writeKeys(folder);
  const { signal } = options;
  const plane: Plane = { folder, binaries, ca, tokens: await writeTokens(folder), signal };
  const processes: (() => Process)[] = [];
  try {
    return await assemble(plane, options, processes);
  } catch (error) {
    for (const running of processes) await running().stop(0);
    if (signal?.aborted === true) await rm(folder, { recursive: true, force: true });
    throw error;
  }
}
