import type { ServiceState } from './service.ts';

/** A stretch of time, integer milliseconds, half open: `from` belongs to it and `to` does not. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A stretch in which a service had one state. */
export interface StateInterval extends Stretch {
  readonly state: ServiceState;
  /** Whether maintenance was announced at least 24 h ahead; of no meaning for the other states. */
  readonly announced: boolean;
}

/** What an instant counts as, the worst first. */
export const STANDINGS = ['major', 'partial', 'unknown', 'maintenance', 'degraded', 'up'] as const;

export type Standing = (typeof STANDINGS)[number];

export interface Segment extends Stretch {
  readonly standing: Standing;
}

const STANDING_OF: Readonly<Record<Exclude<ServiceState, 'under_maintenance'>, Standing>> = {
  operational: 'up',
  degraded_performance: 'degraded',
  unknown: 'unknown',
  partial_outage: 'partial',
  major_outage: 'major',
};

const standingOf = ({ state, announced }: StateInterval): Standing => {
  if (state !== 'under_maintenance') return STANDING_OF[state];
  return announced ? 'maintenance' : 'major'; // nobody could prepare for it
};

interface Edge {
  readonly at: number;
  readonly rank: number;
  readonly change: 1 | -1;
}

function edgesOf(segments: readonly Segment[], window: Stretch): readonly Edge[] {
  const edges = segments.flatMap(({ from, to, standing }): readonly Edge[] => {
    const [start, end] = [Math.max(from, window.from), Math.min(to, window.to)];
    if (start >= end) return [];
    const rank = STANDINGS.indexOf(standing);
    return [
      { at: start, rank, change: 1 },
      { at: end, rank, change: -1 },
    ];
  });
  return edges.toSorted((one, other) => one.at - other.at);
}

/** Standings that hold at one instant, counted. */
class Counter {
  readonly #counts = STANDINGS.map(() => 0);

  add({ rank, change }: Edge): void {
    this.#counts[rank] = (this.#counts[rank] ?? 0) + change;
  }

  worst(): Standing {
    return STANDINGS[this.#counts.findIndex((count) => count > 0)] ?? 'unknown';
  }
}

/** Builds a timeline from left to right; neighbours of one standing become one segment. */
class Timeline {
  readonly segments: Segment[] = [];
  #at: number;

  constructor(from: number) {
    this.#at = from;
  }

  until(to: number, standing: Standing): void {
    if (to <= this.#at) return;
    const last = this.segments.at(-1);
    if (last?.standing === standing) this.segments[this.segments.length - 1] = { ...last, to };
    else this.segments.push({ from: this.#at, to, standing });
    this.#at = to;
  }
}

/** The worst standing of each instant of the window; `unknown` where no segment is. */
function worstOf(segments: readonly Segment[], window: Stretch): readonly Segment[] {
  const [timeline, counter] = [new Timeline(window.from), new Counter()];
  for (const edge of edgesOf(segments, window)) {
    timeline.until(edge.at, counter.worst());
    counter.add(edge);
  }
  timeline.until(window.to, 'unknown');
  return timeline.segments;
}

/**
 * What each instant of a window counts as for one service. Where intervals overlap, the worst counts; without an interval
 * it is `unknown`.
 * @returns segments that follow each other without a gap and fill the window, at most two for each interval and one more
 */
export const timelineOf = (intervals: readonly StateInterval[], window: Stretch): readonly Segment[] =>
  worstOf(
    intervals.map((interval) => ({ from: interval.from, to: interval.to, standing: standingOf(interval) })),
    window,
  );

/**
 * The worst standing of several services at each instant, so that outages that overlap count once.
 * @param timelines one or more, each of which fills the window
 */
export const combineTimelines = (timelines: readonly (readonly Segment[])[], window: Stretch): readonly Segment[] =>
  worstOf(timelines.flat(), window);
