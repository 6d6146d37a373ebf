import type { ProviderCounts } from '../telemetry/provider-series.ts';

/** Counters from this moment on, until the next point. */
interface Point {
  /** Monotonic, ms. */
  readonly at: number;
  readonly counts: ProviderCounts;
}

const MINUTE_MS = 60_000;
/** Every sample is kept for the longest window. */
const FINE_MS = 10 * MINUTE_MS;
/** One sample a minute is kept for the baseline: an hour that ended 5 minutes ago. */
const COARSE_MS = 65 * MINUTE_MS;

/** Adds a point. All but the last two are `spacingMs` apart, and the newest is always kept. */
function push(points: Point[], point: Point, spacingMs: number): void {
  const last = points.at(-1);
  const before = points.at(-2);
  if (last !== undefined && before !== undefined && last.at - before.at < spacingMs) points.pop();
  points.push(point);
}

const newestAt = (points: readonly Point[], at: number): Point | undefined =>
  points.findLast((point) => point.at <= at);

/**
 * Counters of one provider over 65 minutes, in at most about 200 points. All samples of the last 10 minutes are kept,
 * and before that one a minute. An unchanged counter takes no point, so an idle provider needs one point.
 */
export class CounterHistory {
  readonly #sampleMs: number;
  readonly #fine: Point[] = [];
  readonly #coarse: Point[] = [];

  /** @param sampleMs of samples that are closer to each other than this, only one is kept */
  constructor(sampleMs: number) {
    this.#sampleMs = sampleMs;
  }

  /** @param at monotonic ms, never before the last one */
  add(at: number, counts: ProviderCounts): void {
    const last = this.#fine.at(-1)?.counts;
    const same =
      last?.traffic === counts.traffic &&
      last.probe === counts.probe &&
      last.transportErrors === counts.transportErrors;
    if (same) return;
    push(this.#fine, { at, counts }, this.#sampleMs);
    this.#thin(at);
  }

  /**
   * Counters at the start and at the end of a window. When the provider is younger than the window, the start is its
   * first sample.
   * @returns undefined when the window ended before the first sample
   */
  between(from: number, to: number): { readonly start: ProviderCounts; readonly end: ProviderCounts } | undefined {
    const end = this.#at(to);
    if (end === undefined) return undefined;
    const start = this.#at(from) ?? this.#coarse[0] ?? this.#fine[0] ?? end;
    return { start: start.counts, end: end.counts };
  }

  #at(at: number): Point | undefined {
    return newestAt(this.#fine, at) ?? newestAt(this.#coarse, at);
  }

  /** Keeps the newest point that is older than each span: it holds the counters at the start of the span. */
  #thin(now: number): void {
    for (let next = this.#fine[1]; next !== undefined && next.at <= now - FINE_MS; next = this.#fine[1]) {
      const left = this.#fine.shift();
      if (left !== undefined) push(this.#coarse, left, MINUTE_MS);
    }
    while ((this.#coarse[1]?.at ?? now) <= now - COARSE_MS) this.#coarse.shift();
  }
}
