import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { parseAllowRules } from '../adapters/egress/allow-rules.ts';
import { CONNECTION_FLAGS, parseConnection, type ConnectionSource } from '../adapters/kube/connection-flags.ts';
import { allOf, givenOf, valueOf, type Args } from '../adapters/process/arguments.ts';
import { parseCommandLine, type CommandLine, type ParsedCommandLine } from '../adapters/process/command-line.ts';
import type { DefaultFlag, ValueFlag } from '../adapters/process/flag.ts';
import {
  asDuration,
  asNamespace,
  asNumber,
  asOneOf,
  asPath,
  asServiceAccount,
} from '../adapters/process/flag-values.ts';
import {
  addressFlag,
  EGRESS_ALLOW,
  EGRESS_STUB,
  IDENTITY,
  LOG_LEVEL,
  METRICS_LISTEN,
  namespaceFlag,
  readyFileFlag,
} from '../adapters/process/shared-flags.ts';
import { UsageError } from '../adapters/process/start-error.ts';
import { parsePrometheus, PROMETHEUS_FLAGS, type PrometheusSettings } from '../adapters/prometheus/settings.ts';
import type { LogLevel } from '../adapters/telemetry/logger.ts';
import type { ListenAddress } from '../core/network/listen-address.ts';
import { API_ACCOUNT, type VaultMode } from '../core/orbiset/vault-reader.ts';

/** Settings of the operator; they never change while it runs. */
export interface Settings {
  readonly connection: ConnectionSource;
  /** Namespace of the platform: lease, shared Orbs, the ServiceAccount of the API. */
  readonly namespace: string;
  /** Name of that ServiceAccount. */
  readonly apiAccount: string;
  readonly vaultMode: VaultMode;
  /** Absent: no manifest loader. */
  readonly manifests: { readonly folder: string; readonly namespace: string } | undefined;
  /** Origins that pass the host lints. */
  readonly allowedOrigins: readonly string[];
  readonly probesListen: ListenAddress;
  readonly metricsListen: ListenAddress;
  /** operator.md A8; all in ms, retry < renew < lease. */
  readonly lease: { readonly leaseMs: number; readonly renewMs: number; readonly retryMs: number };
  /** Unique for this process. */
  readonly identity: string;
  /** Absent: nothing is swapped by metrics. */
  readonly prometheus: PrometheusSettings | undefined;
  /** Ms between two evaluations of the metrics. */
  readonly failoverTickMs: number;
  /** Workers of each controller. */
  readonly workers: number;
  readonly readyFile: string | undefined;
  readonly logLevel: LogLevel;
}

const MODES = ['operator', 'tenant'] as const;
const MAX_WORKERS = 64;

const leaseFlag = (name: string, text: string, fallback: string): DefaultFlag<number> => ({
  name,
  value: 'DURATION',
  text,
  fallback,
  parse: asDuration('1ms', '24h'),
});

/** A new flag needs one entry here and one line of `resolveSettings`. The help follows the order of this list. */
const FLAGS = {
  namespace: namespaceFlag('of the platform'),
  apiAccount: {
    name: 'api-service-account',
    value: 'NAME',
    text: 'ServiceAccount of the API in that namespace, which may read the Secrets of vaults',
    fallback: API_ACCOUNT,
    parse: asServiceAccount,
  },
  vaultMode: {
    name: 'rbac-vault',
    value: 'WHO',
    text: 'operator: creates the RoleBindings to orb-vault-reader; tenant: only reports a missing one',
    fallback: 'operator',
    values: MODES,
    parse: asOneOf(MODES),
  },
  manifests: {
    name: 'manifests',
    value: 'DIR',
    text: 'folder of bare manifests that become Orbs',
    otherwise: 'none',
    parse: asPath,
  },
  manifestsNamespace: {
    name: 'manifests-namespace',
    value: 'NAME',
    text: 'namespace of those Orbs',
    otherwise: "the platform's",
    parse: asNamespace,
  },
  egressAllow: {
    ...EGRESS_ALLOW,
    text: 'this origin passes the host lints, as it passes the dialer of the API',
  },
  egressStub: { ...EGRESS_STUB, text: 'the same; give both processes the same options' },
  probesListen: addressFlag('probes-listen', 'address of /livez and /readyz', '127.0.0.1:8081'),
  metricsListen: { ...METRICS_LISTEN, fallback: '127.0.0.1:9465' },
  leaseDuration: leaseFlag('lease-duration', 'how long others wait for a leader that is gone; whole seconds', '15s'),
  renewDeadline: leaseFlag(
    'renew-deadline',
    'how long after its last renewal a leader stops, before the lease ends',
    '10s',
  ),
  retryPeriod: leaseFlag('retry-period', 'between two renewals', '2s'),
  failoverTick: {
    name: 'failover-tick',
    value: 'DURATION',
    text: 'time between two evaluations of the metrics, 1s to 5m',
    fallback: '15s',
    parse: asDuration('1s', '5m'),
  },
  identity: IDENTITY,
  workers: {
    name: 'workers',
    value: 'NUMBER',
    text: `workers of each controller, 1 to ${MAX_WORKERS}`,
    fallback: '8',
    parse: asNumber(1, MAX_WORKERS),
  },
  readyFile: readyFileFlag('the addresses', 'the caches are filled'),
  logLevel: LOG_LEVEL,
} as const satisfies Readonly<Record<string, ValueFlag<unknown>>>;

