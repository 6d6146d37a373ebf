import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { CONNECTION_FLAGS, parseConnection, type ConnectionSource } from '../adapters/kube/connection-flags.ts';
import { allOf, bothOf, givenOf, valueOf, type Args } from '../adapters/process/arguments.ts';
import { parseCommandLine, type CommandLine, type ParsedCommandLine } from '../adapters/process/command-line.ts';
import type { Flag, ValueFlag } from '../adapters/process/flag.ts';
import { asAddress, asOneOf, asOrigin, asPath } from '../adapters/process/flag-values.ts';
import { HTTP_BOUND_FLAGS, httpBoundsOf, type HttpBounds } from '../adapters/process/http-bound-flags.ts';
import {
  addressFlag,
  EGRESS_ALLOW,
  EGRESS_CA,
  EGRESS_STUB,
  IDENTITY,
  LOG_LEVEL,
  MAX_REQUEST_BYTES,
  METRICS_LISTEN,
  namespaceFlag,
  ORG,
  POLICY_REPLAY_THREADS,
  POLICY_RETENTION,
  readyFileFlag,
  reputationInterval,
  SERVICES_FLAG,
  TLS_CERT,
  TLS_KEY,
  TRUSTED_PROXY,
  type ServiceGroup,
} from '../adapters/process/shared-flags.ts';
import { USE_LIMITS, useLimitsOf, type UseLimits } from '../adapters/process/limit-flags.ts';
import { UsageError } from '../adapters/process/start-error.ts';
import { parsePrometheus, PROMETHEUS_FLAGS, type PrometheusSettings } from '../adapters/prometheus/settings.ts';
import type { LogLevel } from '../adapters/telemetry/logger.ts';
import type { Cidr } from '../core/network/cidr.ts';
import type { ListenAddress } from '../core/network/listen-address.ts';
import { isLoopback } from '../core/network/loopback.ts';
import type { EgressFlags } from './process/egress-settings.ts';

/** Settings of the API on a cluster. */
export interface Settings extends EgressFlags {
  readonly connection: ConnectionSource;
  /** Namespace of the platform: API keys, kill switch, shared Orbs. */
  readonly namespace: string;
  readonly vaultMode: 'operator' | 'tenant';
  readonly listen: ListenAddress;
  readonly metricsListen: ListenAddress;
  /** Address of `/livez` and `/readyz` alone; absent: only that of the API has them. */
  readonly probesListen: ListenAddress | undefined;
  /** Files with certificate chain and key (PEM). Absent: plain HTTP. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Folder of the embedded ledger. */
  readonly data: string;
  /** Folder of the files that `orb ledger init` writes. */
  readonly keys: string;
  /** Absent: the issuer of the keys. */
  readonly issuer: string | undefined;
  /** Largest body of a request, bytes; an Orbiset's own limit only lowers it. */
  readonly maxRequestBytes: number;
  readonly httpBounds: HttpBounds;
  /** Services whose routes this process has. */
  readonly services: readonly ServiceGroup[];
  /** Proxies whose `X-Forwarded-For` names the client. */
  readonly trustedProxies: readonly Cidr[];
  /** A proxy ends TLS, so callers have its address. */
  readonly isBehindProxy: boolean;
  readonly use: UseLimits;
  readonly readyFile: string | undefined;
  /** Prometheus with the metrics that the status of providers shows; absent: no metrics. */
  readonly prometheus: PrometheusSettings | undefined;
  /** Name of this process among its replicas. */
  readonly identity: string;
  /** Organisations and the namespaces that own them. */
  readonly orgs: readonly (readonly [org: string, namespace: string])[];
  /** Time between evaluations of an Orb with new runs, ms. */
  readonly reputationIntervalMs: number;
  /** How long decisions with the facts of their runs, and replays, are kept. */
  readonly policyRetention: { readonly decisionsMs: number; readonly replaysMs: number };
  /** Most threads that replay policies at a time; absent: half of the cores. */
  readonly policyReplayThreads: number | undefined;
  readonly logLevel: LogLevel;
}

const MODES = ['operator', 'tenant'] as const;

