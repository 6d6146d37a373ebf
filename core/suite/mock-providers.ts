import { Breaker, verdictOf } from '../attempts/breaker.ts';
import { isTenantRefusal, type ProviderExchange } from '../attempts/classify.ts';
import { pauseOf, refusalStanding, type Availability } from '../attempts/plan.ts';
import { SWAP_DEFAULTS } from '../failover/defaults.ts';
import type { CompiledOrb } from '../orb/compiled-orb.ts';
import type { AttemptRecord } from '../receipt/record.ts';

/** The end of a simulated attempt, as far as the state of its provider depends on it. */
export interface MockedAttempt {
  readonly provider: string;
  readonly record: AttemptRecord;
  readonly exchange: ProviderExchange;
  readonly usedSecret: boolean;
  readonly retryAfterMs: number | undefined;
}

const FREE: Availability = { kind: 'free' };

/**
 * State of the providers in one simulated run: breakers, and the pauses that providers ask for. A new run begins with
 * closed breakers. `OrbFailover` of the API keeps the same state for all runs of an Orb, with tenants, metrics and a
 * timer; both apply the same rules of `core/attempts`. Times are virtual ms.
 */
export class MockProviders {
  readonly #breakers: ReadonlyMap<string, Breaker>;
  readonly #order: readonly string[];
  readonly #consecutive: number;
  readonly #pauses = new Map<string, Exclude<Availability, { kind: 'free' }>>();

  constructor({ order, providers, manifest }: Pick<CompiledOrb, 'order' | 'providers' | 'manifest'>) {
    this.#order = order;
    this.#breakers = new Map([...providers.keys()].map((name) => [name, new Breaker()]));
    const { consecutive_failures: usual } = SWAP_DEFAULTS.hard_failure;
    this.#consecutive = manifest.swap_config?.hard_failure?.consecutive_failures ?? usual;
  }

  standing(provider: string, now: number): Availability {
    const slot = this.#breakers.get(provider)?.nextSlot(now, this.#alone()) ?? now;
    if (slot > now) return { kind: 'breaker', until: slot };
    const pause = this.#pauses.get(provider);
    return pause !== undefined && pause.until > now ? pause : FREE;
  }

  /** @returns the ticket for `report`; undefined: the breaker lets no attempt through */
  admit(provider: string, now: number): number | undefined {
    return this.#breakers.get(provider)?.admit(now, this.#alone());
  }

  report(ticket: number, attempt: MockedAttempt, now: number): void {
    const { provider, record, exchange, usedSecret, retryAfterMs } = attempt;
    const moment = { now, random: 0, consecutive: this.#consecutive };
    this.#breakers.get(provider)?.report(ticket, verdictOf[record.outcome], moment);
    if (isTenantRefusal(exchange, usedSecret)) {
      this.#pauses.set(provider, refusalStanding(exchange, retryAfterMs, now));
      return;
    }
    const failed = record.outcome === 'error' || record.outcome === 'rate_limited';
    if (failed && retryAfterMs !== undefined)
      this.#pauses.set(provider, { kind: 'cooling', ...pauseOf(retryAfterMs, now) });
  }

  #alone(): boolean {
    return this.#order.every((name) => this.#breakers.get(name)?.closed === false);
  }
}
