const HOUR_MS = 3_600_000;

/** Counts the requests to one provider in any hour. Times are monotonic ms and never go back. */
class HourlyBudget {
  /** Times of the requests in the last hour, oldest first. */
  readonly #spent: number[] = [];

  /** @param max in an hour, at least 1. @returns when the next request may be sent; `now` or earlier: at once */
  freeAt(max: number, now: number): number {
    while ((this.#spent[0] ?? now) <= now - HOUR_MS) this.#spent.shift();
    const blocking = this.#spent.at(-max);
    return blocking === undefined ? now : blocking + HOUR_MS;
  }

  spend(now: number): void {
    this.#spent.push(now);
  }
}

/** Settings for the probes of one Orb's providers. */
export interface ProbePlan {
  readonly intervalMs: number;
  /** Share of the interval by which a probe comes earlier or later, 0–0.5. */
  readonly jitter: number;
  readonly maxPerHour: number;
  /** Names of the providers that can be probed. */
  readonly providers: readonly string[];
}

/** Whether a probe may be sent now. `isNews`: the budget is used up, and this was not reported within the hour. */
export type ProbeAllowance =
  | { readonly kind: 'spent' }
  /** The budget allows a probe again within one interval. */
  | { readonly kind: 'later' }
  | { readonly kind: 'exhausted'; readonly isNews: boolean };

interface Slot {
  /** Time of the probe without jitter. Jitter must not add up, or an hour could hold too many probes. */
  base: number;
  at: number;
  readonly budget: HourlyBudget;
  reportedAt: number;
}

// failover.md §7
const BURST = 3;
const BURST_STEP_MS = 1000;
const BURST_GAP_MS = 30_000;
const REPORT_AGAIN_MS = 3_600_000;

/** Computes when each provider of one Orb is probed next. Pure; times are monotonic ms. */
export class OrbSchedule {
  readonly #random: () => number;
  readonly #slots = new Map<string, Slot>();
  #plan: ProbePlan = { intervalMs: Infinity, jitter: 0, maxPerHour: 1, providers: [] };
  /** Times of a burst that has begun or is planned. */
  #burst: number[] = [];
  #lastBurstAt = -Infinity;

  /** @param random returns a number in [0, 1) */
  constructor(random: () => number) {
    this.#random = random;
  }

  /**
   * Uses this plan from now on. A new provider begins at a random time within one interval, so a start makes no burst.
   */
  follow(plan: ProbePlan, now: number): void {
    const isPaceNew = plan.intervalMs !== this.#plan.intervalMs;
    this.#plan = plan;
    for (const name of this.#slots.keys()) if (!plan.providers.includes(name)) this.#slots.delete(name);
    for (const name of plan.providers) {
      const known = this.#slots.get(name);
      const at = now + this.#random() * plan.intervalMs;
      if (known === undefined)
        this.#slots.set(name, { base: at, at, budget: new HourlyBudget(), reportedAt: -Infinity });
      else if (isPaceNew) Object.assign(known, { base: at, at });
    }
  }

  /**
   * Three probes of each provider, one second apart, unless there was a burst within 30 s.
   * @param mustCome true: in that case the burst is delayed to the end of the 30 s
   */
  burst(now: number, mustCome: boolean): void {
    const free = this.#lastBurstAt + BURST_GAP_MS;
    if (this.#lastBurstAt > now || (free > now && !mustCome)) return;
    const from = Math.max(now, free);
    this.#lastBurstAt = from;
    this.#burst = Array.from({ length: BURST }, (_, index) => from + index * BURST_STEP_MS);
  }

  /** Time of the next probe, monotonic ms; Infinity: never. */
  get nextAt(): number {
    let next = this.#burst[0] ?? Infinity;
    for (const { at } of this.#slots.values()) next = Math.min(next, at);
    return next;
  }

  /** Providers whose probe is due, each only once. It sets their next time. */
  takeDue(now: number): readonly string[] {
    const isBurst = (this.#burst[0] ?? Infinity) <= now;
    if (isBurst) this.#burst = this.#burst.slice(1).map((at) => Math.max(at, now + BURST_STEP_MS));
    const due: string[] = [];
    for (const [name, slot] of this.#slots) {
      if (slot.at <= now) this.#advance(slot, now);
      else if (!isBurst) continue;
      due.push(name);
    }
    return due;
  }

  /** Called directly before a probe is sent. */
  spend(provider: string, now: number): ProbeAllowance {
    const slot = this.#slots.get(provider);
    if (slot === undefined) return { kind: 'later' };
    const { intervalMs, maxPerHour } = this.#plan;
    const freeAt = slot.budget.freeAt(maxPerHour, now);
    if (freeAt <= now) {
      slot.budget.spend(now);
      return { kind: 'spent' };
    }
    slot.at = freeAt;
    if (freeAt - now <= intervalMs) return { kind: 'later' };
    slot.base = freeAt;
    const isNews = now - slot.reportedAt >= REPORT_AGAIN_MS;
    if (isNews) slot.reportedAt = now;
    return { kind: 'exhausted', isNews };
  }

  /** After a pause longer than one interval, missed probes are not repeated. */
  #advance(slot: Slot, now: number): void {
    const { intervalMs, jitter } = this.#plan;
    const next = slot.base + intervalMs;
    slot.base = next > now ? next : now + intervalMs;
    slot.at = Math.max(now, slot.base + intervalMs * jitter * (2 * this.#random() - 1));
  }
}
