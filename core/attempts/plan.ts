import type { ProviderExchange } from './classify.ts';
import type { Failure, RepeatPolicy } from './repeat.ts';

/** Whether a provider can be called now, and if not, why and until when (monotonic ms). */
export type Availability =
  | { readonly kind: 'free' }
  | { readonly kind: 'breaker'; readonly until: number }
  /** The provider asked for a pause. It may be called from `until` on, also when it asked for a longer one. */
  | { readonly kind: 'cooling'; readonly until: number; readonly asked?: number }
  /** The provider asked only this Orbiset for a pause: its quota is used up. */
  | { readonly kind: 'quota'; readonly until: number }
  /** The quota of this Orbiset is used up, and the provider did not say until when. */
  | { readonly kind: 'quota-unannounced'; readonly until: number }
  /** The provider refused the credential of this Orbiset. */
  | { readonly kind: 'credential'; readonly until: number };

/** Why an Orbiset may not call a provider for some time; `cooling`: its own host asked for a pause. */
export type TenantCooling = Extract<Availability, { kind: 'cooling' | 'quota' | 'quota-unannounced' | 'credential' }>;

/** failover.md §12.2: time without requests after a refused credential or quota, unless the provider names a time. */
const TENANT_COOLING_MS = 30_000;

/**
 * The standing of a provider that refused the credential or the quota of an Orbiset.
 * @param retryAfterMs the pause that the provider asks for, if it names one
 * @param now monotonic ms
 */
export function refusalStanding(
  exchange: ProviderExchange,
  retryAfterMs: number | undefined,
  now: number,
): TenantCooling {
  const until = now + (retryAfterMs ?? TENANT_COOLING_MS);
  if (exchange.kind !== 'answered' || exchange.status !== 429) return { kind: 'credential', until };
  return { kind: retryAfterMs === undefined ? 'quota-unannounced' : 'quota', until };
}

/** failover.md §12.2: a provider that asks for longer is called again after this time. */
const LONGEST_COOLING_MS = 300_000;

/** A pause that a provider asked for, monotonic ms. */
export interface Pause {
  /** End of the time without requests. */
  readonly until: number;
  /** End of the pause as the provider named it; callers are told it. */
  readonly asked: number;
}

/** @param retryAfterMs the pause that the provider asks for @param now monotonic ms */
export const pauseOf = (retryAfterMs: number, now: number): Pause => ({
  until: now + Math.min(retryAfterMs, LONGEST_COOLING_MS),
  asked: now + retryAfterMs,
});

/** An eligible provider. */
export interface Candidate {
  readonly provider: string;
  readonly standing: Availability;
}

/** An attempt of this run that failed. */
export interface FailedAttempt {
  readonly provider: string;
  readonly failure: Failure;
  readonly repeats: RepeatPolicy;
}

/** The data that the next step of a run depends on. Times are monotonic ms. */
export interface AttemptState {
  /** Every eligible provider with its current standing, in the order of trial; at least one. */
  readonly candidates: readonly Candidate[];
  readonly failed: readonly FailedAttempt[];
  readonly maxAttempts: number;
  /** Whether the retry budget of the Orb allows one more repeat. */
  readonly budget: boolean;
  readonly now: number;
  readonly deadline: number;
  /** [0, 1): the jitter of a wait. */
  readonly random: number;
}

/** Why a run makes no further attempt. */
export type StopReason =
  /** The last attempt decides the outcome of the run. */
  | 'failed'
  /** No provider accepts calls; no request was sent. */
  | 'unavailable'
  /** No request was sent, because the Orbiset has no quota left at any provider. */
  | 'quota';

export type Step =
  | { readonly kind: 'call'; readonly provider: string; readonly waitMs: number; readonly charged: boolean }
  | { readonly kind: 'stop'; readonly reason: StopReason; readonly retryAfterMs: number | undefined };

const BASE_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2000;

const untilOf = ({ standing }: Candidate): number => (standing.kind === 'free' ? 0 : standing.until);

/** The end that callers are told: the one that the provider asked for. */
const toldUntil = (candidate: Candidate): number =>
  candidate.standing.kind === 'cooling' ? (candidate.standing.asked ?? untilOf(candidate)) : untilOf(candidate);

/** Ms until one of them takes calls again, as callers are told; undefined without candidates. */
function toldWait(candidates: readonly Candidate[], now: number): number | undefined {
  return candidates.length === 0 ? undefined : Math.max(0, Math.min(...candidates.map(toldUntil)) - now);
}

const soonest = (candidates: readonly Candidate[]): Candidate | undefined =>
  candidates.toSorted((one, other) => untilOf(one) - untilOf(other))[0];

/** Whether the provider said when it accepts calls again: a run can wait for that. A run never waits for a breaker. */
const isAnnounced = ({ standing }: Candidate): boolean => standing.kind === 'cooling' || standing.kind === 'quota';

/** Whether it is known when the provider is called again: it said so, or a quota without a time is waited out. */
const isPaused = (candidate: Candidate): boolean =>
  isAnnounced(candidate) || candidate.standing.kind === 'quota-unannounced';

const isFree = ({ standing }: Candidate): boolean => standing.kind === 'free';

