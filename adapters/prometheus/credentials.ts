import { readFile } from 'node:fs/promises';

/** Address of a Prometheus and the credentials for it. Files are read again for every query, because they rotate. */
export interface PrometheusConnection {
  /** `http(s)://host:port`, with a path when it stands behind a proxy. */
  readonly url: string;
  readonly bearerTokenFile?: string;
  readonly basic?: { readonly username: string; readonly passwordFile: string };
  /** PEM: our certificate chain and its key. */
  readonly client?: { readonly certFile: string; readonly keyFile: string };
  /** PEM: the authorities of the server's certificate; the system's when absent. */
  readonly caFile?: string;
  /** Sent with each query: the tenant of a shared installation (`X-Scope-OrgID`). */
  readonly headers: Readonly<Record<string, string>>;
}

/** The current content of the files. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

const readSecret = async (file: string): Promise<string> => (await readFile(file, 'utf8')).trim();

async function authorization({ bearerTokenFile, basic }: PrometheusConnection): Promise<Record<string, string>> {
  if (bearerTokenFile !== undefined) return { authorization: `Bearer ${await readSecret(bearerTokenFile)}` };
  if (basic === undefined) return {};
  const pair = `${basic.username}:${await readSecret(basic.passwordFile)}`;
  return { authorization: `Basic ${Buffer.from(pair, 'utf8').toString('base64')}` };
}

/** @throws Error a file can't be read */
export async function readCredentials(connection: PrometheusConnection): Promise<Credentials> {
  const { caFile, client } = connection;
  return {
    headers: { ...connection.headers, ...(await authorization(connection)) },
    tls: {
      ...(caFile === undefined ? {} : { ca: await readFile(caFile, 'utf8') }),
      ...(client === undefined
        ? {}
        : { cert: await readFile(client.certFile, 'utf8'), key: await readFile(client.keyFile, 'utf8') }),
    },
  };
}
