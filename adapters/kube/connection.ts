import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, type Clock } from '../time/clock.ts';
import { isLoopback } from '../../core/network/loopback.ts';

/** The address of an API server and the credentials for it. */
export interface Connection {
  /** `https://host:port`, with a path when it stands behind a proxy; `http://` only for a proxy on this machine. */
  readonly server: string;
  /** PEM of the authorities that may sign the server's certificate; the system's when absent. */
  readonly ca?: string;
  /** Name in the server's certificate, when it is not that of `server`. */
  readonly serverName?: string;
  /** A user set it in a kubeconfig: any certificate is accepted. */
  readonly insecure?: boolean;
  /** PEM. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
  /** Impersonation headers: sent with every request beside the authorization. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /**
   * Value of the `Authorization` header; undefined when the client certificate identifies the caller.
   * @param refresh get a new one from its source: the server refused the last one
   * @throws Error the source can't be read
   */
  readonly authorization: (refresh: boolean) => Promise<string | undefined>;
}

export interface DirectOptions {
  readonly server: string;
  readonly token?: string;
  /** Read again when it was read 10 s ago, and after a 401, because tokens of pods rotate. */
  readonly tokenFile?: string;
  /** PEM; read once. */
  readonly caFile?: string;
  readonly clock?: Pick<Clock, 'monotonic'>;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

async function readText(file: string, what: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Error(`can't read the ${what} ${file}: check that it exists and may be read by this user`, {
      cause: error,
    });
  }
}

async function readToken(file: string): Promise<string> {
  const token = (await readText(file, 'token file')).trim();
  if (token === '') throw new Error(`the token file ${file} is empty: write a token into it`);
  return token;
}

const TOKEN_AGE_MS = 10_000;

function fileAuthorization(file: string, { monotonic }: Pick<Clock, 'monotonic'>): Connection['authorization'] {
  let last: { readonly value: string; readonly at: number } | undefined;
  return async (refresh) => {
    if (refresh || last === undefined || monotonic() - last.at >= TOKEN_AGE_MS)
      last = { value: `Bearer ${await readToken(file)}`, at: monotonic() };
    return last.value;
  };
}

function authorizationOf({ token, tokenFile, clock = systemClock }: DirectOptions): Connection['authorization'] {
  if (tokenFile !== undefined) return fileAuthorization(tokenFile, clock);
  const value = token === undefined ? undefined : `Bearer ${token}`;
  return async () => value;
}

/** The server's address without a trailing slash. @throws Error neither https, nor http on this machine */
export function serverUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['https:', 'http:'].includes(url.protocol) || url.search !== '' || url.username !== '')
    throw new Error(`not the URL of a Kubernetes API server: ${text}; write https://HOST:PORT`);
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new Error(
      `${text}: http is only for a proxy on this machine, because credentials would be sent unencrypted; write https://HOST:PORT`,
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/**
 * A server by its address, with a token given or in a file.
 * @throws Error the address is no URL of a server, or a file can't be read
 */
export async function directConnection(options: DirectOptions): Promise<Connection> {
  const { caFile } = options;
  const authorization = authorizationOf(options);
  await authorization(true); // reports a wrong path at the start, not at the first call
  return {
    server: serverUrl(options.server),
    ...(caFile === undefined ? {} : { ca: await readText(caFile, 'CA file') }),
    authorization,
  };
}

/**
 * The API server of the cluster that this process runs in, as its ServiceAccount.
 * @param env the process's environment
 * @param folder where the kubelet mounts token and CA
 * @throws Error not in a pod, or the token is not mounted
 */
export async function inClusterConnection(
  env: Readonly<Record<string, string | undefined>>,
  folder: string = SERVICE_ACCOUNT,
): Promise<Connection> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (host === undefined || port === undefined)
    throw new Error('not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set');
  return directConnection({
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    tokenFile: join(folder, 'token'),
    caFile: join(folder, 'ca.crt'),
  });
}
