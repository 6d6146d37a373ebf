import type { Cidr } from '../../core/network/cidr.ts';
import type { ListenAddress } from '../../core/network/listen-address.ts';
import type { DefaultFlag, ValueFlag } from './flag.ts';
import { HTTP_BOUND_FLAGS } from './http-bound-flags.ts';
import {
  asAddress,
  asCidr,
  asLoopback,
  asNamespace,
  asNumber,
  asOneOf,
  asOrigin,
  asOwner,
  asDuration,
  asDurationOrNone,
  asLongDuration,
  asPath,
  asSomeOf,
  asText,
  DEFAULT_HOST,
} from './flag-values.ts';
import { USE_LIMITS } from './limit-flags.ts';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** A flag for an address to listen on: `HOST:PORT`, `[IPV6]:PORT`, or `PORT` on 127.0.0.1. */
export const addressFlag = (name: string, text: string, fallback: string): DefaultFlag<ListenAddress> => ({
  name,
  value: '[HOST:]PORT',
  text: `${text}; PORT alone means ${DEFAULT_HOST}:PORT, port 0 a free port`,
  fallback,
  parse: asAddress,
});

export const METRICS_LISTEN = addressFlag('metrics-listen', 'address of the Prometheus metrics', '127.0.0.1:9464');

export const LOG_LEVEL: DefaultFlag<(typeof LOG_LEVELS)[number]> = {
  name: 'log-level',
  value: 'LEVEL',
  text: 'debug, info, warn or error',
  fallback: 'info',
  values: LOG_LEVELS,
  parse: asOneOf(LOG_LEVELS),
};

/** The services of the specification; each has a base address of its own. */
const SERVICE_GROUPS = ['runtime', 'reputation', 'policy', 'ingestion', 'status'] as const;

export type ServiceGroup = (typeof SERVICE_GROUPS)[number];

export const SERVICES_FLAG: DefaultFlag<readonly ServiceGroup[]> = {
  name: 'services',
  value: 'LIST',
  text: 'services whose routes this process has',
  fallback: SERVICE_GROUPS.join(','),
  parse: asSomeOf(SERVICE_GROUPS),
};

export const TRUSTED_PROXY: ValueFlag<Cidr> = {
  name: 'trusted-proxy',
  value: 'CIDR',
  repeats: true,
  text: 'proxies whose X-Forwarded-For names the client, for address ranges of API keys and signal sources, and for rates',
  otherwise: 'the client has the address of its connection',
  parse: asCidr,
};

/** @param facts content of the file. @param when the time at which it is written */
export const readyFileFlag = (facts: string, when: string): ValueFlag<string> => ({
  name: 'ready-file',
  value: 'FILE',
  text: `written when ${when}: ${facts} as JSON (mode 0600)`,
  parse: asPath,
});

export const EGRESS_ALLOW: ValueFlag<string> = {
  name: 'egress-allow',
  value: 'ORIGIN',
  repeats: true,
  text: 'lets Orbs call this origin, for example http://127.0.0.1:9000',
  parse: asText,
};

export const EGRESS_STUB: ValueFlag<string> = {
  name: 'egress-stub',
  value: 'ORIGIN=ADDRESS:PORT',
  repeats: true,
  text: "sends one origin's traffic to a local stub, with TLS",
  parse: asText,
};

export const EGRESS_CA: ValueFlag<string> = {
  name: 'egress-ca',
  value: 'FILE',
  repeats: true,
  text: 'one more CA (PEM), only for --egress-allow and --egress-stub',
  parse: asText,
};

/** Namespace of the platform on a cluster. */
export const namespaceFlag = (text: string): DefaultFlag<string> => ({
  name: 'namespace',
  value: 'NAME',
  text,
  fallback: 'orb-system',
  parse: asNamespace,
});

/** Largest request body, bytes (security.md S6). */
export const MAX_REQUEST_BYTES: DefaultFlag<number> = {
  name: 'max-request-bytes',
  value: 'N',
  text: 'largest body of a request in bytes, at most 8388608 (8 MiB)',
  fallback: '1048576',
  parse: asNumber(1, 8 * 1_048_576),
};

/** Proofs `operator` of organisations (trust.md §8.1). */
export const ORG: ValueFlag<readonly [org: string, namespace: string]> = {
  name: 'org',
  value: 'ORG=NAMESPACE',
  repeats: true,
  text: 'lets this namespace publish Orbs of the organisation, without another proof',
  parse: asOwner,
};