const stop = (reason: StopReason, retryAfterMs?: number): Step => ({ kind: 'stop', reason, retryAfterMs });

/** Full jitter (100 ms, doubling, at most 2 s). @param before attempts at this provider in this run */
const jitterMs = (before: number, random: number): number =>
  random * Math.min(LONGEST_WAIT_MS, BASE_WAIT_MS * 2 ** Math.max(0, before - 1));

/** A call after a wait; undefined when the wait would end after the deadline of the run. */
function after(waitMs: number, provider: string, { now, deadline }: AttemptState): Step | undefined {
  return now + waitMs < deadline ? { kind: 'call', provider, waitMs, charged: false } : undefined;
}

/** A call of the provider that announced the earliest time, if any did. */
function waitFor(candidates: readonly Candidate[], situation: AttemptState): Step | undefined {
  const next = soonest(candidates.filter(isAnnounced));
  return next === undefined ? undefined : after(untilOf(next) - situation.now, next.provider, situation);
}

const isQuota = ({ standing }: Candidate): boolean =>
  standing.kind === 'quota' || standing.kind === 'quota-unannounced';

function firstStep(situation: AttemptState): Step {
  const { candidates, now } = situation;
  const free = candidates.find(isFree);
  if (free !== undefined) return { kind: 'call', provider: free.provider, waitMs: 0, charged: false };
  const later = waitFor(candidates, situation);
  if (later !== undefined) return later;
  // No other provider can be called: this one is called again, so that the caller sees its refusal.
  const refused = candidates.find(({ standing }) => standing.kind === 'credential');
  if (refused !== undefined) return { kind: 'call', provider: refused.provider, waitMs: 0, charged: false };
  return stop(candidates.every(isQuota) ? 'quota' : 'unavailable', toldWait(candidates, now));
}

/** The failed attempt that may have done its work already: only its provider may get the request again. */
const boundTo = (failed: readonly FailedAttempt[]): FailedAttempt | undefined =>
  failed.find(({ failure, repeats }) => failure === 'uncertain' && !repeats.anywhere);

const standingOf = ({ candidates }: AttemptState, provider: string): Candidate | undefined =>
  candidates.find((candidate) => candidate.provider === provider);

/** Repeats at the provider that has the request already: with jitter, and not before the end of its pause. */
function sameAgain(bound: FailedAttempt, situation: AttemptState): Step {
  const { failed, now, random } = situation;
  const candidate = bound.repeats.there ? standingOf(situation, bound.provider) : undefined;
  if (candidate === undefined || !(isFree(candidate) || isAnnounced(candidate))) return stop('failed');
  const before = failed.filter(({ provider }) => provider === bound.provider).length;
  const cooledMs = Math.max(0, untilOf(candidate) - now);
  const step = after(Math.max(cooledMs, jitterMs(before, random)), bound.provider, situation);
  return step ?? stop('failed', cooledMs > 0 ? toldWait([candidate], now) : undefined);
}

/** Calls another provider at once if one is free, else waits for a provider that announced a time. */
function nextProvider(last: FailedAttempt, situation: AttemptState): Step {
  const { candidates, failed, now } = situation;
  const tried = new Set(failed.map(({ provider }) => provider));
  const fresh = candidates.filter(({ provider }) => !tried.has(provider));
  const free = fresh.find(isFree);
  if (free !== undefined) return { kind: 'call', provider: free.provider, waitMs: 0, charged: false };
  const own = standingOf(situation, last.provider);
  const waiting = own !== undefined && last.failure !== 'unsent' ? [...fresh, own] : fresh;
  const later = waitFor(waiting, situation);
  if (later !== undefined) return later;
  if (last.failure === 'uncertain' && last.repeats.there) return sameAgain(last, situation);
  return stop('failed', toldWait(waiting.filter(isPaused), now));
}

function repeat(last: FailedAttempt, situation: AttemptState): Step {
  const bound = boundTo(situation.failed);
  return bound === undefined ? nextProvider(last, situation) : sameAgain(bound, situation);
}

/** Retry-After for the caller when no further attempt is made, in ms. */
function requestedRetry(situation: AttemptState): number | undefined {
  const { candidates, now } = situation;
  if (candidates.some(isFree)) return undefined;
  return toldWait(candidates.filter(isPaused), now);
}

/**
 * Decides the next step of a run (failover.md §12.2): a call, at once or after a wait, or no further attempt.
 * `charged` calls are repeats and count against the retry budget. A call after an `unsent` attempt is not charged:
 * it adds no load to any provider. The next provider gets the same call as with an open breaker at the first one.
 */
export function nextStep(situation: AttemptState): Step {
  const { failed, maxAttempts, now, deadline, budget } = situation;
  const last = failed.at(-1);
  if (last === undefined) return firstStep(situation);
  if (last.failure === 'final' || now >= deadline) return stop('failed');
  const charged = last.failure !== 'unsent';
  if (failed.length >= maxAttempts || (charged && !budget)) return stop('failed', requestedRetry(situation));
  const step = repeat(last, situation);
  return step.kind === 'call' ? { ...step, charged } : step;
}
