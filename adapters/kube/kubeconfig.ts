import { existsSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { serverUrl, type Connection } from './connection.ts';
import { impersonationOf } from './impersonation.ts';

export interface KubeconfigOptions {
  /** One file; default: those of `KUBECONFIG`, else `~/.kube/config`. */
  readonly path?: string;
  /** Default: the current context. */
  readonly context?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A connection that was read from a kubeconfig. */
export interface KubeconfigConnection extends Connection {
  /** Namespace of the context; `default` when it names none. */
  readonly namespace: string;
  readonly context: string;
}

function filesOf({ path, env = process.env }: KubeconfigOptions): readonly string[] {
  if (path !== undefined) return [path];
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  return listed.length > 0 ? listed : [join(env['HOME'] ?? homedir(), '.kube', 'config')];
}

const existingFiles = (options: KubeconfigOptions): readonly string[] =>
  filesOf(options).filter((file) => existsSync(file));

const isNew =
  (known: readonly { readonly name: string }[]) =>
  ({ name }: { readonly name: string }): boolean =>
    !known.some((one) => one.name === name);

/** Merges as kubectl does: missing files are skipped, and of two entries with one name the first counts. */
function merge(config: KubeConfig, other: KubeConfig): void {
  config.loadFromOptions({
    clusters: [...config.clusters, ...other.clusters.filter(isNew(config.clusters))],
    users: [...config.users, ...other.users.filter(isNew(config.users))],
    contexts: [...config.contexts, ...other.contexts.filter(isNew(config.contexts))],
    currentContext: config.currentContext ?? other.currentContext,
  });
}

// The library takes 86 MB and a quarter of a second, so a process in a cluster never loads it. Its config module alone
// costs as much.
const load = async (): Promise<typeof KubeConfig> => (await import('@kubernetes/client-node')).KubeConfig;

async function readConfig(options: KubeconfigOptions): Promise<KubeConfig> {
  const files = existingFiles(options);
  if (files.length === 0)
    throw new Error(`there is no kubeconfig at ${filesOf(options).join(', ')}: name one by --kubeconfig or KUBECONFIG`);
  const Config = await load();
  const config = new Config();
  for (const [index, file] of files.entries()) {
    const one = index === 0 ? config : new Config();
    try {
      one.loadFromFile(file);
    } catch (error) {
      throw new Error(`can't read the kubeconfig ${file}: is it valid YAML of kind Config?`, { cause: error });
    }
    if (one !== config) merge(config, one);
  }
  if (options.context !== undefined) config.setCurrentContext(options.context);
  return config;
}

interface Place {
  readonly config: KubeConfig;
  readonly server: string;
  readonly namespace: string;
  readonly context: string;
}

function placeOf(config: KubeConfig): Place {
  const name = config.getCurrentContext();
  const context = config.getContextObject(name ?? '');
  if (context === null) {
    const known = config.contexts.map((one) => one.name).join(', ');
    const wanted = name ? `there is no context ${name} in the kubeconfig` : 'the kubeconfig has no current context';
    throw new Error(`${wanted}: name one of ${known || 'none'} by --context`);
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error(`the context ${name} names a cluster that the kubeconfig does not hold`);
  if (cluster.proxyUrl) throw new Error(`proxy-url of the cluster ${cluster.name} is not supported: reach it directly`);
  return { config, server: serverUrl(cluster.server), namespace: context.namespace ?? 'default', context: name };
}

const isPlain = (server: string): boolean => server.startsWith('http:');

/** client-node refuses plain HTTP unless certificates are ignored. Without TLS there is no certificate to check. */
function withPlainHttp(config: KubeConfig): void {
  const clusters = config.clusters.map((one) => ({ ...one, skipTLSVerify: one.skipTLSVerify || isPlain(one.server) }));
  const { users, contexts, currentContext } = config;
  config.loadFromOptions({ clusters, users, contexts, currentContext });
}

/** Credentials that client-node finds for the user: certificates, tokens, exec plugins, providers. */
async function credentialsOf(config: KubeConfig): Promise<RequestOptions> {
  const options: RequestOptions = {};
  try {
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    const user = config.getCurrentUser()?.name ?? '';
    throw new Error(`can't get the credentials of the user ${user}: run its plugin by hand, or log in again`, {
      cause: error,
    });
  }
  return options;
}

const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value;
  return Buffer.isBuffer(value) ? value.toString('utf8') : undefined;
};

function authorizationIn({ headers, auth }: RequestOptions): string | undefined {
  if (typeof auth === 'string') return `Basic ${Buffer.from(auth).toString('base64')}`;
  if (headers === undefined || Array.isArray(headers)) return undefined;
  return textOf(Object.fromEntries(Object.entries(headers))['Authorization'])?.trim();
}

function tlsOf(options: RequestOptions): Partial<Connection> {
  const [ca, cert, key] = [textOf(options.ca), textOf(options.cert), textOf(options.key)];
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { clientCertificate: { cert, key } }),
    ...(options.servername === undefined ? {} : { serverName: options.servername }),
    ...(options.rejectUnauthorized === false ? { insecure: true } : {}),
  };
}

async function impersonation(config: KubeConfig, options: KubeconfigOptions): Promise<Partial<Connection>> {
  const user = config.getCurrentUser();
  const headers = user === null ? undefined : await impersonationOf(existingFiles(options), user.name);
  return headers === undefined ? {} : { headers };
}

/**
 * The cluster of a kubeconfig, as `kubectl` reads it: inline or file certificates, tokens, exec plugins. Refreshing
 * reads the files again and runs the plugin again.
 * @throws Error no such file or context, or its credentials can't be read
 */
export async function kubeconfigConnection(options: KubeconfigOptions = {}): Promise<KubeconfigConnection> {
  const first = placeOf(await readConfig(options));
  withPlainHttp(first.config);
  const credentials = await credentialsOf(first.config);
  let current = first.config;
  return {
    server: first.server,
    namespace: first.namespace,
    context: first.context,
    ...tlsOf(credentials),
    ...(await impersonation(first.config, options)),
    authorization: async (refresh) => {
      if (refresh) {
        current = await readConfig({ ...options, context: first.context });
        withPlainHttp(current);
      }
      return authorizationIn(await credentialsOf(current));
    },
  };
}
