import type { Clock } from '../../../adapters/time/clock.ts';
import { Breaker, type AttemptVerdict } from '../../../core/attempts/breaker.ts';
import type { AttemptCause } from '../../../core/attempts/reasons.ts';
import type { AttemptOutcome } from '../../../core/receipt/record.ts';
import { RetryBudget } from '../../../core/attempts/budget.ts';
import { pauseOf, type Availability, type Pause, type TenantCooling } from '../../../core/attempts/plan.ts';
import { SWAP_DEFAULTS } from '../../../core/failover/defaults.ts';
import type { BreakerState } from '../../../core/failover/metrics.ts';
import type { CompiledOrb } from '../../../core/orb/compiled-orb.ts';

/** The Orbiset of a run, with a digest of the secrets that it would send to one provider. */
export interface Sender {
  readonly orbiset: string;
  readonly secrets: () => string;
}

/** Outside parts that an Orb's failover needs. */
export interface OrbFailoverContext {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  readonly onBreaker: (provider: string, state: BreakerState) => void;
}

/** The last failed attempt at a provider. */
export interface LastFailure {
  /** When it ended, ms since epoch. */
  readonly at: number;
  readonly outcome: AttemptOutcome;
  readonly httpStatus: number | null;
  readonly cause: AttemptCause;
  /** Null: the run of another namespace. */
  readonly runId: string | null;
}

/** One provider as this process sees it. Times are monotonic ms. */
export interface ProviderState {
  readonly breaker: BreakerState;
  /** Since when the breaker is not closed. */
  readonly since: number | undefined;
  /** When the next attempt is let through; in the past or undefined: at once. */
  readonly until: number | undefined;
  /** End of the pause that the provider asked for, if it is not over. */
  readonly pausedUntil: number | undefined;
  /** Failed attempts since the last good one. */
  readonly failures: number;
  /** Of this process since it started; undefined: none. */
  readonly lastFailure: LastFailure | undefined;
}

interface Trace {
  readonly failures: number;
  readonly last: LastFailure;
}

interface CoolingEntry {
  readonly standing: TenantCooling;
  readonly secrets: string;
}

const FREE: Availability = { kind: 'free' };

const FEW = 256;

/**
 * State of one Orb's providers in one process: breakers, requested pauses, and the retry budget
 * (failover.md §12.2, §12.3). Times are monotonic ms.
 */
export class OrbFailover {
  readonly budget = new RetryBudget();
  readonly #context: OrbFailoverContext;
  readonly #breakers = new Map<string, Breaker>();
  readonly #shown = new Map<string, BreakerState>();
  readonly #cooling = new Map<string, Pause>();
  /** Providers that failed, with their last failure. */
  readonly #traces = new Map<string, Trace>();
  readonly #tenants = new Map<string, CoolingEntry>();
  /** Number of tenant entries at which expired ones are dropped. */
  #sweepAt = FEW;
  /** Names that a run may choose. When the breakers of all are open, the Orb has no alternative. */
  #order: readonly string[] = [];
  #consecutive = 0;
  /** Every resolved provider. */
  #names: ReadonlySet<string> = new Set();
  #lapse: AbortController | undefined;
  /** Breakers that are not closed. */
  #tripped = 0;

  constructor(context: OrbFailoverContext) {
    this.#context = context;
  }

