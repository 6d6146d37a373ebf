import { metricsOf, smallestWindow } from '../clean-metrics.ts';
import { failoverEvent } from '../events.ts';
import type { WindowName } from '../metrics.ts';
import type { Verdict } from '../types.ts';
import { stay, type Answer } from './answer.ts';
import { candidateLatency, fastest, isFresh, isHeld, isUsable, standbys, type Ranked } from './candidates.ts';
import { isCapReached } from './flapping.ts';
import { automaticSwap } from './hold.ts';
import type { Situation } from './situation.ts';

const TIE_BAND = 0.1;
const MIN_TRANSPORT_ERRORS = 3;
const AGAIN_WHILE_FROZEN_MS = 600_000;
const PROBE_AGAIN_MS = 300_000;

type Failing = Extract<Verdict, { readonly kind: 'failing' | 'healthy' | 'degraded' }>;

/** Share of bad attempts in the smallest window with enough attempts. */
function badShare(
  { own }: Situation,
  least: number,
): { readonly window: WindowName; readonly value: number; readonly n: number } | undefined {
  const window = smallestWindow(own, ({ attempts }) => attempts > 0 && attempts >= least);
  if (window === undefined) return undefined;
  const { attempts, bad } = own.windows[window];
  return { window, value: bad / attempts, n: attempts };
}

/** The verdict that the active provider is broken, by its traffic alone; undefined when traffic does not show it. */
export function failingVerdict(situation: Situation): Failing | undefined {
  const { config, own, metrics } = situation;
  const { errorRatio, minRequests, consecutiveFailures } = config.hardFailure;
  const least = own.breaker === 'open' ? [minRequests, consecutiveFailures] : [minRequests];
  const share = least
    .flatMap((attempts) => badShare(situation, attempts) ?? [])
    .find(({ value }) => value >= errorRatio);
  const { ageMs } = metrics;
  if (share !== undefined) return { kind: 'failing', threshold: errorRatio, ageMs, ...share };
  const { transportErrors2m: errors, successes2m } = own;
  if (errors < MIN_TRANSPORT_ERRORS || successes2m > 0) return undefined;
  return { kind: 'failing', value: errors, threshold: MIN_TRANSPORT_ERRORS, window: '2m', n: errors, ageMs };
}

/** Whether a provider is not probed but shows no fault. Such a provider replaces only a broken active provider. */
function isUnknown(situation: Situation, provider: string): boolean {
  const metrics = metricsOf(situation.metrics, provider);
  return !isFresh(situation, metrics) && metrics.breaker !== 'open' && metrics.windows['10m'].bad === 0;
}

/** The best of some providers: known latencies come before unknown ones. */
function best(situation: Situation, providers: readonly string[]): string | undefined {
  const known = providers.flatMap((provider): readonly Ranked[] => {
    const latency = candidateLatency(situation, provider);
    return latency === undefined ? [] : [{ provider, p50Ms: latency.p50Ms }];
  });
  return fastest(known, TIE_BAND)?.provider ?? providers[0];
}

/**
 * The provider that replaces a broken one. Probed providers come first. Held providers come last, but before the broken
 * one: a held provider is better than a broken one.
 */
export function successor(situation: Situation): string | undefined {
  const all = standbys(situation);
  const usable = all.filter((name) => isUsable(situation, name));
  const unknown = all.filter((name) => isUnknown(situation, name));
  for (const held of [false, true]) {
    for (const names of [usable, unknown]) {
      const found = best(
        situation,
        names.filter((name) => isHeld(situation, name) === held),
      );
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Whether rule 2 must wait: while frozen or at the limit of swaps in an hour, it acts once per ten minutes. */
export function mustWait(situation: Situation): boolean {
  const { status, now } = situation;
  const isFrozen = status.frozen !== null && status.frozen.until > now;
  if (!isFrozen && !isCapReached(situation)) return false;
  return status.history.some(
    ({ reason, at }) => reason === 'hard_failure' && Math.abs(now - at) < AGAIN_WHILE_FROZEN_MS,
  );
}

/** Without a candidate the broken provider stays active: there is always an active provider. */
export function allDown({ status, config, now }: Situation): Answer {
  const since = status.probeRequestedAt === null ? Infinity : Math.abs(now - status.probeRequestedAt);
  const down = stay(status, 'all-down', 'no-candidate');
  if (since < PROBE_AGAIN_MS) return down;
  const note = `"${status.activeProvider}" fails, and no other provider is known to work; it stays active.`;
  const next = config.probe.mode === 'none' ? status : { ...status, probeRequestedAt: now };
  return { ...down, status: next, events: [failoverEvent('Warning', 'AllProvidersDown', note)] };
}

export const isBroken = (situation: Situation): boolean => failingVerdict(situation) !== undefined;

/** Rule 2: leaves a broken provider at once, without streak and dwell. */
export function replaceBroken(situation: Situation, to: string): Answer {
  const answer = automaticSwap(situation, { to, reason: 'hard_failure', rule: 'hard-failure' });
  const isBlind = standbys(situation).some((name) => !isFresh(situation, metricsOf(situation.metrics, name)));
  const asks = isBlind && situation.config.probe.mode === 'synthetic';
  return asks ? { ...answer, status: { ...answer.status, probeRequestedAt: situation.now } } : answer;
}
