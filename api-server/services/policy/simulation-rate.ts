import type { Clock } from '../../../adapters/time/clock.ts';
import { TokenBucket } from '../../../core/rate-limit/token-bucket.ts';
import { problem } from '../../http/problem.ts';
import type { Reply, RouteRequest } from '../../http/route.ts';

/** Simulations of one caller in a minute, also all at once (policy.md §5). */
const PER_MINUTE = 60;
const MINUTE_MS = 60_000;
/** A longer body counts as several simulations: to compile this much takes up to 60 ms. */
const BYTES_A_SIMULATION = 8192;
/** Callers that are remembered. The one whose last simulation is oldest is forgotten first. */
const MOST_CALLERS = 10_000;

/** For work whose size the body does not say: a stored policy is compiled, or thousands of decisions are read. */
export const STORED_WORK = 8;

/** What is counted together: simulations, or writes of policies with what else takes long. */
type Counted = 'simulate' | 'write policies or read their coverage';

/** Limits how often each caller does something with policies, in this process. */
export class SimulationRate {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #counted: Counted;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(clock: Pick<Clock, 'monotonic'>, counted: Counted = 'simulate') {
    this.#clock = clock;
    this.#counted = counted;
  }

  /** @param least as how many it counts at least @returns undefined: the caller may go on */
  refusal(request: Pick<RouteRequest, 'requestId' | 'caller' | 'body'>, least = 1): Reply | undefined {
    const now = this.#clock.monotonic();
    const bucket = this.#bucket(request.caller?.id ?? '', now);
    const tokens = Math.min(PER_MINUTE, Math.max(least, Math.ceil(request.body.length / BYTES_A_SIMULATION)));
    const waitMs = bucket.msUntil(tokens, now);
    if (waitMs === 0) {
      for (let taken = 0; taken < tokens; taken += 1) bucket.reserve(now);
      return undefined;
    }
    const seconds = Math.max(1, Math.ceil(waitMs / 1000));
    return problem(request, 'rate-limited', {
      detail: `A caller may ${this.#counted} ${PER_MINUTE} times a minute. A body counts once for every ${BYTES_A_SIMULATION} bytes.${least > 1 ? ` This request counts ${least} times.` : ''}`,
      headers: { 'retry-after': String(seconds) },
    });
  }

  #bucket(id: string, now: number): TokenBucket {
    const known = this.#buckets.get(id);
    const bucket = known ?? new TokenBucket({ burst: PER_MINUTE, everyMs: MINUTE_MS / PER_MINUTE, now });
    this.#buckets.delete(id);
    this.#buckets.set(id, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MOST_CALLERS && oldest !== undefined) this.#buckets.delete(oldest);
    return bucket;
  }
}