  /** Uses the settings of the manifest for the run that begins. The same `order` means the same manifest. */
  follow({ order, providers, manifest }: Pick<CompiledOrb, 'order' | 'providers' | 'manifest'>): void {
    if (order === this.#order) return;
    this.#order = order;
    this.#names = new Set(providers.keys());
    const { consecutive_failures: usual } = SWAP_DEFAULTS.hard_failure;
    this.#consecutive = manifest.swap_config?.hard_failure?.consecutive_failures ?? usual;
    for (const provider of this.#breakers.keys()) if (!this.#names.has(provider)) this.#forget(provider);
    this.#countTripped();
  }

  /** Whether a run of this Orbiset may call the provider now. */
  standing(provider: string, sender: Sender): Availability {
    const now = this.#context.clock.monotonic();
    const breaker = this.#tripped === 0 ? undefined : this.#breakers.get(provider);
    const slot = breaker === undefined ? now : breaker.nextSlot(now, this.#alone());
    if (slot > now) return { kind: 'breaker', until: slot };
    const pause = this.#cooling.get(provider);
    if (pause !== undefined && pause.until > now) return { kind: 'cooling', ...pause };
    return this.#tenants.size === 0 ? FREE : this.#tenantStanding(provider, sender, now);
  }

  /**
   * Admits an attempt.
   * @returns the ticket for `report`; undefined: another attempt tests the provider, or it is too early
   */
  admit(provider: string): number | undefined {
    const breaker = this.#breaker(provider);
    const ticket = breaker.admit(this.#context.clock.monotonic(), this.#alone());
    if (!breaker.closed) this.#show();
    return ticket;
  }

  /** The attempt is over. Call it once for every ticket. */
  report(provider: string, ticket: number, verdict: AttemptVerdict): void {
    const breaker = this.#breaker(provider);
    const calm = breaker.closed;
    const { clock, random } = this.#context;
    breaker.report(ticket, verdict, { now: clock.monotonic(), random: random(), consecutive: this.#consecutive });
    if (calm && breaker.closed) return;
    this.#countTripped();
    this.#show();
  }

  /** The provider asked all callers for a pause. @param ms from now; a long one is followed for 5 min only */
  cool(provider: string, ms: number): void {
    const now = this.#context.clock.monotonic();
    const before = this.#cooling.get(provider);
    const { until, asked } = pauseOf(ms, now);
    this.#cooling.set(provider, {
      until: Math.max(until, before?.until ?? 0),
      asked: Math.max(asked, before?.asked ?? 0),
    });
  }

  /** An attempt that concerns the Orb failed. */
  noteFailure(provider: string, last: LastFailure): void {
    this.#traces.set(provider, { failures: (this.#traces.get(provider)?.failures ?? 0) + 1, last });
  }

  /** An attempt that concerns the Orb succeeded. */
  noteSuccess(provider: string): void {
    if (this.#traces.size === 0) return;
    const trace = this.#traces.get(provider);
    if (trace !== undefined && trace.failures > 0) this.#traces.set(provider, { ...trace, failures: 0 });
  }

  /** The provider refused the credential or the quota of one Orbiset. */
  coolTenant(provider: string, sender: Sender, standing: TenantCooling): void {
    if (this.#tenants.size >= this.#sweepAt) this.#sweepTenants();
    this.#tenants.set(tenantKey(provider, sender), { standing, secrets: sender.secrets() });
  }

  /** The provider accepted the credential of this Orbiset. */
  warmTenant(provider: string, sender: Sender): void {
    if (this.#tenants.size > 0) this.#tenants.delete(tenantKey(provider, sender));
  }

  breakers(): Readonly<Record<string, BreakerState>> {
    const now = this.#context.clock.monotonic();
    const alone = this.#alone();
    return Object.fromEntries(
      [...this.#names].map((name) => [name, this.#breakers.get(name)?.state(now, alone) ?? 'closed']),
    );
  }

  /** Providers that get no requests from any caller, with the remaining ms. */
  cooling(): ReadonlyMap<string, number> {
    const now = this.#context.clock.monotonic();
    return new Map(
      [...this.#cooling].flatMap(([name, { until }]) => (until > now ? [[name, until - now] as const] : [])),
    );
  }

  /** Every resolved provider, by name. */
  states(): ReadonlyMap<string, ProviderState> {
    const now = this.#context.clock.monotonic();
    const alone = this.#alone();
    return new Map([...this.#names].map((name) => [name, this.#state(name, now, alone)]));
  }

  #state(name: string, now: number, alone: boolean): ProviderState {
    const breaker = this.#breakers.get(name);
    const pausedUntil = this.#cooling.get(name)?.until ?? 0;
    const { failures, last } = this.#traces.get(name) ?? UNFAILED;
    return {
      ...(breaker === undefined ? CLOSED : breakerState(breaker, now, alone)),
      pausedUntil: pausedUntil > now ? pausedUntil : undefined,
      failures,
      lastFailure: last,
    };
  }

  /** Call it when the Orb was removed. */
  close(): void {
    this.#lapse?.abort();
  }

  #tenantStanding(provider: string, sender: Sender, now: number): Availability {
    const key = tenantKey(provider, sender);
    const cooled = this.#tenants.get(key);
    if (cooled === undefined) return FREE;
    if (cooled.standing.until > now && cooled.secrets === sender.secrets()) return cooled.standing;
    this.#tenants.delete(key);
    return FREE;
  }

  #sweepTenants(): void {
    const now = this.#context.clock.monotonic();
    for (const [key, { standing }] of this.#tenants) if (standing.until <= now) this.#tenants.delete(key);
    this.#sweepAt = Math.max(FEW, 2 * this.#tenants.size);
  }

  #breaker(provider: string): Breaker {
    const known = this.#breakers.get(provider);
    if (known !== undefined) return known;
    const made = new Breaker();
    this.#breakers.set(provider, made);
    return made;
  }

  #alone(): boolean {
    if (this.#tripped === 0) return false;
    return this.#order.every((name) => this.#breakers.get(name)?.closed === false);
  }

  #countTripped(): void {
    this.#tripped = [...this.#breakers.values()].filter(({ closed }) => !closed).length;
  }

  #forget(provider: string): void {
    this.#breakers.delete(provider);
    this.#cooling.delete(provider);
    this.#traces.delete(provider);
    // The series of a provider outlive it. A provider that comes back would show `open` for ever.
    if ((this.#shown.get(provider) ?? 'closed') !== 'closed') this.#context.onBreaker(provider, 'closed');
    this.#shown.delete(provider);
  }

  /** Reports every breaker whose state differs from the last reported one. */
  #show(): void {
    const now = this.#context.clock.monotonic();
    const alone = this.#alone();
    for (const [provider, breaker] of this.#breakers) {
      const state = breaker.state(now, alone);
      const before = this.#shown.get(provider) ?? 'closed';
      if (state === before) continue;
      this.#shown.set(provider, state);
      this.#context.onBreaker(provider, state);
    }
    this.#wake(now, alone);
  }

  /**
   * A breaker becomes half-open when its time is over, with or without a call. If the gauge stayed at `open`, a swap
   * back to a provider without traffic would be impossible (failover.md §5.2).
   */
  #wake(now: number, alone: boolean): void {
    this.#lapse?.abort();
    const slots = [...this.#breakers.values()].flatMap((breaker) =>
      breaker.state(now, alone) === 'open' ? breaker.nextSlot(now, alone) : [],
    );
    if (slots.length === 0) return;
    this.#lapse = new AbortController();
    const ms = Math.ceil(Math.min(...slots) - now);
    void this.#context.clock.sleep(ms, this.#lapse.signal, { ref: false }).then(
      () => this.#show(),
      () => undefined, // another change came first
    );
  }
}

const UNFAILED = { failures: 0, last: undefined } as const;

const CLOSED = { breaker: 'closed', since: undefined, until: undefined } as const;

function breakerState(
  breaker: Breaker,
  now: number,
  alone: boolean,
): Pick<ProviderState, 'breaker' | 'since' | 'until'> {
  if (breaker.closed) return CLOSED;
  return { breaker: breaker.state(now, alone), since: breaker.since, until: breaker.nextSlot(now, alone) };
}

const tenantKey = (provider: string, { orbiset }: Sender): string => `${orbiset} ${provider}`;
