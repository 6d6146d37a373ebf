import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { Round } from '../../core/status/rounds.ts';
import { forEachService } from '../../core/status/service.ts';
import type { RoundFound } from './round-maker.ts';

/** A round with what its checks found. */
export interface FullRound extends Round {
  readonly found: RoundFound;
}

export interface RoundLoopParts {
  readonly make: (signal: AbortSignal) => Promise<RoundFound>;
  /** Receives the last round again, with a later end, and the new one. */
  readonly finished: (rounds: readonly FullRound[]) => void;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  readonly intervalMs: number;
}

/** A round holds until the next one begins, at most so many intervals. */
const HOLDS = 1.5;
/** After so many intervals without a round, the process stood still: the time between is not known. */
const STOOD_STILL = 3;

interface LastRound {
  readonly round: FullRound;
  /** Monotonic ms. */
  readonly startedAt: number;
}

/** Makes rounds at even times until it is stopped. Rounds never overlap: one that takes longer delays the next. */
export class RoundLoop {
  readonly #parts: RoundLoopParts;
  #last: LastRound | undefined;

  constructor(parts: RoundLoopParts) {
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs, logger } = this.#parts;
    let next = clock.monotonic();
    while (!signal.aborted) {
      try {
        await this.#round(signal);
      } catch (error) {
        if (!signal.aborted) logger.warn('a round of checks could not be made', { error });
      }
      next = Math.max(next + intervalMs, clock.monotonic());
      await clock.sleep(Math.max(0, next - clock.monotonic()), signal, { ref: false }).catch(() => undefined);
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { make, finished, clock, intervalMs } = this.#parts;
    const [at, startedAt] = [Math.floor(clock.now()), clock.monotonic()];
    const before = this.#last;
    // The wall clock was set back: what is known must not be told twice.
    if (before !== undefined && at < before.round.until) return;
    const found = await make(signal);
    const states = forEachService((service) => found[service].state);
    const tookMs = Math.min(clock.monotonic() - startedAt, HOLDS * intervalMs);
    const until = Math.max(at + 1, Math.floor(at + tookMs));
    const round: FullRound = { at, until, states, found };
    this.#last = { round, startedAt };
    finished([...this.#held(before, round, startedAt), round]);
  }

  /** The round before, with the end that it has now that another one began. */
  #held(before: LastRound | undefined, { at }: Round, startedAt: number): readonly FullRound[] {
    if (before === undefined) return [];
    const { intervalMs } = this.#parts;
    const { round } = before;
    if (startedAt - before.startedAt > STOOD_STILL * intervalMs) return [];
    const until = Math.min(at, round.at + HOLDS * intervalMs);
    return until > round.until ? [{ ...round, until }] : [];
  }
}