/** @param fallback as a duration */
export const reputationInterval = (fallback: string): DefaultFlag<number> => ({
  name: 'reputation-interval',
  value: 'DURATION',
  text: 'time between evaluations of a published Orb that has new runs, 1s to 24h',
  fallback,
  parse: asDuration('1s', '24h'),
});

/** @param text what is kept */
const policyRetention = (name: string, text: string, fallback: string): DefaultFlag<number> => ({
  name: `policy-retention-${name}`,
  value: 'DURATION',
  text: `time that ${text} are kept, 1h to 3650d`,
  fallback,
  parse: asLongDuration('1h', '3650d'),
});

/** How long records of policies are kept (policy.md §3.4). */
export const POLICY_RETENTION = {
  decisions: policyRetention('decisions', 'decisions of policies, with the facts of their runs,', '90d'),
  replays: policyRetention('replays', 'replays of policies', '30d'),
};

export const POLICY_REPLAY_THREADS: ValueFlag<number> = {
  name: 'policy-replay-threads',
  value: 'N',
  text: 'most threads that replay policies at a time; never more than half of the cores',
  otherwise: 'half of the cores',
  parse: asNumber(1, 64),
};

export const IDENTITY: ValueFlag<string> = {
  name: 'identity',
  value: 'NAME',
  text: 'name of this process among replicas',
  otherwise: 'its host and a random part',
  parse: asText,
};

export const TLS_CERT: ValueFlag<string> = {
  name: 'tls-cert',
  value: 'FILE',
  text: 'certificate chain (PEM), with --tls-key',
  parse: asPath,
};

export const TLS_KEY: ValueFlag<string> = {
  name: 'tls-key',
  value: 'FILE',
  text: 'private key of --tls-cert (PEM)',
  parse: asPath,
};

/** Flags of `npm start`, which `orb dev` has too. Standalone speaks plain HTTP, which must stay on this machine. */
export const STANDALONE = {
  listen: { ...addressFlag('listen', 'address of the API, loopback only', '127.0.0.1:8080'), parse: asLoopback },
  metricsListen: { ...METRICS_LISTEN, parse: asLoopback },
  resources: {
    name: 'resources',
    value: 'DIR',
    text: 'manifests, Orbs, Orbisets and Secrets',
    otherwise: 'the bundled manifests',
    parse: asPath,
  },
  data: { name: 'data', value: 'DIR', text: 'keys, ledger, vault and API keys', fallback: '.orb', parse: asPath },
  logHead: {
    name: 'log-head',
    value: 'FILE',
    text: 'file with the newest checkpoint of the log: it shows that a data folder was lost or restored',
    otherwise: '.orb.log-head beside --data',
    parse: asPath,
  },
  issuer: {
    name: 'issuer',
    value: 'URL',
    text: 'https origin in receipts; permanent for a ledger',
    fallback: 'https://orbs.localhost',
    parse: asOrigin,
  },
  maxRequestBytes: MAX_REQUEST_BYTES,
  ...HTTP_BOUND_FLAGS,
  services: SERVICES_FLAG,
  trustedProxies: TRUSTED_PROXY,
  ...USE_LIMITS,
  // All callers are on one machine: only its keys have a rate, except the first one (standalone/first-key.ts).
  rateTenant: { ...USE_LIMITS.rateTenant, fallback: '0' },
  rateOrb: { ...USE_LIMITS.rateOrb, fallback: '0' },
  rateProcess: { ...USE_LIMITS.rateProcess, fallback: '0' },
  readyFile: readyFileFlag('url, key and an example', 'requests are answered'),
  egressAllow: EGRESS_ALLOW,
  egressStub: EGRESS_STUB,
  egressCa: EGRESS_CA,
  orgs: { ...ORG, otherwise: 'the first publication of an organisation claims it for its namespace' },
  reputationInterval: reputationInterval('30s'),
  policyDecisions: POLICY_RETENTION.decisions,
  policyReplays: POLICY_RETENTION.replays,
  policyReplayThreads: POLICY_REPLAY_THREADS,
  statusInterval: {
    name: 'status-interval',
    value: 'DURATION',
    text: 'time between rounds of checks for GET /status: 10s to 5m, or 0 for none',
    fallback: '60s',
    parse: asDurationOrNone('10s', '5m'),
  },
  logLevel: LOG_LEVEL,
} as const satisfies Readonly<Record<string, ValueFlag<unknown>>>;
