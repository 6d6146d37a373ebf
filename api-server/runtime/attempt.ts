import type { DialFailure, DialLimits, DialResult, OutboundRequest } from '../../adapters/egress/port.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import type { AttemptRecord } from '../../core/receipt/record.ts';
import { attemptOutcome, isTenantRefusal, maybeExecuted, type Exchange } from '../../core/run/classify.ts';
import type { ReadyAttempt } from '../../core/run/eligibility.ts';
import { extractOutputs } from '../../core/run/outputs.ts';
import { readBody, type ProviderAnswer } from '../../core/run/response-body.ts';
import type { RunPlan } from './plan.ts';
import type { LiveRun } from './runs-in-flight.ts';
import type { Runtime } from './runtime.ts';

/** One attempt as the run goes on with it. */
export interface AttemptResult {
  readonly record: AttemptRecord;
  readonly exchange: Exchange;
  /** Unredacted; null unless the provider answered with a 2xx. */
  readonly outputs: JsonObject | null;
  readonly outputsComplete: boolean;
  readonly maybeExecuted: boolean;
  readonly exception: boolean;
  /** Unredacted body of an answer, for `expose_error_body` and `--debug`. */
  readonly body: Uint8Array | undefined;
}

interface Reading {
  readonly exchange: Exchange;
  readonly outputs: JsonObject | null;
  readonly complete: boolean;
}

const BEYOND_ASCII = /[\u0080-\u00ff]/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Node reads header bytes as Latin-1. Most who send others mean UTF-8, and only as that is a secret found in them. */
function headerText(value: string): string {
  if (!BEYOND_ASCII.test(value)) return value;
  try {
    return utf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

function headerMap(headers: readonly (readonly [string, string])[]): Record<string, string> {
  const map = new Map<string, string>();
  for (const [name, value] of headers) {
    const before = map.get(name);
    const text = headerText(value);
    map.set(name, before === undefined ? text : `${before}, ${text}`);
  }
  return Object.fromEntries(map); // a header may be called `__proto__`: it becomes a member like any other
}

/** What an answer means for the Orb: its outputs, and whether the attempt succeeded. */
function readAnswer(result: Extract<DialResult, { kind: 'answered' }>, ready: ReadyAttempt): Reading {
  const { status } = result;
  if (status < 200 || status > 299) {
    return { exchange: { kind: 'answered', status, outputsPresent: false }, outputs: null, complete: false };
  }
  const headers = headerMap(result.headers);
  const body = readBody(result.body, headers['content-type']);
  if (!body.ok)
    return { exchange: { kind: 'answered', status, outputsPresent: false }, outputs: null, complete: false };
  const answer: ProviderAnswer = { status, headers, body: body.body };
  const found = extractOutputs(ready.provider.outputs, answer);
  const present = found.missing.length === 0;
  return {
    exchange: { kind: 'answered', status, outputsPresent: present },
    outputs: present ? found.outputs : null,
    complete: found.complete,
  };
}

const readResult = (result: DialResult, ready: ReadyAttempt): Reading =>
  result.kind === 'answered'
    ? readAnswer(result, ready)
    : { exchange: { kind: 'failed', cause: result.failure.kind }, outputs: null, complete: false };

const hasHeader = (headers: OutboundRequest['headers'], name: string): boolean =>
  headers.some(([key]) => key.toLowerCase() === name);

/** The request as it leaves: the manifest's own headers, then ours where the manifest sets none. */
function outbound(ready: ReadyAttempt, plan: RunPlan, runtime: Runtime): OutboundRequest {
  const { request, provider } = ready;
  const own: (readonly [string, string])[] = [
    ['user-agent', runtime.settings.userAgent],
    ['traceparent', plan.traceparent],
    ...(provider.idempotencyHeader === undefined
      ? []
      : ([[provider.idempotencyHeader.toLowerCase(), plan.runId]] as const)),
  ];
  const added = own.filter(([name]) => !hasHeader(request.headers, name));
  return { method: request.method, url: request.url, headers: [...request.headers, ...added], body: request.body };
}

function limitsOf(ready: ReadyAttempt, runtime: Runtime): DialLimits {
  const { provider } = ready;
  const platform = runtime.settings.maxResponseBytes;
  return {
    connectTimeoutMs: provider.connectTimeoutMs,
    bodyIdleMs: provider.bodyIdleMs,
    maxResponseBytes: Math.min(provider.maxResponseBytes ?? platform, platform),
    followRedirects: provider.followRedirects,
    idempotent: provider.idempotent,
  };
}

const transportKind = (failure: DialFailure): 'dns' | 'connect' | 'tls' | undefined =>
  failure.kind === 'transport' && (failure.code === 'dns' || failure.code === 'connect' || failure.code === 'tls')
    ? failure.code
    : undefined;

function countAttempt(runtime: Runtime, plan: RunPlan, result: DialResult, exchange: Exchange): void {
  const { orb, ready, orbiset } = plan;
  // One tenant's wrong key or used-up quota never moves a shared Orb (failover.md §2).
  if (isTenantRefusal(exchange, ready.usesSecret) && orbiset.namespace !== orb.namespace) return;
  const metrics = runtime.metrics.provider(orb.namespace, orb.orbId, ready.provider.name);
  metrics.attempt(attemptOutcome(exchange), result.ms / 1000);
  const kind = result.kind === 'failed' ? transportKind(result.failure) : undefined;
  if (kind !== undefined) metrics.transportError(kind);
}

/** Aborts with the run, or earlier when the manifest bounds a single attempt. */
function attemptSignal(ready: ReadyAttempt, live: LiveRun): { readonly signal: AbortSignal; readonly end: () => void } {
  const { attemptTimeoutMs } = ready.provider;
  if (attemptTimeoutMs === undefined) return { signal: live.signal, end: () => undefined };
  const controller = new AbortController();
  const timer = setTimeout(
    () => controller.abort(new DOMException('attempt deadline', 'TimeoutError')),
    attemptTimeoutMs,
  );
  return { signal: AbortSignal.any([live.signal, controller.signal]), end: () => clearTimeout(timer) };
}

/** A receipt holds 100–599 or null (trust.md §1.1); a provider can write any three digits. */
const recordable = (status: number | null): number | null =>
  status !== null && status >= 100 && status <= 599 ? status : null;

/** Calls the provider once and reads its answer. Never throws for what the provider does. */
export async function attempt(runtime: Runtime, plan: RunPlan, live: LiveRun): Promise<AttemptResult> {
  const { ready } = plan;
  const { signal, end } = attemptSignal(ready, live);
  const result = await runtime.dialer
    .dial(outbound(ready, plan, runtime), limitsOf(ready, runtime), ready.guard, signal)
    .finally(end);
  const { exchange, outputs, complete } = readResult(result, ready);
  countAttempt(runtime, plan, result, exchange);
  const sent = result.kind === 'answered' || result.sent;
  const call = { method: ready.request.method, idempotent: ready.provider.idempotent };
  return {
    record: {
      provider: ready.provider.name,
      outcome: attemptOutcome(exchange),
      http_status: recordable(result.status),
      duration_ms: Math.round(result.ms),
    },
    exchange,
    outputs,
    outputsComplete: complete,
    maybeExecuted: maybeExecuted(exchange, sent, call),
    exception: result.exception,
    body: result.kind === 'answered' ? result.body : undefined,
  };
}
