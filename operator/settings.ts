import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseExceptions } from '../adapters/egress/exceptions.ts';
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
import type { VaultMode } from '../core/orbiset/vault-reader.ts';

/** A TCP address to listen on; port 0 takes a free one. */
interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Settings of the operator; frozen for its whole life. */
export interface Settings {
  readonly connection: ConnectionSource;
  /** Of the platform: lease, shared Orbs, the ServiceAccount of the API. */
  readonly namespace: string;
  readonly vaultMode: VaultMode;
  /** Absent: no manifest loader. */
  readonly manifests: { readonly folder: string; readonly namespace: string } | undefined;
  /** Origins that pass the host lints. */
  readonly allowedOrigins: readonly string[];
  readonly probesListen: ListenAddress;
  readonly metricsListen: ListenAddress;
  /** operator.md A8; all in ms, retry < renew < lease. */
  readonly lease: { readonly leaseMs: number; readonly renewMs: number; readonly retryMs: number };
  /** Of this process alone. */
  readonly identity: string;
  /** Absent: nothing is swapped by figures. */
  readonly prometheus: PrometheusSettings | undefined;
  /** Between two looks at the figures, ms. */
  readonly failoverTickMs: number;
  /** Of each controller. */
  readonly workers: number;
  readonly readyFile: string | undefined;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
}

export type ParsedSettings =
  | { readonly kind: 'start'; readonly settings: Settings }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

export const HELP = `node operator/main.ts [options]

Reconciles Orbs, Orbisets and publications of a cluster.

${CONNECTION_HELP}  --namespace NAME            of the platform                    orb-system
  --rbac-vault WHO            operator: makes the RoleBindings to orb-vault-reader; tenant: only says which one is missing
                                                                 operator
  --manifests DIR             folder of bare manifests that become Orbs
  --manifests-namespace NAME  where those Orbs go                the platform's
  --egress-allow ORIGIN       this origin passes the host lints, as it passes the API's dialer
  --egress-stub ORIGIN=ADDRESS:PORT   the same; give both processes the same options
  --probes-listen HOST:PORT   /livez and /readyz                 127.0.0.1:8081   (port 0: a free one)
  --metrics-listen HOST:PORT  Prometheus metrics                 127.0.0.1:9465
  --lease-duration DURATION   others wait so long for a leader that is gone   15s
  --renew-deadline DURATION   the leader stops so long after its last renewal, before the lease ends
                                                                 10s
  --retry-period DURATION     between two renewals               2s
${PROMETHEUS_HELP}  --failover-tick DURATION    between two looks at the figures, 1s to 5m   15s
  --identity NAME             of this process among replicas     its host and a random part
  --workers NUMBER            of each controller, 1 to 64        8
  --ready-file FILE           gets the addresses as JSON once the caches are filled
  --log-level LEVEL           debug, info, warn or error         info

Example: node operator/main.ts --kubeconfig ~/.kube/config --probes-listen 127.0.0.1:0 --metrics-listen 127.0.0.1:0
`;

class WrongUsage extends Error {}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const MODES = ['operator', 'tenant'] as const;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };
const NAMESPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const MAX_WORKERS = 64;
const MIN_TICK_MS = 1000;
const MAX_TICK_MS = 300_000;

function parseListen(text: string, flag: string): ListenAddress {
  const colon = text.lastIndexOf(':');
  const port = Number(text.slice(colon + 1));
  const isPort = text.slice(colon + 1) !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535;
  if (colon <= 0 || !isPort) throw new WrongUsage(`${flag} takes HOST:PORT, for example 0.0.0.0:8081`);
  return { host: text.slice(0, colon).replace(/^\[|\]$/g, ''), port };
}

function parseDuration(text: string, flag: string): number {
  const [, digits, unit = ''] = /^([1-9][0-9]{0,5})(ms|s|m)$/.exec(text) ?? [];
  const ms = UNITS[unit];
  if (digits === undefined || ms === undefined) throw new WrongUsage(`${flag} takes a duration, for example 15s`);
  return Number(digits) * ms;
}

function parseTick(text: string): number {
  const ms = parseDuration(text, '--failover-tick');
  if (ms < MIN_TICK_MS || ms > MAX_TICK_MS) throw new WrongUsage('--failover-tick is from 1s to 5m');
  return ms;
}

function oneOf<Value extends string>(text: string, values: readonly Value[], flag: string): Value {
  const found = values.find((value) => value === text);
  if (found === undefined) throw new WrongUsage(`${flag} is one of ${values.join(', ')}`);
  return found;
}

