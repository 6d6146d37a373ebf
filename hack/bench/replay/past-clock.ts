import { systemClock, type Clock } from '../../../adapters/time/clock.ts';

/** A wall clock behind the machine's, which is set forward while no run is under way. Durations are real ones. */
export class PastClock {
  #behindMs: number;
  readonly clock: Clock = { ...systemClock, now: () => systemClock.now() - this.#behindMs };

  /** @param at time to begin with, ms since epoch, in the past */
  constructor(at: number) {
    this.#behindMs = systemClock.now() - at;
  }

  /** Goes on at a later time; at an earlier one than now, nothing changes. @param at ms since epoch */
  goTo(at: number): void {
    this.#behindMs = Math.max(0, Math.min(this.#behindMs, systemClock.now() - at));
  }
}
