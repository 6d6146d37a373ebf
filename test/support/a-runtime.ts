import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { MemoryCatalog } from '../../adapters/catalog/memory-catalog.ts';
import type { Dialer, DialResult, OutboundRequest } from '../../adapters/egress/port.ts';
import { hmacSha256, nodeEncoding, sha256, sha256Hex } from '../../adapters/keys/primitives.ts';
import { loadNativeEd25519 } from '../../adapters/keys/native-ed25519.ts';
import { ed25519Signing } from '../../adapters/keys/receipt-signer.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import type { LogFields, Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { Reply, RouteRequest } from '../../api-server/http/route.ts';
import { CallerTags } from '../../api-server/runtime/caller-tags.ts';
import { executeRoute } from '../../api-server/services/execute/execute.ts';
import { OrbFailovers } from '../../api-server/runtime/failover/orb-failovers.ts';
import { DayCounts } from '../../api-server/runtime/day-counts.ts';
import { LastingFacts } from '../../api-server/runtime/lasting-facts.ts';
import { WarningLimiter } from '../../api-server/runtime/warning-limiter.ts';
import { KillSwitches } from '../../api-server/runtime/kill-switches.ts';
import type { PublishedVersions } from '../../core/run/published.ts';
import { RunRates } from '../../api-server/runtime/run-rates.ts';
import { RunsInFlight } from '../../api-server/runtime/runs-in-flight.ts';
import type { Runtime, RuntimeSettings } from '../../api-server/runtime/runtime.ts';
import { SelfCheck } from '../../api-server/self-check/self-check.ts';
import { AwaitedPlaces } from '../../core/fair-share/awaited-places.ts';
import { LoopTurns } from '../../api-server/http/loop-turns.ts';
import { requestShare } from '../../api-server/http/request-share.ts';
import { Slots } from '../../api-server/runtime/slots.ts';
import type { Caller } from '../../core/api-key/caller.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { compileOrb } from '../../core/orb/compile-orb.ts';
import { compileOrbiset } from '../../core/orb/compile-orbiset.ts';
import { KeptResults } from '../../core/policy/decision/kept-results.ts';
import { callerTag } from '../../core/receipt/caller-tag.ts';
import { thumbprint } from '../../core/receipt/keys-document.ts';
import { answersHere } from './answers-here.ts';
import { orbManifest, type OrbOptions } from './orbs.ts';

const pair = generateKeyPairSync('ed25519');
const x = pair.publicKey.export({ format: 'jwk' }).x ?? '';

/** The receipt key of all runtimes of a test process. */
export const receiptKey = {
  publicKey: createPublicKey(pair.publicKey.export({ format: 'pem', type: 'spki' })),
  privateKey: pair.privateKey,
  signer: {
    kid: thumbprint({ crv: 'Ed25519', kty: 'OKP', x }, sha256),
    sign: ed25519Signing(pair.privateKey, loadNativeEd25519()),
  },
};

export const SECRET = 'a-secret-for-the-runtime-tests';
const ORIGIN = 'https://api.example.com';

type Answer = (request: OutboundRequest, signal: AbortSignal) => DialResult | Promise<DialResult>;

/** A 200 with a JSON body, as the dialer returns it. */
export const answered = (
  body: JsonValue,
  change: Partial<Extract<DialResult, { kind: 'answered' }>> = {},
): DialResult => ({
  kind: 'answered',
  status: 200,
  headers: [['content-type', 'application/json']],
  body: Buffer.from(JSON.stringify(body)),
  ms: 5,
  exception: false,
  ...change,
});