/** A new flag needs one entry here and one line of `resolveSettings`. The help has the order of this list. */
const FLAGS = {
  namespace: namespaceFlag('of the platform: API keys, kill switch, shared Orbs'),
  vaultMode: {
    name: 'rbac-vault',
    value: 'WHO',
    text: 'who creates the RoleBindings to orb-vault-reader: operator or tenant',
    fallback: 'operator',
    values: MODES,
    parse: asOneOf(MODES),
  },
  listen: addressFlag('listen', 'address of the API', '127.0.0.1:8080'),
  tlsCert: TLS_CERT,
  tlsKey: TLS_KEY,
  behindTlsProxy: {
    name: 'behind-tls-proxy',
    text: 'plain HTTP, because a proxy ends TLS; an address that is not loopback needs this or --tls-cert',
  },
  metricsListen: METRICS_LISTEN,
  probesListen: {
    name: 'probes-listen',
    value: '[HOST:]PORT',
    text: `address of /livez and /readyz alone, for probes that strangers must not delay`,
    otherwise: 'probes share the address of the API',
    parse: asAddress,
  },
  data: { name: 'data', value: 'DIR', text: 'embedded ledger', fallback: '.orb', parse: asPath },
  keys: {
    name: 'keys',
    value: 'DIR',
    text: 'keys, created once by: orb ledger init',
    otherwise: 'keys in --data',
    parse: asPath,
  },
  issuer: {
    name: 'issuer',
    value: 'URL',
    text: 'expected issuer; keys of another issuer are refused',
    parse: asOrigin,
  },
  maxRequestBytes: MAX_REQUEST_BYTES,
  ...HTTP_BOUND_FLAGS,
  services: SERVICES_FLAG,
  trustedProxies: TRUSTED_PROXY,
  ...USE_LIMITS,
  identity: IDENTITY,
  readyFile: readyFileFlag('the addresses', 'requests are answered from filled caches'),
  egressAllow: EGRESS_ALLOW,
  egressStub: EGRESS_STUB,
  orgs: ORG,
  reputationInterval: reputationInterval('1h'),
  policyDecisions: POLICY_RETENTION.decisions,
  policyReplays: POLICY_RETENTION.replays,
  policyReplayThreads: POLICY_REPLAY_THREADS,
  egressCa: EGRESS_CA,
  logLevel: LOG_LEVEL,
} as const satisfies Readonly<Record<string, Flag | ValueFlag<unknown>>>;

/** API keys must not travel in clear text (design.md §3). */
function checkExposure({ host }: ListenAddress, tls: Settings['tls'], isBehindProxy: boolean): void {
  if (tls !== undefined && isBehindProxy) throw new UsageError('--behind-tls-proxy and --tls-cert exclude each other');
  if (isLoopback(host) || tls !== undefined || isBehindProxy) return;
  throw new UsageError(
    `--listen ${host}: this address is not loopback, so give --tls-cert and --tls-key, or --behind-tls-proxy when a proxy ends TLS`,
  );
}

function tlsOf(args: Args): Settings['tls'] {
  const files = bothOf(args, FLAGS.tlsCert, FLAGS.tlsKey);
  return files === undefined ? undefined : { certFile: files[0], keyFile: files[1] };
}

/** All callers have the address of the proxy then, so a rate by address would be one for all of them. */
const isBehindUnnamedProxy = (args: Args): boolean =>
  args.has(FLAGS.behindTlsProxy.name) && !args.has(FLAGS.trustedProxies.name);

type Environment = Readonly<Record<string, string | undefined>>;

function resolveSettings(args: Args, env: Environment): Settings {
  const [listen, tls, data] = [valueOf(args, FLAGS.listen), tlsOf(args), valueOf(args, FLAGS.data)];
  checkExposure(listen, tls, args.has(FLAGS.behindTlsProxy.name));
  return {
    connection: parseConnection(args, env),
    namespace: valueOf(args, FLAGS.namespace),
    vaultMode: valueOf(args, FLAGS.vaultMode),
    listen,
    metricsListen: valueOf(args, FLAGS.metricsListen),
    probesListen: givenOf(args, FLAGS.probesListen),
    tls,
    data,
    keys: givenOf(args, FLAGS.keys) ?? join(data, 'keys'),
    issuer: givenOf(args, FLAGS.issuer),
    maxRequestBytes: valueOf(args, FLAGS.maxRequestBytes),
    httpBounds: httpBoundsOf(args, valueOf(args, FLAGS.maxRequestBytes)),
    services: valueOf(args, FLAGS.services),
    trustedProxies: allOf(args, FLAGS.trustedProxies),
    isBehindProxy: args.has(FLAGS.behindTlsProxy.name),
    use: useLimitsOf(args, FLAGS, isBehindUnnamedProxy(args)),
    readyFile: givenOf(args, FLAGS.readyFile),
    prometheus: parsePrometheus(args),
    identity: givenOf(args, FLAGS.identity) ?? `${hostname()}_${randomUUID().slice(0, 8)}`,
    egressAllow: allOf(args, FLAGS.egressAllow),
    egressStub: allOf(args, FLAGS.egressStub),
    orgs: allOf(args, FLAGS.orgs),
    reputationIntervalMs: valueOf(args, FLAGS.reputationInterval),
    policyRetention: {
      decisionsMs: valueOf(args, FLAGS.policyDecisions),
      replaysMs: valueOf(args, FLAGS.policyReplays),
    },
    policyReplayThreads: givenOf(args, FLAGS.policyReplayThreads),
    egressCa: allOf(args, FLAGS.egressCa),
    logLevel: valueOf(args, FLAGS.logLevel),
  };
}

/** @param env for a pod's own connection only */
export const apiCommandLine = (env: Environment): CommandLine<Settings> => ({
  call: 'node api-server/main.ts',
  about: 'Answers the Orb API from the Orbs, Orbisets and Secrets of a cluster.',
  flags: [...CONNECTION_FLAGS, ...Object.values(FLAGS), ...PROMETHEUS_FLAGS],
  example: '--kubeconfig ~/.kube/config --listen 127.0.0.1:0 --data /tmp/orb',
  resolve: (args) => resolveSettings(args, env),
});

/** Parses the command line of the API. @param env for a pod's own connection only */
export const parseSettings = (argv: readonly string[], env: Environment): ParsedCommandLine<Settings> =>
  parseCommandLine(apiCommandLine(env), argv);
