import { HourlyBudget } from './hourly-budget.ts';

/** How the providers of one Orb are probed. */
export interface ProbePlan {
  readonly intervalMs: number;
  /** Share of the interval by which a probe comes earlier or later, 0–0.5. */
  readonly jitter: number;
  readonly maxPerHour: number;
  /** Those that can be probed. */
  readonly providers: readonly string[];
}

/** Whether a probe may be sent now. `isNews`: the budget is used up, and this was not said within the hour. */
export type Spending =
  | { readonly kind: 'spent' }
  /** Within an interval there is budget again. */
  | { readonly kind: 'later' }
  | { readonly kind: 'exhausted'; readonly isNews: boolean };

interface Slot {
  /** Where the probe would stand without jitter: jitter must not add up, or an hour could hold too many. */
  base: number;
  at: number;
  readonly budget: HourlyBudget;
  toldAt: number;
}

// failover.md §7
const BURST = 3;
const BURST_STEP_MS = 1000;
const BURST_GAP_MS = 30_000;
const TOLD_AGAIN_MS = 3_600_000;

/** When each provider of one Orb is probed next. Pure; times are monotonic ms. */
export class OrbSchedule {
  readonly #random: () => number;
  readonly #slots = new Map<string, Slot>();
  #plan: ProbePlan = { intervalMs: Infinity, jitter: 0, maxPerHour: 1, providers: [] };
  /** Times of a burst that has begun or will. */
  #burst: number[] = [];
  #lastBurstAt = -Infinity;

  /** @param random [0, 1) */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** From now on this plan holds. What is new begins somewhere within one interval, so that a start makes no crowd. */
  follow(plan: ProbePlan, now: number): void {
    const isPaceNew = plan.intervalMs !== this.#plan.intervalMs;
    this.#plan = plan;
    for (const name of this.#slots.keys()) if (!plan.providers.includes(name)) this.#slots.delete(name);
    for (const name of plan.providers) {
      const known = this.#slots.get(name);
      const at = now + this.#random() * plan.intervalMs;
      if (known === undefined) this.#slots.set(name, { base: at, at, budget: new HourlyBudget(), toldAt: -Infinity });
      else if (isPaceNew) Object.assign(known, { base: at, at });
    }
  }

  /**
   * Three probes of each, one second apart, unless there was a burst within 30 s.
   * @param mustCome it comes at the end of the 30 s then
   */
  burst(now: number, mustCome: boolean): void {
    const free = this.#lastBurstAt + BURST_GAP_MS;
    if (this.#lastBurstAt > now || (free > now && !mustCome)) return;
    const from = Math.max(now, free);
    this.#lastBurstAt = from;
    this.#burst = Array.from({ length: BURST }, (_, index) => from + index * BURST_STEP_MS);
  }

  /** Monotonic ms; Infinity: never. */
  get nextAt(): number {
    let next = this.#burst[0] ?? Infinity;
    for (const { at } of this.#slots.values()) next = Math.min(next, at);
    return next;
  }

  /** Providers whose time has come, each once; their next time is set. */
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

  /** Asked right before a probe is sent. */
  spend(provider: string, now: number): Spending {
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
    const isNews = now - slot.toldAt >= TOLD_AGAIN_MS;
    if (isNews) slot.toldAt = now;
    return { kind: 'exhausted', isNews };
  }

  /** After a pause longer than an interval nothing is made up for. */
  #advance(slot: Slot, now: number): void {
    const { intervalMs, jitter } = this.#plan;
    const next = slot.base + intervalMs;
    slot.base = next > now ? next : now + intervalMs;
    slot.at = Math.max(now, slot.base + intervalMs * jitter * (2 * this.#random() - 1));
  }
}
