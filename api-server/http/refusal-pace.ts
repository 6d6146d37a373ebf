import type { EventEmitter } from 'node:events';
import { FairQueue } from '../../core/fair-share/fair-queue.ts';
import type { Share } from '../../core/fair-share/share.ts';
import { bucketRate, type RateLimit } from '../../core/rate-limit/rate.ts';
import { TokenBucket } from '../../core/rate-limit/token-bucket.ts';

interface RefusalPaceOptions {
  /** Monotonic ms. */
  readonly now: () => number;
  /** Calls back once after that time, ms; default `setTimeout`. */
  readonly after?: (ms: number, callback: () => void) => void;
}

/**
 * The pace at which a process sends refusals. A caller that is refused and comes back at once would fill the event loop
 * with refusals, and all others would wait. Its next request comes after its answer, so an answer that waits slows it down.
 *
 * A few refusals are sent at once. Of more than the rate, the answers wait and take turns by tenant and key, so the refusal
 * of another caller is among the next. Each connection has at most one answer that waits: the bounds on connections are
 * the bound of this queue.
 */
export class RefusalPace {
  readonly #now: () => number;
  readonly #after: (ms: number, callback: () => void) => void;
  readonly #waiting = new FairQueue<() => void>();
  /** Undefined: no refusal waits. */
  readonly #bucket: TokenBucket | undefined;
  #isTimed = false;

  constructor(rate: RateLimit, { now, after = (ms, callback) => void setTimeout(callback, ms) }: RefusalPaceOptions) {
    this.#now = now;
    this.#after = after;
    this.#bucket = rate === 'none' ? undefined : new TokenBucket({ ...bucketRate(rate), now: now() });
  }

  /** Refusals that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Calls `send` at once or later. @param response after its `close` nothing is sent */
  take(share: Share, response: Pick<EventEmitter, 'once'>, send: () => void): void {
    if (this.#bucket === undefined) send();
    else if (this.#waiting.size === 0 && this.#bucket.take(this.#now())) send();
    else {
      response.once('close', this.#waiting.push(share, send));
      this.#wait(this.#bucket);
    }
  }

  #wait(bucket: TokenBucket): void {
    if (this.#isTimed || this.#waiting.size === 0) return;
    this.#isTimed = true;
    this.#after(Math.ceil(bucket.msUntil(1, this.#now())), () => {
      this.#isTimed = false;
      const now = this.#now();
      while (this.#waiting.size > 0 && bucket.take(now)) this.#waiting.shift()?.();
      this.#wait(bucket);
    });
  }
}
