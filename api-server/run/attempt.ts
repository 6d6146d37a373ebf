import type { DialFailure, DialLimits, DialResult, OutboundRequest } from '../../adapters/egress/port.ts';
import type { AttemptCause } from '../../core/attempts/reasons.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import type { Redacted } from '../../core/redaction/redact-json.ts';
import type { AttemptRecord } from '../../core/receipt/record.ts';
import { failureOf, maybeExecuted, type Failure, type RepeatPolicy } from '../../core/attempts/repeat.ts';
import { retryAfterMs } from '../../core/attempts/retry-after.ts';
import { attemptOutcome, isTenantRefusal, type ProviderExchange } from '../../core/attempts/classify.ts';
import type { ReadyAttempt } from '../../core/run/eligibility.ts';
import { readAnswer, type AnswerReading } from '../../core/run/read-answer.ts';
import type { WrittenAnswer } from '../../core/run/written-answer.ts';
import { attemptCause, type AttemptLimits } from './attempt-cause.ts';
import { contentTypeOf, headerMap } from './header-map.ts';
import { isLarge, readLarge } from './large-answer.ts';
import { redactInTurns } from './redact-in-turns.ts';
import { answerMemory, type AnswerMemory } from './answer-memory.ts';
import { shareOf, type RunPlan } from './plan.ts';
import type { LiveRun } from '../runtime/runs-in-flight.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** What policies bind an attempt to, and the Orbiset its time. */
export type CallerLimit = 'restrictHosts' | 'maxResponseBytes' | 'timeoutMs';

