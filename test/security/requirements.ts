/** A test that shows a requirement: the file, and a part of the title of the test or of the `describe` around it. */
export type SecurityTest = readonly [file: string, title: string];

interface Requirement {
  /** In a few words; docs/design/security.md §2 has the whole sentence. */
  readonly what: string;
  readonly tests: readonly SecurityTest[];
  /** What is not built or not shown; absent: the requirement is met. */
  readonly lacks?: string;
}

const U = 'test/unit';
const I = 'test/integration';

/** S1 to S30 of docs/design/security.md §2, each with the tests that attack it. */
export const REQUIREMENTS: Readonly<Record<string, Requirement>> = {
  S1: {
    what: 'A secret goes to the hosts of its owner only',
    tests: [
      [`${U}/core/egress/host-binding.test.ts`, 'hostAllowed'],
      [`${U}/core/run/eligibility.test.ts`, 'eligibility (failover.md §12.2, security.md S1)'],
      [`${U}/core/orb/narrow-vault.test.ts`, 'narrowVault'],
      [`${U}/api-server/feeds/orbiset-feed.test.ts`, 'sends no secret of a binding whose allowedHosts is'],
      [`${I}/failover/tenants.test.ts`, 'secrets over the hops of a run (security.md S1)'],
    ],
  },
  S2: {
    what: 'Where a secret may stand in a request',
    tests: [
      [`${U}/core/template/compile-url.test.ts`, 'compileUrl'],
      [`${U}/core/template/compile-headers.test.ts`, 'compileHeaders'],
      [`${U}/core/orb/url-secrets.test.ts`, 'urlSecretsOf (security.md S2)'],
      [`${I}/standalone/secret-in-url.test.ts`, 'SecretInUrl of an Orbiset (security.md S2)'],
    ],
  },
  S3: {
    what: 'One dialer for everything that goes to providers',
    tests: [
      [`${U}/adapters/egress/url-guard.test.ts`, 'checkUrl'],
      [`${U}/adapters/egress/lookup.test.ts`, 'guardedAddresses'],
      [`${U}/adapters/egress/connector.test.ts`, 'GuardedConnector'],
      [`${U}/adapters/egress/dialer-guard.test.ts`, 'refuses every literal form, over https and http'],
      [`${I}/egress/ranges.test.ts`, 'allowed'],
      [`${I}/standalone/literal-forms.test.ts`, 'an Orb whose URL is a literal address'],
    ],
  },
  S4: {
    what: 'Inputs stay in their place of a request',
    tests: [
      [`${U}/core/template/attacks.test.ts`, 'attacks on templates'],
      [`${U}/core/template/round-trip.test.ts`, 'round trip of templates'],
    ],
  },
  S5: {
    what: 'No expression of a stranger is run as code',
    tests: [[`${U}/core/template/attacks.test.ts`, 'finds no input by the name of a prototype']],
    lacks: 'a search of the shipped bundle for eval and Function; oxlint refuses them in the sources',
  },
  S6: {
    what: 'Bounds on connections, bodies, answers and runs',
    tests: [
      [`${U}/api-server/runtime/slots.test.ts`, 'Slots (security.md S6)'],
      [`${U}/api-server/http/server.test.ts`, 'takes a body of exactly the limit'],
      [`${U}/adapters/egress/response.test.ts`, 'of exactly the cap, and refuses one byte more'],
      [`${I}/egress/limits.test.ts`, 'a bomb'],
      [`${I}/egress/limits.test.ts`, 'never open more than 256 connections to an origin'],
      [`${U}/adapters/process/http-bound-flags.test.ts`, 'have the defaults that a server without settings has'],
      [`${U}/api-server/http/bounds.test.ts`, 'bounds of a server'],
      [`${U}/api-server/http/connections.test.ts`, 'connections that misbehave'],
      [`${U}/adapters/http/connection-places.test.ts`, 'ConnectionPlaces'],
      [`${U}/adapters/http/byte-budget.test.ts`, 'ByteBudget'],
      [`${U}/adapters/http/ignore-body.test.ts`, 'ignoreBody'],
      [`${U}/api-server/http/bounds.test.ts`, 'bodies in chunks of one byte'],
      [`${U}/core/manifest/read-json.test.ts`, 'refuses a body of 1 MiB'],
      [`${U}/core/manifest/parse-text.test.ts`, 'before they are parsed'],
      [`${U}/adapters/answer-worker/answer-runner.test.ts`, 'AnswerRunner'],
      [`${U}/api-server/run/large-answer.test.ts`, 'a large answer of a provider'],
      [`${U}/core/fair-share/shared-places.test.ts`, 'SharedPlaces'],
      [`${U}/core/fair-share/fair-queue.test.ts`, 'FairQueue'],
      [`${U}/api-server/run/fair-shares.test.ts`, 'a tenant beside one whose runs fill the slots'],
      [`${U}/api-server/http/loop-turns.test.ts`, 'LoopTurns'],
      [`${U}/api-server/http/long-turns.test.ts`, 'LongTurns'],
      [`${U}/api-server/reputation/publish.test.ts`, 'each at a turn of the tenant that publishes'],
      [`${U}/adapters/threads/cpu-limit.test.ts`, 'limitCpu'],
      [`${U}/api-server/run/answers-together.test.ts`, 'answers of providers that arrive together'],
      [`${U}/adapters/egress/response.test.ts`, 'asks for memory for what is beyond 64 KiB'],
      [`${U}/adapters/egress/response.test.ts`, 'gives memory back at once'],
      [`${U}/adapters/egress/read-pace.test.ts`, 'ReadPace'],
      [
        `${U}/adapters/egress/response-exchange.test.ts`,
        'reads nothing until there is, and its provider is not late meanwhile',
      ],
      [
        `${U}/core/fair-share/awaited-places.test.ts`,
        'gives places that come free to those who wait, in turns by tenant',
      ],
      [`${U}/api-server/http/stop-reading.test.ts`, 'a request that is not read further'],
      [`${U}/api-server/http/admission.test.ts`, 'leaves places to a tenant that comes'],
      [`${I}/cluster-api/probes.test.ts`, 'are answered at their own address'],
      [`${I}/charts/bounds.test.ts`, 'bounds in the chart orb-platform'],
    ],
    lacks:
      'all attacks at once; a p99 of 1.5 times at most beside every attack: `npm run bench tenants` shows it beside 14 of 20 attacks, 1.54 to 1.60 times beside half-sent bodies, ten keys at their rate, runs that are answered at one moment, answers that lack a byte, inputs and publications (on a cluster 1.53 to 1.86 beside three of 20), and at most 130 ms (230)',
  },
  S7: {
    what: 'No output holds a secret, in any covered form',
    tests: [
      [`${U}/core/redaction/create-redactor.test.ts`, 'createRedactor'],
      [`${U}/core/redaction/encoded-spans.test.ts`, 'hits nothing in ordinary texts'],
      [`${U}/core/redaction/numbers.test.ts`, 'secrets that come back as JSON numbers'],
      [`${I}/standalone/canary.test.ts`, 'a secret that its provider sends back'],
      [`${I}/standalone/ingest-canaries.test.ts`, 'secrets of senders'],
    ],
  },
  S8: {
    what: 'Values of secrets stand in the vault cache only',
    tests: [
      [`${U}/api-server/vault/secret-values.test.ts`, 'SecretValues (security.md S8)'],
      [`${I}/cluster-api/secrets-under-fault.test.ts`, 'starts the next with the new one within 5 s'],
      [`${I}/standalone/resources.test.ts`, 'uses a rotated Secret within 5 s'],
    ],
    lacks: 'a search of a core dump of a test build',
  },
  S9: {
    what: 'Rights of operator and API on Kubernetes',
    tests: [
      [`${U}/core/orbiset/vault-reader.test.ts`, 'bindsTheApi'],
      [`${I}/rbac/can-i.test.ts`, 'gives each account exactly what the committed list says'],
      [`${I}/rbac/rolebinding-policy.test.ts`, 'orb-rolebindings'],
      [`${I}/rbac/pin-policy.test.ts`, 'orb-api-pin-only'],
      [`${I}/rbac/secrets.test.ts`, 'who can read Secrets'],
    ],
  },
  S10: {
    what: 'Status and Events name entries and hold no values',
    tests: [
      [`${U}/core/reconcile/explain-findings.test.ts`, 'stays below 1 KiB and well formed for any findings'],
      [`${I}/standalone/canary.test.ts`, 'is in no other answer of the API'],
      [`${I}/cluster-api/secrets-under-fault.test.ts`, 'no output, Event, status, answer, file or metric holds one'],
    ],
  },
  S11: {
    what: 'API keys',
    tests: [
      [`${U}/core/api-key/format.test.ts`, 'notices every single changed character'],
      [`${U}/core/api-key/record.test.ts`, 'checkKey'],
      [`${U}/adapters/api-keys/files.test.ts`, 'hold the hash of a key and never the key'],
    ],
    lacks: 'the comparison of times of an unknown key and a wrong secret over a million calls',
  },
  S12: {
    what: 'Tokens of ServiceAccounts',
    tests: [
      [`${U}/api-server/cluster/authenticate.test.ts`, 'tokens of ServiceAccounts (security.md S12)'],
      [`${I}/cluster-api/tokens.test.ts`, 'ServiceAccount tokens (security.md S12)'],
    ],
  },
  S13: {
    what: 'A tenant sees its own objects only',
    tests: [
      [`${U}/api-server/services/tenants.test.ts`, 'each gets what is its own, and a refusal writes nothing'],
      [`${I}/rbac/tenants.test.ts`, 'tenants'],
    ],
  },
  S14: {
    what: 'A route without a scope does not start',
    tests: [
      [`${U}/api-server/http/check-routes.test.ts`, 'createApp: routes that must not start'],
      [`${U}/api-server/services/tenants.test.ts`, 'has a row for every route, and no other'],
    ],
  },
  S15: {
    what: 'Rates of keys, tenants, Orbs, addresses and processes',
    tests: [
      [`${U}/core/rate-limit/token-bucket.test.ts`, 'TokenBucket'],
      [`${U}/core/rate-limit/rate-limiter.test.ts`, 'RateLimiter'],
      [`${U}/api-server/http/request-rates.test.ts`, 'RequestRates'],
      [`${U}/api-server/http/request-rates.test.ts`, 'rates of requests over HTTP'],
      [`${U}/api-server/http/refusal-pace.test.ts`, 'RefusalPace'],
      [`${U}/api-server/http/refusals-wait.test.ts`, 'refusals beyond their rate'],
      [`${U}/api-server/runtime/run-rates.test.ts`, 'takes a token of each limit or of none'],
      [`${U}/api-server/runtime/run-rates.test.ts`, 'refuses what is over the rate'],
      [`${U}/api-server/run/quota.test.ts`, 'the quota of a tenant'],
      [`${U}/adapters/ledger/tables/tenant-usage.test.ts`, 'totals of tenants in the ledger'],
      [`${U}/api-server/settings.test.ts`, 'have rates by default, and a share of a tenant'],
      [`${U}/api-server/ingestion/source-rates.test.ts`, 'IngestRates'],
      [`${I}/charts/limits.test.ts`, 'limits of the chart orb-platform'],
    ],
    lacks: 'rates across replicas: each process counts for itself',
  },
  S16: {
    what: 'Pods have the least rights',
    tests: [
      [`${I}/charts/rendered.test.ts`, 'gives every pod the least rights, and a token only to who calls'],
      ['test/e2e/image.test.ts', 'nothing of ours outside /app: no shell, no package manager'],
    ],
  },
  S17: {
    what: 'Networks deny by default',
    tests: [
      [`${I}/charts/rendered.test.ts`, 'lets no network range through to providers that the dialer refuses'],
      ['test/e2e/network-policy.test.ts', 'are what stops a pod'],
    ],
  },
  S18: {
    what: 'A manifest names a public https host and a port that is dialled',
    tests: [
      [`${U}/core/manifest-rules/check-urls.test.ts`, 'checkUrls'],
      [`${U}/core/manifest-rules/check-urls.test.ts`, 'refuses the ports that the dialer refuses, and no other'],
      [`${I}/crds/corpus.test.ts`, 'core and the API server, asked about the same document'],
    ],
  },
  S19: {
    what: 'Receipts are signed and hold hashes',
    tests: [
      [`${U}/core/verify/mutations.test.ts`, 'verifyBundle of changed bytes'],
      [`${U}/core/verify/verify.test.ts`, 'verifyBundle'],
      [`${U}/core/verify/swaps.test.ts`, 'verifyBundle of a swap receipt'],
      [`${U}/adapters/keys/keys.test.ts`, 'platform keys'],
      [`${U}/adapters/keys/keys.test.ts`, 'are refused when others may read'],
    ],
    lacks: 'a verb that changes the signing keys of a ledger and keeps its name',
  },
  S20: {
    what: 'A repeated request runs once, and its answer is encrypted',
    tests: [
      [`${U}/api-server/run/idempotency.test.ts`, 'Idempotency-Key (security.md S20)'],
      [`${U}/adapters/ledger/sqlite-ledger-open.test.ts`, 'keeps an answer out of its files in clear'],
      [`${U}/adapters/ledger/sqlite-ledger-open.test.ts`, 'keeps no digest of a body in its files'],
      [`${I}/standalone/kill.test.ts`, 'a platform whose process group is killed under load'],
    ],
  },
  S21: {
    what: 'Webhooks prove their sender',
    tests: [
      [`${U}/core/ingestion/verification/verify-delivery.test.ts`, 'verification of deliveries'],
      [`${U}/api-server/ingestion/receive-parts.test.ts`, 'deliveryKeyOf'],
      [`${I}/standalone/webhooks.test.ts`, 'webhooks of vendors, over HTTP'],
    ],
  },
  S22: {
    what: 'Packages are few, pinned, licensed, and run no scripts',
    tests: [[`${U}/hack/packages/judge-packages.test.ts`, 'judgePackages']],
    lacks: 'advisories in the gate, and signatures of a release',
  },
  S23: {
    what: 'TLS 1.2 or newer, always verified',
    tests: [
      [`${U}/adapters/egress/dialer-guard.test.ts`, 'refuses a server that only knows TLS 1.1'],
      [`${U}/api-server/http/tls.test.ts`, 'says nothing to plain HTTP'],
      [`${I}/standalone/life.test.ts`, 'refuses environment variables that weaken TLS'],
    ],
  },
  S24: { what: 'An audit of acts on keys, policies and switches', tests: [], lacks: 'all of it' },
  S25: {
    what: 'Metrics have a port of their own and bounded labels',
    tests: [
      [`${U}/api-server/http/http-metrics.test.ts`, 'has every reason from the start, and counts what was refused'],
      [`${U}/adapters/telemetry/metrics.test.ts`, 'keeps the children of a gone Orb or provider for 10 minutes'],
      [`${U}/api-server/http/server.test.ts`, 'observes the path template, never the path'],
    ],
    lacks: 'the count of series under 10 000 random inputs',
  },
  S26: {
    what: 'Errors tell codes, and bodies of providers only when asked',
    tests: [
      [`${I}/standalone/execute-table.test.ts`, 'the table of design.md §3'],
      [`${U}/api-server/http/problems.test.ts`, 'cuts the names of members that it repeats'],
    ],
  },
  S27: {
    what: 'Fuzzing',
    tests: [
      [`${U}/core/policy/language/fuzz.test.ts`, 'policies of any text'],
      [`${U}/api-server/ingestion/fuzz.test.ts`, 'whatever a sender sends'],
      [`${U}/core/strangers.test.ts`, 'whatever strangers send'],
      [`${U}/core/template/round-trip.test.ts`, 'round trip of templates'],
    ],
    lacks: 'a million cases of each at every release: `npm run fuzz` is started by hand',
  },
  S28: {
    what: 'The way to report and the threat model are public',
    tests: [
      [`${U}/docs/links.test.ts`, 'links inside the docs'],
      [`${U}/docs/threat-model.test.ts`, 'limits in SECURITY.md'],
    ],
  },
  S29: {
    what: 'A malformed object stops no other',
    tests: [
      [`${U}/operator/poison.test.ts`, 'plans for any JSON (security.md S29)'],
      [`${I}/operator/poison.test.ts`, 'operator among malformed objects (security.md S29)'],
      [`${I}/cluster/poison.test.ts`, 'the platform among malformed objects that no schema has seen'],
    ],
  },
  S30: {
    what: 'Kill switches',
    tests: [
      [`${U}/api-server/feeds/kill-feeds.test.ts`, 'a suspended publication (security.md S30)'],
      [`${U}/api-server/runtime/runs-in-flight.test.ts`, 'RunsInFlight (security.md S30)'],
      [`${I}/cluster-api/switches.test.ts`, 'the kill switches of a cluster (security.md S30)'],
      ['test/e2e/kill-switch.test.ts', 'no byte leaves 5 s after it says stop'],
    ],
  },
};

/** Tests of attacks over the network, by the number in their titles: every file of this folder belongs to the suite. */
export const ATTACKS = `${I}/security`;
