import { hostname } from 'node:os';
import { bothOf, givenOf, valueOf, type Args } from '../../adapters/process/arguments.ts';
import type { CommandLine } from '../../adapters/process/command-line.ts';
import type { Flag, ValueFlag } from '../../adapters/process/flag.ts';
import { asAddress, asDuration, asPath, asText } from '../../adapters/process/flag-values.ts';
import {
  addressFlag,
  IDENTITY,
  LOG_LEVEL,
  METRICS_LISTEN,
  namespaceFlag,
  readyFileFlag,
  TLS_CERT,
  TLS_KEY,
} from '../../adapters/process/shared-flags.ts';
import { UsageError } from '../../adapters/process/start-error.ts';
import type { LogLevel } from '../../adapters/telemetry/logger.ts';
import type { ListenAddress } from '../../core/network/listen-address.ts';
import { isLoopback } from '../../core/network/loopback.ts';
import type { TlsPaths } from '../process/tls-files.ts';

/** Settings of the prober of the status. */
export interface ProberSettings {
  /** Origin of the API, and of its metrics. */
  readonly api: string;
  readonly apiMetrics: string;
  /** PEM file; absent, or no such file: the authorities of the system. */
  readonly apiCa: string | undefined;
  readonly tokenFile: string;
  /** Name and port whose addresses have the metrics of the operators; absent: the swap loop is not looked at. */
  readonly operatorMetrics: ListenAddress | undefined;
  readonly namespace: string;
  readonly intervalMs: number;
  readonly deadlineMs: number;
  /** Folder of the rounds that wait. */
  readonly journal: string;
  /** File with the secret of the canary's signal source; absent: ingestion is not looked at. */
  readonly sourceSecretFile: string | undefined;
  /** Things beside the platform; the prober's own network is down when none of them answers. */
  readonly controls: {
    readonly dnsName: string | undefined;
    readonly kubeApi: ListenAddress | undefined;
    readonly prometheus: string | undefined;
  };
  readonly listen: ListenAddress;
  readonly providerListen: ListenAddress;
  readonly metricsListen: ListenAddress;
  /** Of the pages and the canary's provider; absent: plain HTTP. */
  readonly tls: TlsPaths | undefined;
  /** The pages are plain HTTP nevertheless: a proxy ends TLS before them, as before the API. */
  readonly isBehindTlsProxy: boolean;
  readonly identity: string;
  readonly readyFile: string | undefined;
  readonly logLevel: LogLevel;
}

/** A token must not travel in clear text, unless TLS ends before the API. */
function checkExposure(api: string, isBehindProxy: boolean): void {
  const { protocol, hostname: host } = new URL(api);
  if (protocol === 'https:' || isBehindProxy || isLoopback(host)) return;
  throw new UsageError(
    `--api ${api}: the token would travel in clear text; name an https origin, or give --behind-tls-proxy when a proxy ends TLS before the API`,
  );
}

const asAnyServer = (text: string, flag: string): string => {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text).origin;
  throw new UsageError(`${flag} takes a URL, for example http://orb-api:9464`);
};