/** A leader must have stopped before the next may begin. */
function resolveLease(args: Args): Settings['lease'] {
  const leaseMs = valueOf(args, FLAGS.leaseDuration);
  const renewMs = valueOf(args, FLAGS.renewDeadline);
  const retryMs = valueOf(args, FLAGS.retryPeriod);
  if (leaseMs % 1000 !== 0) throw new UsageError('--lease-duration takes whole seconds: a Lease holds no less');
  if (renewMs >= leaseMs) throw new UsageError('--renew-deadline must be shorter than --lease-duration');
  if (retryMs >= renewMs) throw new UsageError('--retry-period must be shorter than --renew-deadline');
  return { leaseMs, renewMs, retryMs };
}

function resolveOrigins(args: Args): readonly string[] {
  const parsed = parseAllowRules(allOf(args, FLAGS.egressAllow), allOf(args, FLAGS.egressStub));
  if (!parsed.ok) throw new UsageError(parsed.errors.join('\n'));
  return parsed.exceptions.map(({ origin }) => origin);
}

function resolveManifests(args: Args, platformNamespace: string): Settings['manifests'] {
  const [folder, namespace] = [givenOf(args, FLAGS.manifests), givenOf(args, FLAGS.manifestsNamespace)];
  if (folder !== undefined) return { folder, namespace: namespace ?? platformNamespace };
  if (namespace !== undefined) throw new UsageError('--manifests-namespace needs --manifests DIR');
  return undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

function resolveSettings(args: Args, env: Environment): Settings {
  const namespace = valueOf(args, FLAGS.namespace);
  return Object.freeze({
    connection: parseConnection(args, env),
    namespace,
    apiAccount: valueOf(args, FLAGS.apiAccount),
    vaultMode: valueOf(args, FLAGS.vaultMode),
    manifests: resolveManifests(args, namespace),
    allowedOrigins: resolveOrigins(args),
    probesListen: valueOf(args, FLAGS.probesListen),
    metricsListen: valueOf(args, FLAGS.metricsListen),
    lease: resolveLease(args),
    identity: givenOf(args, FLAGS.identity) ?? `${hostname()}_${randomUUID()}`,
    prometheus: parsePrometheus(args),
    failoverTickMs: valueOf(args, FLAGS.failoverTick),
    workers: valueOf(args, FLAGS.workers),
    readyFile: givenOf(args, FLAGS.readyFile),
    logLevel: valueOf(args, FLAGS.logLevel),
  });
}

/** @param env for a pod's own connection only */
export const operatorCommandLine = (env: Environment): CommandLine<Settings> => ({
  call: 'node operator/main.ts',
  about: 'Reconciles Orbs, Orbisets and publications of a cluster.',
  flags: [...CONNECTION_FLAGS, ...Object.values(FLAGS), ...PROMETHEUS_FLAGS],
  example: '--kubeconfig ~/.kube/config --probes-listen 127.0.0.1:0 --metrics-listen 127.0.0.1:0',
  resolve: (args) => resolveSettings(args, env),
});

/** Parses the command line of the operator. @param env for a pod's own connection only */
export const parseSettings = (argv: readonly string[], env: Environment): ParsedCommandLine<Settings> =>
  parseCommandLine(operatorCommandLine(env), argv);
