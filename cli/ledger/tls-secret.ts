import { isIP } from 'node:net';
import { issueServerCertificate, makeLocalCa } from '../../adapters/egress/local-ca.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import { objectName } from '../cluster/names.ts';
import type { Cluster } from '../io/cluster.ts';
import { usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { printable } from '../io/output.ts';
import { createOnce } from './create-once.ts';

/** The certificate that a flag for its Secret and one for its names request. */
export interface TlsSecretOptions {
  readonly name: string;
  readonly hosts: readonly string[];
}

const DNS = /^(?:\*\.)?(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
const TEN_YEARS_MS = 3650 * 24 * 3_600_000;

/** @param prefix of both flags, such as `canary-` @throws Failure (64) */
export function tlsOptions(args: Args, prefix = ''): TlsSecretOptions | undefined {
  const [ofSecret, ofHost] = [`${prefix}tls-secret`, `${prefix}tls-host`];
  const [name, hosts] = [args.one(ofSecret), args.all(ofHost)];
  if (name === undefined && hosts.length === 0) return undefined;
  if (name === undefined || hosts.length === 0) throw usage(`--${ofSecret} and --${ofHost} belong together`);
  const wrong = hosts.find((host) => isIP(host) === 0 && !DNS.test(host));
  if (wrong !== undefined) throw usage(`--${ofHost} ${printable(wrong)}: a DNS name in lower case, or an IP address`);
  return { name: objectName(name, `--${ofSecret}`), hosts };
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
 * Makes a Secret with a certificate, once. An existing Secret of that name is kept, unread.
 * @throws KubeError
 */
export const initTlsSecret = (
  cluster: Cluster,
  namespace: string,
  { name, hosts }: TlsSecretOptions,
  io: Io,
): Promise<'made' | 'kept'> =>
  createOnce(cluster, { namespace, name, type: 'kubernetes.io/tls', data: tlsData(hosts, io) }, io);