/** The result of one attempt. */
export interface AttemptResult {
  readonly ready: ReadyAttempt;
  readonly provider: string;
  readonly usedSecret: boolean;
  readonly record: AttemptRecord;
  readonly exchange: ProviderExchange;
  /** The kind of failure; without meaning after a success. */
  readonly failure: Failure;
  readonly repeats: RepeatPolicy;
  /** Why it failed, redacted; undefined after a success. */
  readonly cause: AttemptCause | undefined;
  /** Request headers may have reached the provider. */
  readonly sent: boolean;
  /** Ms from now for which the provider asks for no requests; undefined: it does not ask. */
  readonly retryAfterMs: number | undefined;
  /** A limit of Orbiset or policies ended it, stricter than the Orb's own: it says nothing about the Orb. */
  readonly endedBy: CallerLimit | undefined;
  /** True when the result concerns the Orb, not only the calling Orbiset. */
  readonly concernsOrb: boolean;
  /** Unredacted; null unless the provider answered with a 2xx. */
  readonly outputs: JsonObject | null;
  /** The outputs redacted, of an answer that may take long; undefined: they are redacted later. */
  readonly redacted: Redacted | undefined;
  /** A large answer in place of `outputs`, redacted; undefined: it is not large. */
  readonly written: WrittenAnswer | undefined;
  readonly outputsComplete: boolean;
  readonly maybeExecuted: boolean;
  readonly exception: boolean;
  /** Unredacted body of an answer, for `expose_error_body` and `--debug`. Empty after another thread has read it. */
  readonly body: Uint8Array | undefined;
  /** Of the body as it arrived, also after another thread has read it; 0 without an answer. */
  readonly bodyBytes: number;
  /** Of the answer, names in lower case; empty without one. Unredacted. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

const readResult = (result: DialResult, { provider }: ReadyAttempt): AnswerReading =>
  result.kind === 'answered'
    ? readAnswer(
        {
          status: result.status,
          contentType: () => contentTypeOf(result.headers),
          headers: () => headerMap(result.headers),
        },
        result.body,
        provider.outputs,
      )
    : { exchange: { kind: 'failed', cause: result.failure.kind }, outputs: null, complete: false, cause: undefined };

/** The request as it is sent: the manifest's own headers, then ours that the manifest does not set. */
function outbound({ request, provider }: ReadyAttempt, plan: RunPlan, runtime: Runtime): OutboundRequest {
  const { headerNames } = provider.request;
  const headers = [...request.headers];
  const add = (name: string, value: string): void => {
    if (!headerNames.has(name)) headers.push([name, value]);
  };
  add('user-agent', runtime.settings.userAgent);
  add('traceparent', plan.traceparent);
  if (provider.idempotencyHeader !== undefined) add(provider.idempotencyHeader.toLowerCase(), plan.runId);
  return { method: request.method, url: request.url, headers, body: request.body };
}

/** Largest answer without policies, bytes. */
const responseLimit = ({ provider }: ReadyAttempt, { settings: { maxResponseBytes: platform } }: Runtime): number =>
  Math.min(provider.maxResponseBytes ?? platform, platform);

/** Largest answer of this attempt, bytes. */
const largestAnswer = (ready: ReadyAttempt, runtime: Runtime): number =>
  Math.min(ready.maxResponseBytes ?? Infinity, responseLimit(ready, runtime));

function limitsOf(ready: ReadyAttempt, runtime: Runtime, memory: AnswerMemory): DialLimits {
  const { provider } = ready;
  return {
    memory,
    connectTimeoutMs: provider.connectTimeoutMs,
    bodyIdleMs: provider.bodyIdleMs,
    maxResponseBytes: largestAnswer(ready, runtime),
    followRedirects: provider.followRedirects,
    idempotent: provider.idempotent,
  };
}

const transportKind = (failure: DialFailure): 'dns' | 'connect' | 'tls' | undefined =>
  failure.kind === 'transport' && (failure.code === 'dns' || failure.code === 'connect' || failure.code === 'tls')
    ? failure.code
    : undefined;

/** An attempt of a run. */
export interface AttemptCall {
  readonly plan: RunPlan;
  readonly ready: ReadyAttempt;
  readonly live: LiveRun;
  /** Limit of this attempt alone; undefined: the remaining time of the run. */
  readonly timeoutMs: number | undefined;
}

/** The attempt was cut by the deadline of the run, not by one that the manifest sets for an attempt. */
function endedByRunDeadline({ ready, live }: AttemptCall, result: DialResult): boolean {
  if (result.kind !== 'failed' || result.failure.code !== 'deadline') return false;
  return live.signal.aborted || ready.provider.attemptTimeoutMs === undefined;
}

/** That deadline is shorter than the manifest's. */
const endedByShortDeadline = (call: AttemptCall, result: DialResult): boolean =>
  endedByRunDeadline(call, result) && call.plan.timeoutMs < call.plan.eligible[0].provider.timeoutMs;

/** The host comes from the Orbiset's own secrets: its answers and its speed may depend on the tenant. */
const isOwnHost = ({ ready }: AttemptCall): boolean => ready.provider.request.literalHost === undefined;

/** The Orb was kept to fewer hosts, a shorter answer or less time than it declares. */
function callerLimit(runtime: Runtime, call: AttemptCall, result: DialResult): CallerLimit | undefined {
  if (result.kind !== 'failed') return undefined;
  const { ready, plan } = call;
  const { code } = result.failure;
  if (code === 'policy-host-not-allowed') return 'restrictHosts';
  if (code === 'response-too-large' && (ready.maxResponseBytes ?? Infinity) < responseLimit(ready, runtime))
    return 'maxResponseBytes';
  return plan.shortenedBy !== undefined && endedByRunDeadline(call, result) ? 'timeoutMs' : undefined;
}

/**
 * A tenant's own mistakes never move a shared Orb. Examples: a wrong key, a used-up quota (failover.md §2), a short
 * deadline, a host of its own.
 * @returns whether metrics and breaker of the Orb count the attempt
 */
function concernsOrb(call: AttemptCall, result: DialResult, exchange: ProviderExchange): boolean {
  const { orb, orbiset } = call.plan;
  if (orbiset.namespace === orb.namespace) return true;
  if (isTenantRefusal(exchange, call.ready.usesSecret)) return false;
  return !endedByShortDeadline(call, result) && !isOwnHost(call);
}

function countAttempt(
  runtime: Runtime,
  { plan, ready }: AttemptCall,
  result: DialResult,
  exchange: ProviderExchange,
): void {
  const metrics = runtime.metrics.provider(plan.orb.namespace, plan.orb.orbId, ready.provider.name);
  metrics.attempt(attemptOutcome(exchange), result.ms / 1000);
  const kind = result.kind === 'failed' ? transportKind(result.failure) : undefined;
  if (kind !== undefined) metrics.transportError(kind);
}

/**
 * Aborts with the run, or earlier when the attempt has its own deadline. `AbortSignal.any` is not used: it costs more
 * than all other overhead of an attempt.
 */
function attemptSignal({ live, timeoutMs }: AttemptCall): { readonly signal: AbortSignal; readonly end: () => void } {
  if (timeoutMs === undefined) return { signal: live.signal, end: () => undefined };
  const controller = new AbortController();
  const withRun = (): void => controller.abort(live.signal.reason);
  live.signal.addEventListener('abort', withRun, { once: true });
  const timer = setTimeout(() => controller.abort(new DOMException('attempt deadline', 'TimeoutError')), timeoutMs);
  const end = (): void => {
    clearTimeout(timer);
    live.signal.removeEventListener('abort', withRun);
  };
  return { signal: controller.signal, end };
}

/** A receipt holds 100–599 or null (trust.md §1.1); a provider can send any three digits. */
const recordable = (status: number | null): number | null =>
  status !== null && status >= 100 && status <= 599 ? status : null;

/** The wait that the provider asks for, ms from now. A wait for one caller's mistake never binds other callers. */
function askedToWait(runtime: Runtime, result: DialResult, exchange: ProviderExchange): number | undefined {
  if (result.kind !== 'answered' || attemptOutcome(exchange) === 'success') return undefined;
  const text = result.headers.find(([name]) => name === 'retry-after')?.[1];
  return text === undefined ? undefined : retryAfterMs(text, runtime.clock.now());
}

/** Why the attempt failed. Called after a failure only: a success pays nothing for it. */
function causeOfFailure(
  runtime: Runtime,
  { ready, plan, timeoutMs }: AttemptCall,
  result: DialResult,
  [reading, retryAfter]: readonly [AnswerReading, number | undefined],
): AttemptCause {
  const limits = (): AttemptLimits => ({
    provider: ready.provider,
    maxResponseBytes: largestAnswer(ready, runtime),
    attemptMs: timeoutMs,
    runMs: plan.timeoutMs,
    now: runtime.clock.now(),
  });
  return attemptCause({ result, reading: reading.cause, retryAfterMs: retryAfter }, limits, plan.orbiset.redactor);
}

async function dial(runtime: Runtime, call: AttemptCall, memory: AnswerMemory): Promise<DialResult> {
  const { plan, ready } = call;
  const { signal, end } = attemptSignal(call);
  try {
    const limits = limitsOf(ready, runtime, memory);
    const result = await runtime.dialer.dial(outbound(ready, plan, runtime), limits, ready.guard, signal);
    const waitedMs = memory.waitedMs();
    return waitedMs === 0 ? result : { ...result, ms: Math.max(0, result.ms - waitedMs) };
  } finally {
    end();
  }
}

/**
 * Calls a provider once and reads its answer, when it is the tenant's turn. A fault of the provider never makes it throw.
 */
export async function attempt(runtime: Runtime, call: AttemptCall): Promise<AttemptResult> {
  const memory = answerMemory(runtime.answerBytes, shareOf(call.plan), runtime.clock.monotonic);
  try {
    const dialled = await dial(runtime, call, memory);
    return await runtime.turns.run(shareOf(call.plan), () => resultOf(runtime, call, dialled));
  } finally {
    memory.free();
  }
}

async function resultOf(runtime: Runtime, call: AttemptCall, dialled: DialResult): Promise<AttemptResult> {
  const { ready } = call;
  const bodyBytes = dialled.kind === 'answered' ? dialled.body.length : 0;
  const { result, reading, written } = isLarge(call, dialled)
    ? await readLarge(runtime, call, dialled)
    : { result: dialled, reading: readResult(dialled, ready), written: undefined };
  const { exchange, outputs, complete } = reading;
  const redacted = await redactInTurns(runtime, call, result, outputs);
  const endedBy = callerLimit(runtime, call, result);
  // A policy could open the breaker of the Orb for all otherwise.
  const concerns = endedBy === undefined && concernsOrb(call, result, exchange);
  if (concerns) countAttempt(runtime, call, result, exchange);
  const { provider } = ready;
  const { repeats } = provider;
  const outcome = attemptOutcome(exchange);
  const retryAfter = askedToWait(runtime, result, exchange);
  const ended = { exchange, sent: result.kind === 'answered' || result.sent, status: result.status };
  return {
    ready,
    provider: provider.name,
    usedSecret: ready.usesSecret,
    record: {
      provider: provider.name,
      outcome,
      http_status: recordable(result.status),
      duration_ms: Math.round(result.ms),
    },
    exchange,
    failure: failureOf(ended, provider.retry),
    repeats,
    cause: outcome === 'success' ? undefined : causeOfFailure(runtime, call, result, [reading, retryAfter]),
    sent: ended.sent,
    retryAfterMs: retryAfter,
    endedBy,
    concernsOrb: concerns,
    outputs,
    redacted,
    written,
    outputsComplete: complete,
    maybeExecuted: maybeExecuted(ended, repeats, provider.retry),
    exception: result.exception,
    body: result.kind === 'answered' ? result.body : undefined,
    bodyBytes,
    headers: result.kind === 'answered' ? result.headers : [],
  };
}
