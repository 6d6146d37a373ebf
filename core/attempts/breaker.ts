import type { BreakerState } from '../failover/metrics.ts';
import type { AttemptOutcome } from '../receipt/record.ts';
import { SlidingCount } from './sliding-count.ts';

/**
 * Verdict of one attempt about its provider. `nothing`: a `client_error`, a cancelled attempt, or a tenant refusal of
 * another namespace.
 */
export type AttemptVerdict = 'good' | 'bad' | 'nothing';

/** The verdict that an outcome gives, when the attempt concerns the Orb. */
export const verdictOf: Readonly<Record<AttemptOutcome, AttemptVerdict>> = {
  success: 'good',
  error: 'bad',
  timeout: 'bad',
  rate_limited: 'bad',
  blocked: 'bad',
  client_error: 'nothing',
  cancelled: 'nothing',
};

/** Values beside the breaker's own state that decide when it opens and for how long. */
export interface BreakerMoment {
  /** Monotonic ms. */
  readonly now: number;
  /** [0, 1): the jitter of an opening. */
  readonly random: number;
  /** Bad attempts in a row that open it: `hard_failure.consecutive_failures`. */
  readonly consecutive: number;
}

const WINDOW_MS = 30_000;
const PARTS = 30;
const MIN_ATTEMPTS = 10;
const BAD_SHARE = 0.5;
const FIRST_OPEN_MS = 5000;
const LONGEST_OPEN_MS = 300_000;
/** Longest opening while every provider is open: a long outage must not end minutes late (failover.md §13, S20). */
const ALONE_OPEN_MS = 15_000;
/** Retry time for callers while the half-open attempt is running: its end is not known. */
const TRIAL_MS = 1000;

type Phase =
  | { readonly kind: 'closed' }
  /** The phase lasts until an attempt is let through, also after its time is over. */
  | { readonly kind: 'open'; readonly at: number; readonly jitter: number }
  | { readonly kind: 'trial'; readonly before: Extract<Phase, { kind: 'open' }> };

const CLOSED: Phase = { kind: 'closed' };

/**
 * Breaker of one provider of one Orb in one process (failover.md §12.3). It opens after a number of bad attempts in a
 * row, or when half of at least 10 attempts in 30 s are bad. It stays open for 5 s, then doubling to 300 s, with equal
 * jitter. After that, one attempt decides whether it closes. Times are monotonic ms of the caller.
 */
export class Breaker {
  readonly #all = new SlidingCount(WINDOW_MS, PARTS);
  readonly #bad = new SlidingCount(WINDOW_MS, PARTS);
  #phase: Phase = CLOSED;
  #badInRow = 0;
  /** Openings since the breaker was last closed. */
  #openings = 0;
  /** Time of the first of them. */
  #since: number | undefined;
  /** Changes with the phase, so that an attempt of an earlier phase no longer counts. */
  #ticket = 0;

  get closed(): boolean {
    return this.#phase.kind === 'closed';
  }

  /** Since when it is not closed, monotonic ms; undefined while it is closed. */
  get since(): number | undefined {
    return this.#since;
  }

  /** @param alone every provider of the Orb is open */
  state(now: number, alone: boolean): BreakerState {
    if (this.#phase.kind === 'closed') return 'closed';
    return this.#phase.kind === 'open' && now < this.#endOf(this.#phase, alone) ? 'open' : 'half_open';
  }

  /**
   * @param alone every provider of the Orb is open
   * @returns the time from which an attempt is let through; `now` or earlier means at once
   */
  nextSlot(now: number, alone: boolean): number {
    switch (this.#phase.kind) {
      case 'closed':
        return now;
      case 'open':
        return this.#endOf(this.#phase, alone);
      case 'trial':
        return now + TRIAL_MS;
      default:
        return this.#phase satisfies never;
    }
  }

  /**
   * Decides whether one attempt may be made.
   * @param alone every provider of the Orb is open
   * @returns a ticket to pass to `report` once, when the attempt is over; undefined: the attempt must not be made
   */
  admit(now: number, alone: boolean): number | undefined {
    const phase = this.#phase;
    if (phase.kind === 'closed') return this.#ticket;
    if (phase.kind === 'trial' || now < this.#endOf(phase, alone)) return undefined;
    this.#enter({ kind: 'trial', before: phase });
    return this.#ticket;
  }

  /** Reports the end of the attempt with this ticket. */
  report(ticket: number, verdict: AttemptVerdict, moment: BreakerMoment): void {
    if (ticket !== this.#ticket) return;
    if (this.#phase.kind === 'trial') this.#tried(verdict, this.#phase.before, moment);
    else if (verdict !== 'nothing') this.#count(verdict === 'bad', moment);
  }

  #tried(verdict: AttemptVerdict, before: Phase, moment: BreakerMoment): void {
    if (verdict === 'bad') this.#open(moment);
    else if (verdict === 'good') this.#close();
    else this.#enter(before);
  }

  #count(bad: boolean, moment: BreakerMoment): void {
    const { now, consecutive } = moment;
    this.#all.add(now);
    if (bad) this.#bad.add(now);
    this.#badInRow = bad ? this.#badInRow + 1 : 0;
    const all = this.#all.total(now);
    const failing = all >= MIN_ATTEMPTS && this.#bad.total(now) >= BAD_SHARE * all;
    if (failing || this.#badInRow >= consecutive) this.#open(moment);
  }

  #open({ now, random }: BreakerMoment): void {
    this.#openings += 1;
    this.#since ??= now;
    this.#enter({ kind: 'open', at: now, jitter: random });
  }

  #close(): void {
    this.#openings = 0;
    this.#since = undefined;
    this.#badInRow = 0;
    this.#all.clear();
    this.#bad.clear();
    this.#enter(CLOSED);
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#ticket += 1;
  }

  #endOf({ at, jitter }: Extract<Phase, { kind: 'open' }>, alone: boolean): number {
    const longest = alone ? ALONE_OPEN_MS : LONGEST_OPEN_MS;
    const wholeMs = Math.min(longest, FIRST_OPEN_MS * 2 ** (this.#openings - 1));
    return at + wholeMs / 2 + (jitter * wholeMs) / 2;
  }
}