/** An attempt that hangs until its run is over. */
export const hangs: Answer = (_request, signal) =>
  new Promise((resolve) => {
    const stop = (): void => {
      const timeout = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
      const failure = timeout
        ? ({ kind: 'timeout', code: 'deadline' } as const)
        : ({ kind: 'cancelled', code: 'cancelled' } as const);
      resolve({ kind: 'failed', failure, sent: true, status: null, ms: 1, exception: false });
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });

export interface RuntimeOptions {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly answer?: Answer;
  readonly settings?: Partial<RuntimeSettings>;
  readonly parts?: Partial<
    Pick<
      Runtime,
      | 'selfCheck'
      | 'answers'
      | 'slots'
      | 'turns'
      | 'answerBytes'
      | 'sealing'
      | 'dialer'
      | 'metrics'
      | 'random'
      | 'published'
      | 'policies'
      | 'policyState'
    >
  >;
}

/** A runtime with a real ledger and mostly real parts, except for the network. */
export interface TestRuntime {
  readonly runtime: Runtime;
  readonly catalog: MemoryCatalog;
  readonly sent: readonly OutboundRequest[];
  readonly logged: readonly { readonly level: string; readonly message: string; readonly fields: unknown }[];
  readonly counted: readonly string[];
  readonly addOrb: (orbId: string, options?: Partial<OrbOptions>, namespace?: string) => void;
  readonly addOrbiset: (name: string, spec?: Readonly<Record<string, unknown>>, namespace?: string) => void;
  readonly execute: (call: Call) => Promise<Executed>;
}

export interface Call {
  readonly orbiset?: string;
  readonly orbId?: string;
  readonly inputs?: JsonValue;
  readonly body?: string;
  readonly caller?: Caller | null;
  readonly key?: string;
  readonly query?: string;
}

export interface Executed {
  readonly status: number;
  readonly headers: Reply['headers'];
  readonly text: string;
  readonly body: JsonObject;
  readonly code: unknown;
}

const ownerOf = (tenants: readonly string[]): Caller => ({
  id: 'key:abcdefgh',
  tenants,
  scopes: new Set(['orbs:execute']),
  orbs: undefined,
  expiresAt: Number.MAX_SAFE_INTEGER,
  standing: () => 'valid',
});

/** The caller of tenant `acme`, whose key never expires. */
export const ACME = ownerOf(['acme']);

function executed(reply: Reply): Executed {
  const text = typeof reply.body === 'string' ? reply.body : Buffer.from(reply.body).toString();
  const body: unknown = JSON.parse(text);
  if (!isJsonObject(body)) throw new TypeError('the answer is no object');
  return { status: reply.status, headers: reply.headers, text, body, code: body['code'] };
}

function requestOf(call: Call, number: number, turns: LoopTurns): RouteRequest {
  const {
    orbiset = 'support',
    orbId = 'acme.echo@1.0.0',
    inputs = { text: 'hi' },
    key,
    query = '',
    caller = ACME,
  } = call;
  const body = call.body ?? JSON.stringify({ orb_id: orbId, inputs });
  const params = { id: orbiset };
  return {
    requestId: `req_${number}`,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    caller: caller ?? undefined,
    params,
    query: new URLSearchParams(query),
    header: (name) => (name === 'idempotency-key' ? key : undefined),
    headerPairs: [],
    address: '127.0.0.1',
    body: Buffer.from(body),
    longTurn: () => turns.longTurn(requestShare(caller ?? undefined, params)),
    readBody: () => ({ kind: 'body', bytes: Buffer.from(body) }),
    signal: new AbortController().signal,
  };
}

function listener(logged: { level: string; message: string; fields: unknown }[]): Logger {
  const at = (level: string) => (message: string, given?: LogFields | (() => LogFields)) => {
    const fields = typeof given === 'function' ? given() : given;
    logged.push({ level, message, fields });
  };
  const logger: Logger = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => logger,
    flush: () => Promise.resolve(),
  };
  return logger;
}

function dialerOf(answer: Answer, sent: OutboundRequest[]): Dialer {
  return {
    dial: async (request, _limits, _guard, signal) => {
      sent.push(request);
      return answer(request, signal);
    },
    halt: () => Promise.resolve(),
    resume: () => undefined,
    destroy: () => Promise.resolve(),
  };
}

const metricsOf = (counted: string[]): Runtime['metrics'] => ({
  provider: (_namespace, orbId, provider) => ({
    attempt: (outcome) => void counted.push(`attempt ${orbId} ${provider} ${outcome}`),
    transportError: (kind) => void counted.push(`transport ${kind}`),
    breaker: (state) => void counted.push(`breaker ${provider} ${state}`),
    probe: (outcome) => void counted.push(`probe ${orbId} ${provider} ${outcome}`),
  }),
  run: (outcome) => void counted.push(`run ${outcome}`),
  redactions: (_namespace, _orbId, hits) => void counted.push(`redactions ${hits}`),
});

