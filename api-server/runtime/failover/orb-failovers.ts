import type { Clock } from '../../../adapters/time/clock.ts';
import type { BreakerState } from '../../../core/failover/metrics.ts';
import type { OrbId } from '../../../core/manifest/orb-id.ts';
import type { CompiledOrb } from '../../../core/orb/compiled-orb.ts';
import type { RunMetrics } from '../run-metrics.ts';
import { OrbFailover, type LastFailure, type ProviderState } from './orb-failover.ts';

/** Called when a breaker opens in this process: probes of the other providers begin at once (failover.md §7). */
export type BreakerListener = (namespace: string, orbId: OrbId, provider: string) => void;

/** One provider as this process sees it. Times are ms since epoch. */
export interface ProviderView {
  readonly breaker: BreakerState;
  /** Since when the breaker is not closed; null: it is closed. */
  readonly since: number | null;
  /** When the breaker lets the next attempt through; null: it is closed. */
  readonly until: number | null;
  /** End of the pause that the provider asked for; null: there is none. */
  readonly pausedUntil: number | null;
  /** Failed attempts since the last good one, of all callers that it concerns. */
  readonly failures: number;
  /** Null: no attempt failed since this process started. */
  readonly lastFailure: LastFailure | null;
}

export interface FailoverOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  readonly metrics: Pick<RunMetrics, 'provider'>;
  /** Whether an Orb is still in the catalogue: entries of removed Orbs are dropped. */
  readonly isThere: (namespace: string, orbId: OrbId) => boolean;
}

interface Entry {
  readonly namespace: string;
  readonly orbId: OrbId;
  readonly failover: OrbFailover;
}

const FEW = 1000;

/**
 * Breakers, cooling and budgets of all Orbs in one process. It holds at most 1000 Orbs, or twice those in the
 * catalogue.
 */
export class OrbFailovers {
  readonly #options: FailoverOptions;
  readonly #orbs = new Map<string, Entry>();
  readonly #listeners = new Set<BreakerListener>();
  #sweepAt = FEW;

  constructor(options: FailoverOptions) {
    this.#options = options;
  }

  /** State of the providers of an Orb; created on first use. */
  of(orb: Pick<CompiledOrb, 'namespace' | 'orbId' | 'order' | 'providers' | 'manifest'>): OrbFailover {
    const { failover } = this.#orbs.get(keyOf(orb.namespace, orb.orbId)) ?? this.#add(orb.namespace, orb.orbId);
    failover.follow(orb);
    return failover;
  }

  /** Breakers of every resolved provider. Empty for an Orb that was never called here. */
  breakers(namespace: string, orbId: string): Readonly<Record<string, BreakerState>> {
    return this.#orbs.get(keyOf(namespace, orbId))?.failover.breakers() ?? {};
  }

  /** Providers that asked for a pause, with its end in ms since the epoch. */
  cooling(namespace: string, orbId: string): Readonly<Record<string, number>> {
    const left = this.#orbs.get(keyOf(namespace, orbId))?.failover.cooling() ?? new Map<string, number>();
    const now = this.#options.clock.now();
    return Object.fromEntries([...left].map(([provider, ms]) => [provider, now + ms]));
  }

  /** Every resolved provider as this process sees it. Empty for an Orb that was never called here. */
  providers(namespace: string, orbId: string): Readonly<Record<string, ProviderView>> {
    const states = this.#orbs.get(keyOf(namespace, orbId))?.failover.states() ?? new Map<string, ProviderState>();
    const { clock } = this.#options;
    const offset = clock.now() - clock.monotonic();
    return Object.fromEntries([...states].map(([provider, state]) => [provider, viewOf(state, offset)]));
  }

  /** @returns a function that removes the listener */
  onBreakerOpened(listener: BreakerListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #add(namespace: string, orbId: OrbId): Entry {
    if (this.#orbs.size >= this.#sweepAt) this.#sweep();
    const { clock, random } = this.#options;
    const failover = new OrbFailover({
      clock,
      random,
      onBreaker: (provider, state) => this.#report(entry, provider, state),
    });
    const entry: Entry = { namespace, orbId, failover };
    this.#orbs.set(keyOf(namespace, orbId), entry);
    return entry;
  }

  #report({ namespace, orbId }: Entry, provider: string, state: BreakerState): void {
    const { metrics, isThere } = this.#options;
    if (!isThere(namespace, orbId)) return; // a sample would begin its series again
    metrics.provider(namespace, orbId, provider).breaker(state);
    if (state === 'open') for (const listener of this.#listeners) listener(namespace, orbId, provider);
  }

  #sweep(): void {
    for (const [key, { namespace, orbId, failover }] of this.#orbs) {
      if (this.#options.isThere(namespace, orbId)) continue;
      failover.close();
      this.#orbs.delete(key);
    }
    this.#sweepAt = Math.max(FEW, 2 * this.#orbs.size);
  }
}

/** @param offset from monotonic ms to ms since the epoch */
function viewOf(
  { breaker, since, until, pausedUntil, failures, lastFailure }: ProviderState,
  offset: number,
): ProviderView {
  const time = (at: number | undefined): number | null => (at === undefined ? null : Math.round(at + offset));
  return {
    breaker,
    since: time(since),
    until: time(until),
    pausedUntil: time(pausedUntil),
    failures,
    lastFailure: lastFailure ?? null,
  };
}

const keyOf = (namespace: string, orbId: string): string => `${namespace}/${orbId}`;
