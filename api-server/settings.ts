import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  CONNECTION_HELP,
  CONNECTION_OPTIONS,
  parseConnection,
  type ConnectionSource,
} from '../adapters/kube/connection-flags.ts';
import {
  parsePrometheus,
  PROMETHEUS_HELP,
  PROMETHEUS_OPTIONS,
  type PrometheusSettings,
} from '../adapters/prometheus/settings.ts';
import type { EgressFlags } from './process/egress-settings.ts';
import { isLoopback, parseAddress, type ListenAddress } from './process/listen.ts';

/** Settings of the API on a cluster. */
export interface Settings extends EgressFlags {
  readonly connection: ConnectionSource;
  /** Of the platform: API keys, kill switch, shared Orbs. */
  readonly namespace: string;
  readonly vaultMode: 'operator' | 'tenant';
  readonly listen: ListenAddress;
  readonly metricsListen: ListenAddress;
  /** Files with certificate chain and key (PEM). Absent: plain HTTP. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Folder of the embedded ledger. */
  readonly data: string;
  /** Folder of the files that `orb ledger init` writes. */
  readonly keys: string;
  /** Absent: whatever the keys say. */
  readonly issuer: string | undefined;
  readonly readyFile: string | undefined;
  /** Whose figures the status of providers shows; absent: none. */
  readonly prometheus: PrometheusSettings | undefined;
  /** Of this process among replicas. */
  readonly identity: string;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
}

export type ParsedSettings =
  | { readonly kind: 'start'; readonly settings: Settings }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

export const HELP = `node api-server/main.ts [options]

Answers the Orb API from the Orbs, Orbisets and Secrets of a cluster.

${CONNECTION_HELP}  --namespace NAME            of the platform: API keys, kill switch, shared Orbs
                                                                 orb-system
  --rbac-vault WHO            who makes the RoleBindings to orb-vault-reader: operator or tenant
                                                                 operator
  --listen HOST:PORT          API address                        127.0.0.1:8080   (port 0: a free one)
  --tls-cert FILE             certificate chain (PEM), with
  --tls-key FILE              its private key; or
  --behind-tls-proxy          plain HTTP: TLS ends before it. An address that others reach needs one of the two
  --metrics-listen HOST:PORT  Prometheus metrics, plain HTTP     127.0.0.1:9464
  --data DIR                  embedded ledger                    .orb
  --keys DIR                  keys, made once by: orb ledger init
                                                                 keys in --data
  --issuer URL                refuses keys of another issuer
  --identity NAME             of this process among replicas     its host and a random part
  --ready-file FILE           gets the addresses as JSON once requests are answered from filled caches
  --egress-allow ORIGIN       lets Orbs call this origin         http://127.0.0.1:9000 …
  --egress-stub ORIGIN=ADDRESS:PORT   sends one origin's traffic to a local stub, with TLS
  --egress-ca FILE            one more CA (PEM), for these two only
${PROMETHEUS_HELP}  --log-level LEVEL           debug, info, warn or error         info

Example: node api-server/main.ts --kubeconfig ~/.kube/config --listen 127.0.0.1:0 --data /tmp/orb
`;

class WrongUsage extends Error {}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const MODES = ['operator', 'tenant'] as const;
const NAMESPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

function parseListen(text: string, flag: string): ListenAddress {
  const address = parseAddress(text);
  if (address === undefined) throw new WrongUsage(`${flag} takes HOST:PORT, for example 0.0.0.0:8080`);
  return address;
}

function oneOf<Value extends string>(text: string, values: readonly Value[], flag: string): Value {
  const found = values.find((value) => value === text);
  if (found === undefined) throw new WrongUsage(`${flag} is one of ${values.join(', ')}`);
  return found;
}

function parseNamespace(text: string): string {
  if (NAMESPACE.test(text)) return text;
  throw new WrongUsage('--namespace takes the name of a namespace, for example orb-system');
}

function parseTls(cert: string | undefined, key: string | undefined): Settings['tls'] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new WrongUsage('--tls-cert and --tls-key belong together');
  return { certFile: resolve(cert), keyFile: resolve(key) };
}

/** API keys must not travel in clear text (design.md §3). */
function checkExposure(listen: ListenAddress, tls: Settings['tls'], isBehindProxy: boolean): void {
  if (tls !== undefined && isBehindProxy) throw new WrongUsage('--behind-tls-proxy and --tls-cert exclude each other');
  if (isLoopback(listen) || tls !== undefined || isBehindProxy) return;
  throw new WrongUsage(
    `--listen ${listen.host}: others reach this address, so give --tls-cert and --tls-key, or --behind-tls-proxy when TLS ends before it`,
  );
}

const string = { type: 'string' } as const;
const list = { type: 'string', multiple: true, default: [] as string[] } as const;
const flag = { type: 'boolean', default: false } as const;

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  ...PROMETHEUS_OPTIONS,
  namespace: { ...string, default: 'orb-system' },
  'rbac-vault': { ...string, default: 'operator' },
  listen: { ...string, default: '127.0.0.1:8080' },
  'tls-cert': string,
  'tls-key': string,
  'behind-tls-proxy': flag,
  'metrics-listen': { ...string, default: '127.0.0.1:9464' },
  data: { ...string, default: '.orb' },
  keys: string,
  issuer: string,
  identity: string,
  'ready-file': string,
  'egress-allow': list,
  'egress-stub': list,
  'egress-ca': list,
  'log-level': { ...string, default: 'info' },
  help: { ...flag, short: 'h' },
} as const;

const resolved = (path: string | undefined): string | undefined => (path === undefined ? undefined : resolve(path));

function parse(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): ParsedSettings {
  const { values } = parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: false });
  if (values.help) return { kind: 'help' };
  const listen = parseListen(values.listen, '--listen');
  const tls = parseTls(values['tls-cert'], values['tls-key']);
  checkExposure(listen, tls, values['behind-tls-proxy']);
  const connection = parseConnection(values, env);
  if (!connection.ok) throw new WrongUsage(connection.message);
  const prometheus = parsePrometheus(values);
  if (!prometheus.ok) throw new WrongUsage(prometheus.message);
  const settings: Settings = {
    connection: connection.source,
    namespace: parseNamespace(values.namespace),
    vaultMode: oneOf(values['rbac-vault'], MODES, '--rbac-vault'),
    listen,
    metricsListen: parseListen(values['metrics-listen'], '--metrics-listen'),
    tls,
    data: resolve(values.data),
    keys: resolve(values.keys ?? join(values.data, 'keys')),
    issuer: values.issuer,
    readyFile: resolved(values['ready-file']),
    prometheus: prometheus.settings,
    identity: values.identity ?? `${hostname()}_${randomUUID().slice(0, 8)}`,
    egressAllow: values['egress-allow'],
    egressStub: values['egress-stub'],
    egressCa: values['egress-ca'],
    logLevel: oneOf(values['log-level'], LEVELS, '--log-level'),
  };
  return { kind: 'start', settings };
}

/** Reads the command line of the API. */
export function parseSettings(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ParsedSettings {
  try {
    return parse(argv, env);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { kind: 'wrong', message: error.message };
  }
}