const SETTINGS: RuntimeSettings = {
  platformNamespace: 'orb-system',
  cleartextOrigins: new Set(),
  standalone: true,
  owner: 'test',
  userAgent: 'orb-platform/test',
  maxTimeoutMs: 120_000,
  maxResponseBytes: 4 * 1024 * 1024,
  policyRetention: { decisionsMs: 90 * 86_400_000, replaysMs: 30 * 86_400_000 },
  ledgerQuotaBytes: 0,
  policyReplayThreads: 1,
  secretHint: ({ name }, entry, host) => `orb secrets set ${entry} --host ${host} --orbiset ${name}`,
};

/** Versions that nobody published. */
const NOTHING_PUBLISHED: PublishedVersions = {
  version: () => undefined,
  ownerOf: () => undefined,
  isFresh: () => true,
};

const vaultSecret = (): ReadonlyMap<string, Uint8Array> => new Map([['TOKEN', Buffer.from(SECRET)]]);

/** @returns a runtime with the Orb `acme.echo@1.0.0` and the Orbiset `support` in tenant `acme` */
export function createTestRuntime(options: RuntimeOptions): TestRuntime {
  const { ledger, clock, answer = () => answered({ id: 'x1' }), settings = {}, parts = {} } = options;
  const catalog = new MemoryCatalog();
  const sent: OutboundRequest[] = [];
  const logged: { level: string; message: string; fields: unknown }[] = [];
  const counted: string[] = [];
  const inFlight = new RunsInFlight();
  const metrics = parts.metrics ?? metricsOf(counted);
  const runtime: Runtime = {
    catalog,
    ledger,
    dialer: dialerOf(answer, sent),
    clock,
    random: (bytes) => randomBytes(bytes),
    sha256,
    sealing: { signer: receiptKey.signer, sha256Hex, encoding: nodeEncoding },
    issuer: 'https://orbs.example',
    logger: listener(logged),
    metrics,
    settings: { ...SETTINGS, ...settings },
    tags: new CallerTags((tenant, at) => callerTag(new Uint8Array(32), tenant, at, hmacSha256)),
    selfCheck: new SelfCheck(receiptKey.publicKey),
    answers: answersHere,
    slots: new Slots({ perKey: 256, waiting: 1000 }),
    answerBytes: new AwaitedPlaces({ places: 64 * 1_048_576, tenantPct: 75, most: 4 * 1_048_576 }),
    turns: new LoopTurns({ now: clock.monotonic }),
    inFlight,
    rates: new RunRates({ tenant: 'none', orb: 'none' }),
    published: NOTHING_PUBLISHED,
    policies: { of: () => undefined },
    policyState: {
      lastingFacts: new LastingFacts(() => undefined),
      kept: new KeptResults(),
      dayCounts: new DayCounts(),
      decided: (decision) => void counted.push(`decided ${decision.phase} ${decision.decision}`),
    },
    switches: new KillSwitches(inFlight),
    failover: new OrbFailovers({
      clock,
      random: () => 0,
      metrics,
      isThere: (namespace, orbId) => catalog.orb(namespace, orbId) !== undefined,
    }),
    echoWarnings: new WarningLimiter(() => 0),
    ...parts,
  };
  const addOrb: TestRuntime['addOrb'] = (orbId, some = {}, namespace = 'acme') => {
    const manifest: unknown = JSON.parse(orbManifest(orbId, { url: `${ORIGIN}/run`, secret: 'TOKEN', ...some }));
    if (!isJsonObject(manifest)) throw new TypeError('no manifest');
    const compiled = compileOrb(manifest, { namespace, allowedOrigins: [] });
    if (!compiled.ok) throw new TypeError(JSON.stringify(compiled.findings));
    catalog.setOrb({ namespace, name: orbId, orbId: compiled.value.orbId, compiled: compiled.value, createdAt: 0 });
  };
  const addOrbiset: TestRuntime['addOrbiset'] = (name, spec = {}, namespace = 'acme') => {
    const vault = { secrets: [{ name: 'api', allowedHosts: ['api.example.com'] }] };
    catalog.setOrbiset(
      compileOrbiset({ namespace, name, spec: { vault, ...spec }, secret: vaultSecret, extra: [] }).orbiset,
    );
  };
  addOrb('acme.echo@1.0.0');
  addOrbiset('support');
  const route = executeRoute(runtime);
  let number = 0;
  const execute = async (call: Call): Promise<Executed> => {
    number += 1;
    return executed(await route.handle(requestOf(call, number, runtime.turns)));
  };
  return { runtime, catalog, sent, logged, counted, addOrb, addOrbiset, execute };
}
