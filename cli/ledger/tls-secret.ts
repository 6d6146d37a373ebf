import { isIP } from 'node:net';
import { issueServerCertificate, makeLocalCa } from '../../adapters/egress/local-ca.ts';
import { KINDS } from '../../adapters/kube/kinds.ts';
import { KubeError } from '../../adapters/kube/port.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import { objectName } from '../cluster/names.ts';
import type { Cluster } from '../io/cluster.ts';
import { usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { printable } from '../io/output.ts';
import { KEEP_METADATA } from './keep-metadata.ts';

/** The certificate that `--tls-secret` and `--tls-host` request. */
export interface TlsSecretOptions {
  readonly name: string;
  readonly hosts: readonly string[];
}

const DNS = /^(?:\*\.)?(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
const TEN_YEARS_MS = 3650 * 24 * 3_600_000;

/** @throws Failure (64) */
export function tlsOptions(args: Args): TlsSecretOptions | undefined {
  const [name, hosts] = [args.one('tls-secret'), args.all('tls-host')];
  if (name === undefined && hosts.length === 0) return undefined;
  if (name === undefined || hosts.length === 0) throw usage('--tls-secret and --tls-host belong together');
  const wrong = hosts.find((host) => isIP(host) === 0 && !DNS.test(host));
  if (wrong !== undefined) throw usage(`--tls-host ${printable(wrong)}: a DNS name in lower case, or an IP address`);
  return { name: objectName(name, '--tls-secret'), hosts };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Chain and key, and the CA that clients trust. The CA's key is not stored: it signs only this certificate. */
function tlsData(hosts: readonly string[], io: Io): Readonly<Record<string, string>> {
  const tools = { clock: io.clock, random: io.random };
  const ca = makeLocalCa(tools);
  // The first name is also the subject, which has at most 64 characters.
  const names = hosts.filter((host) => isIP(host) === 0).toSorted((one, other) => one.length - other.length);
  const ips = hosts.filter((host) => isIP(host) !== 0);
  const validTo = io.clock.now() + TEN_YEARS_MS;
  const { certificate, key } = issueServerCertificate(ca, { names, ips, validTo }, tools);
  return { 'tls.crt': base64(certificate), 'tls.key': base64(key), 'ca.crt': base64(ca.certificate) };
}

/**
 * Makes a Secret with a certificate for the API, once, by `create`. An existing Secret of that name is kept, unread.
 * @throws KubeError
 */
export async function initTlsSecret(
  cluster: Cluster,
  namespace: string,
  { name, hosts }: TlsSecretOptions,
  io: Io,
): Promise<'made' | 'kept'> {
  const metadata = { namespace, name, ...KEEP_METADATA };
  const object = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'kubernetes.io/tls', data: tlsData(hosts, io) };
  try {
    await cluster.client.create(KINDS.secret, object, io.signal);
    return 'made';
  } catch (error) {
    if (error instanceof KubeError && error.reason === 'AlreadyExists') return 'kept';
    throw error;
  }
}
