import type { Failure, Repeats } from './repeat.ts';

/** Whether a provider can be called now, and if not, why and until when (monotonic ms). */
export type Standing =
  | { readonly kind: 'free' }
  | { readonly kind: 'breaker'; readonly until: number }
  /** It asked to be left alone. */
  | { readonly kind: 'cooling'; readonly until: number }
  /** The same, but asked of this Orbiset only: its quota is used up. */
  | { readonly kind: 'quota'; readonly until: number }
  /** The same without a word about when it ends. */
  | { readonly kind: 'quota-unannounced'; readonly until: number }
  /** It refused the credential of this Orbiset. */
  | { readonly kind: 'credential'; readonly until: number };

/** An eligible provider. */
export interface Candidate {
  readonly provider: string;
  readonly standing: Standing;
}

/** An attempt of this run that failed. */
export interface FailedAttempt {
  readonly provider: string;
  readonly failure: Failure;
  readonly repeats: Repeats;
}

/** Everything that the next step of a run depends on. Times are monotonic ms. */
export interface Situation {
  /** Every eligible provider in the order of trial, as it is now; at least one. */
  readonly candidates: readonly Candidate[];
  readonly failed: readonly FailedAttempt[];
  readonly maxAttempts: number;
  /** The retry budget of the Orb allows one more. */
  readonly budget: boolean;
  readonly now: number;
  readonly deadline: number;
  /** [0, 1): the jitter of a wait. */
  readonly random: number;
}

/** Why a run makes no further attempt. */
export type StopReason =
  /** Its last attempt says how it ended. */
  | 'failed'
  /** No provider takes calls; nothing was sent. */
  | 'unavailable'
  /** The same, and it is all about the quota of the Orbiset. */
  | 'quota';

export type Step =
  | { readonly kind: 'call'; readonly provider: string; readonly waitMs: number; readonly charged: boolean }
  | { readonly kind: 'stop'; readonly reason: StopReason; readonly retryAfterMs: number | undefined };

const BASE_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2000;

const untilOf = ({ standing }: Candidate): number => (standing.kind === 'free' ? 0 : standing.until);

const soonest = (candidates: readonly Candidate[]): Candidate | undefined =>
  candidates.toSorted((one, other) => untilOf(one) - untilOf(other))[0];

/** It said itself when it takes calls again: that can be waited for. A breaker is never waited for. */
const isAnnounced = ({ standing }: Candidate): boolean => standing.kind === 'cooling' || standing.kind === 'quota';

const isFree = ({ standing }: Candidate): boolean => standing.kind === 'free';

const stop = (reason: StopReason, retryAfterMs?: number): Step => ({ kind: 'stop', reason, retryAfterMs });

/** Full jitter (100 ms, doubling, at most 2 s). @param before attempts at this provider in this run */
const jitterMs = (before: number, random: number): number =>
  random * Math.min(LONGEST_WAIT_MS, BASE_WAIT_MS * 2 ** Math.max(0, before - 1));

/** The call of a provider that can be called after a wait, if that ends before the run does. */
function after(waitMs: number, provider: string, { now, deadline }: Situation): Step | undefined {
  return now + waitMs < deadline ? { kind: 'call', provider, waitMs, charged: false } : undefined;
}

/** Waits for the first of those that said when. */
function waitFor(candidates: readonly Candidate[], situation: Situation): Step | undefined {
  const next = soonest(candidates.filter(isAnnounced));
  return next === undefined ? undefined : after(untilOf(next) - situation.now, next.provider, situation);
}

const isQuota = ({ standing }: Candidate): boolean =>
  standing.kind === 'quota' || standing.kind === 'quota-unannounced';

function firstStep(situation: Situation): Step {
  const { candidates, now } = situation;
  const free = candidates.find(isFree);
  if (free !== undefined) return { kind: 'call', provider: free.provider, waitMs: 0, charged: false };
  const later = waitFor(candidates, situation);
  if (later !== undefined) return later;
  // Nobody else can be called: better the refusal again than none.
  const refused = candidates.find(({ standing }) => standing.kind === 'credential');
  if (refused !== undefined) return { kind: 'call', provider: refused.provider, waitMs: 0, charged: false };
  const next = soonest(candidates);
  const retryAfterMs = next === undefined ? undefined : Math.max(0, untilOf(next) - now);
  return stop(candidates.every(isQuota) ? 'quota' : 'unavailable', retryAfterMs);
}

/** The only provider that may get the request again, once one may have done its work. */
const boundTo = (failed: readonly FailedAttempt[]): FailedAttempt | undefined =>
  failed.find(({ failure, repeats }) => failure === 'uncertain' && !repeats.anywhere);

const standingOf = ({ candidates }: Situation, provider: string): Candidate | undefined =>
  candidates.find((candidate) => candidate.provider === provider);

/** Once more at the provider that has the request already: with jitter, and not before it wants to be asked. */
function sameAgain(bound: FailedAttempt, situation: Situation): Step {
  const { failed, now, random } = situation;
  const candidate = bound.repeats.there ? standingOf(situation, bound.provider) : undefined;
  if (candidate === undefined || !(isFree(candidate) || isAnnounced(candidate))) return stop('failed');
  const before = failed.filter(({ provider }) => provider === bound.provider).length;
  const cooledMs = Math.max(0, untilOf(candidate) - now);
  const step = after(Math.max(cooledMs, jitterMs(before, random)), bound.provider, situation);
  return step ?? stop('failed', cooledMs > 0 ? cooledMs : undefined);
}

/** Another provider at once, else the one that said when it takes calls again. */
function nextProvider(last: FailedAttempt, situation: Situation): Step {
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
  const next = soonest(waiting.filter(isAnnounced));
  return stop('failed', next === undefined ? undefined : untilOf(next) - now);
}

function repeat(last: FailedAttempt, situation: Situation): Step {
  const bound = boundTo(situation.failed);
  return bound === undefined ? nextProvider(last, situation) : sameAgain(bound, situation);
}

/** What the caller is told of when to come back, where no further attempt is made. */
function toldLater(situation: Situation): number | undefined {
  const { candidates, now } = situation;
  if (candidates.some(isFree)) return undefined;
  const next = soonest(candidates.filter(isAnnounced));
  return next === undefined ? undefined : Math.max(0, untilOf(next) - now);
}

/**
 * What a run does next (failover.md §12.2): calls a provider, at once or after a wait, or makes no further attempt.
 * `charged` calls are repeats that the retry budget pays for. A request of which nothing was sent is none: the next
 * provider gets what it would get if the breaker of the first were open, and no outage is amplified by it.
 */
export function nextStep(situation: Situation): Step {
  const { failed, maxAttempts, now, deadline, budget } = situation;
  const last = failed.at(-1);
  if (last === undefined) return firstStep(situation);
  if (last.failure === 'final' || now >= deadline) return stop('failed');
  const charged = last.failure !== 'unsent';
  if (failed.length >= maxAttempts || (charged && !budget)) return stop('failed', toldLater(situation));
  const step = repeat(last, situation);
  return step.kind === 'call' ? { ...step, charged } : step;
}