const FLAGS = {
  api: { name: 'api', value: 'URL', text: 'origin of the API whose state is measured; required', parse: asAnyServer },
  apiCa: {
    name: 'api-ca-file',
    value: 'FILE',
    text: 'authorities of the API (PEM), read again for every call',
    otherwise: 'or without that file: those of the system',
    parse: asPath,
  },
  apiMetrics: {
    name: 'api-metrics',
    value: 'URL',
    text: 'origin of the metrics of the API; required',
    parse: asAnyServer,
  },
  tokenFile: {
    name: 'token-file',
    value: 'FILE',
    text: 'bearer token for the API, read again for every call; required',
    parse: asPath,
  },
  operatorMetrics: {
    name: 'operator-metrics',
    value: 'HOST:PORT',
    text: 'headless Service of the metrics of the operators; only where Prometheus swaps providers',
    parse: asAddress,
  },
  namespace: namespaceFlag('of the platform: the canary Orbiset and its signal source'),
  interval: {
    name: 'interval',
    value: 'DURATION',
    text: 'time between rounds of checks, 10s to 5m',
    fallback: '30s',
    parse: asDuration('10s', '5m'),
  },
  deadline: {
    name: 'deadline',
    value: 'DURATION',
    text: 'longest time of one check, 1s to 30s',
    fallback: '10s',
    parse: asDuration('1s', '30s'),
  },
  journal: {
    name: 'journal',
    value: 'DIR',
    text: 'rounds that could not be told yet',
    fallback: '.orb-status-prober',
    parse: asPath,
  },
  sourceSecret: {
    name: 'source-secret-file',
    value: 'FILE',
    text: 'secret of the signal source orb-canary (whsec_…)',
    parse: asPath,
  },
  dnsName: { name: 'control-dns', value: 'NAME', text: 'a name that the DNS of the cluster knows', parse: asText },
  kubeApi: {
    name: 'control-kube-api',
    value: 'HOST:PORT',
    text: 'the Kubernetes API',
    otherwise: 'in a pod: its own',
    parse: asAddress,
  },
  prometheus: { name: 'control-prometheus', value: 'URL', text: 'Prometheus', parse: asAnyServer },
  listen: addressFlag('listen', 'address of GET /status, /health, /livez, /readyz', '127.0.0.1:8443'),
  providerListen: addressFlag('provider-listen', 'address of the provider that the canary Orb calls', '127.0.0.1:8444'),
  tlsCert: TLS_CERT,
  tlsKey: TLS_KEY,
  behindTlsProxy: {
    name: 'behind-tls-proxy',
    text: 'a proxy ends TLS before the API and the pages: both are plain HTTP, and the certificate is for the canary alone',
  },
  metricsListen: METRICS_LISTEN,
  identity: IDENTITY,
  readyFile: readyFileFlag('the addresses', 'the first round is made'),
  logLevel: LOG_LEVEL,
} as const satisfies Readonly<Record<string, Flag | ValueFlag<unknown>>>;

type Environment = Readonly<Record<string, string | undefined>>;

function needed<Value>(args: Args, flag: ValueFlag<Value>): Value {
  const value = givenOf(args, flag);
  if (value === undefined) throw new UsageError(`--${flag.name} ${flag.value} is missing: ${flag.text}`);
  return value;
}

/** The Kubernetes API of the pod, as every pod knows it. */
function ownKubeApi({ KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port }: Environment) {
  return host === undefined || port === undefined ? undefined : { host, port: Number(port) };
}

function resolveSettings(args: Args, env: Environment): ProberSettings {
  const files = bothOf(args, FLAGS.tlsCert, FLAGS.tlsKey);
  const [api, isBehindTlsProxy] = [needed(args, FLAGS.api), args.has(FLAGS.behindTlsProxy.name)];
  checkExposure(api, isBehindTlsProxy);
  return {
    api,
    apiMetrics: needed(args, FLAGS.apiMetrics),
    apiCa: givenOf(args, FLAGS.apiCa),
    tokenFile: needed(args, FLAGS.tokenFile),
    operatorMetrics: givenOf(args, FLAGS.operatorMetrics),
    namespace: valueOf(args, FLAGS.namespace),
    intervalMs: valueOf(args, FLAGS.interval),
    deadlineMs: valueOf(args, FLAGS.deadline),
    journal: valueOf(args, FLAGS.journal),
    sourceSecretFile: givenOf(args, FLAGS.sourceSecret),
    controls: {
      dnsName: givenOf(args, FLAGS.dnsName),
      kubeApi: givenOf(args, FLAGS.kubeApi) ?? ownKubeApi(env),
      prometheus: givenOf(args, FLAGS.prometheus),
    },
    listen: valueOf(args, FLAGS.listen),
    providerListen: valueOf(args, FLAGS.providerListen),
    metricsListen: valueOf(args, FLAGS.metricsListen),
    tls: files === undefined ? undefined : { certFile: files[0], keyFile: files[1] },
    isBehindTlsProxy,
    identity: givenOf(args, FLAGS.identity) ?? hostname(),
    readyFile: givenOf(args, FLAGS.readyFile),
    logLevel: valueOf(args, FLAGS.logLevel),
  };
}

/** @param env for the address of the Kubernetes API only */
export const proberCommandLine = (env: Environment): CommandLine<ProberSettings> => ({
  call: 'status-prober',
  about: `Measures what works of the platform, tells the API, and serves GET /status also while the API is away.`,
  flags: Object.values(FLAGS),
  example: '--api https://orb-api:8443 --api-metrics http://orb-api:9464 --token-file /var/run/secrets/orb/token',
  resolve: (args) => resolveSettings(args, env),
});