function parseNamespace(text: string, flag: string): string {
  if (!NAMESPACE.test(text)) throw new WrongUsage(`${flag} takes the name of a namespace, for example orb-system`);
  return text;
}

function parseWorkers(text: string): number {
  const workers = Number(text);
  if (!Number.isInteger(workers) || workers < 1 || workers > MAX_WORKERS) {
    throw new WrongUsage(`--workers is a whole number from 1 to ${MAX_WORKERS}`);
  }
  return workers;
}

interface LeaseValues {
  readonly 'lease-duration': string;
  readonly 'renew-deadline': string;
  readonly 'retry-period': string;
}

/** A leader must have stopped before another one may begin. */
function parseLease(values: LeaseValues): Settings['lease'] {
  const leaseMs = parseDuration(values['lease-duration'], '--lease-duration');
  const renewMs = parseDuration(values['renew-deadline'], '--renew-deadline');
  const retryMs = parseDuration(values['retry-period'], '--retry-period');
  if (leaseMs % 1000 !== 0) throw new WrongUsage('--lease-duration takes whole seconds: a Lease holds no less');
  if (renewMs >= leaseMs) throw new WrongUsage('--renew-deadline must be shorter than --lease-duration');
  if (retryMs >= renewMs) throw new WrongUsage('--retry-period must be shorter than --renew-deadline');
  return { leaseMs, renewMs, retryMs };
}

function parseOrigins(allow: readonly string[], stub: readonly string[]): readonly string[] {
  const parsed = parseExceptions(allow, stub);
  if (!parsed.ok) throw new WrongUsage(parsed.errors.join('\n'));
  return parsed.exceptions.map(({ origin }) => origin);
}

const string = { type: 'string' } as const;
const list = { type: 'string', multiple: true, default: [] as string[] } as const;

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  ...PROMETHEUS_OPTIONS,
  namespace: { ...string, default: 'orb-system' },
  'rbac-vault': { ...string, default: 'operator' },
  manifests: string,
  'manifests-namespace': string,
  'egress-allow': list,
  'egress-stub': list,
  'probes-listen': { ...string, default: '127.0.0.1:8081' },
  'metrics-listen': { ...string, default: '127.0.0.1:9465' },
  'lease-duration': { ...string, default: '15s' },
  'renew-deadline': { ...string, default: '10s' },
  'retry-period': { ...string, default: '2s' },
  'failover-tick': { ...string, default: '15s' },
  identity: string,
  workers: { ...string, default: '8' },
  'ready-file': string,
  'log-level': { ...string, default: 'info' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];
type Environment = Readonly<Record<string, string | undefined>>;

function parseManifests(values: Values, namespace: string): Settings['manifests'] {
  const { manifests: folder, 'manifests-namespace': target = namespace } = values;
  if (folder !== undefined) {
    return { folder: resolve(folder), namespace: parseNamespace(target, '--manifests-namespace') };
  }
  if (values['manifests-namespace'] !== undefined) throw new WrongUsage('--manifests-namespace needs --manifests DIR');
  return undefined;
}

function toSettings(values: Values, env: Environment): Settings {
  const parsed = parseConnection(values, env);
  if (!parsed.ok) throw new WrongUsage(parsed.message);
  const prometheus = parsePrometheus(values);
  if (!prometheus.ok) throw new WrongUsage(prometheus.message);
  const namespace = parseNamespace(values.namespace, '--namespace');
  const readyFile = values['ready-file'];
  return {
    connection: parsed.source,
    namespace,
    vaultMode: oneOf(values['rbac-vault'], MODES, '--rbac-vault'),
    manifests: parseManifests(values, namespace),
    allowedOrigins: parseOrigins(values['egress-allow'], values['egress-stub']),
    probesListen: parseListen(values['probes-listen'], '--probes-listen'),
    metricsListen: parseListen(values['metrics-listen'], '--metrics-listen'),
    lease: parseLease(values),
    identity: values.identity ?? `${hostname()}_${randomUUID()}`,
    prometheus: prometheus.settings,
    failoverTickMs: parseTick(values['failover-tick']),
    workers: parseWorkers(values.workers),
    readyFile: readyFile === undefined ? undefined : resolve(readyFile),
    logLevel: oneOf(values['log-level'], LEVELS, '--log-level'),
  };
}

/** Reads the command line of the operator. @param env for a pod's own connection only */
export function parseSettings(argv: readonly string[], env: Environment): ParsedSettings {
  try {
    const { values } = parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: false });
    return values.help ? { kind: 'help' } : { kind: 'start', settings: Object.freeze(toSettings(values, env)) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { kind: 'wrong', message: error.message };
  }
}
