import type { Maintenance } from '../../core/status/maintenance.ts';
import type { KeptRound, KeptService, NewStretch, TakenRound } from '../../core/status/rounds.ts';
import {
  forEachService,
  SERVICES,
  type Service,
  type ServiceState,
  type ServiceStates,
} from '../../core/status/service.ts';
import type { StateInterval } from '../../core/status/timeline.ts';

const DAY_MS = 86_400_000;

/** Days of intervals in memory: as many as `GET /status/days` shows. */
export const REMEMBERED_MS = 91 * DAY_MS;

/** Rounds of a service whose repeats are known. A prober repeats what its last request told, at most 120 rounds. */
const MAX_ROUNDS = 256;

/** Time between rounds, ms: what the documents promise for a cluster, and the bounds of what a prober may choose. */
const PACE_MS = { usual: 30_000, least: 10_000, most: 300_000 };

/** A round holds for so many times the time between rounds when no other one follows. */
const HOLDS = 1.5;

/** After so many times the time between rounds without one, nobody knows the state. */
const STALE = 3;

interface Remembered {
  /** In order, without overlaps. */
  readonly intervals: StateInterval[];
  readonly rounds: Map<number, KeptRound>;
  /** Beginning of the last round; before the first round of this process, the end of the last interval. */
  lastAt: number;
}

const MAX_WINDOWS = 1000;

/** What is known of the last 90 days, kept by the ledger and read once: the pages are made of it, without a read. */
export class StatusMemory {
  readonly #services: Readonly<Record<Service, Remembered>> = forEachService(() => ({
    intervals: [],
    rounds: new Map<number, KeptRound>(),
    lastAt: -Infinity,
  }));
  #windows: readonly Maintenance[] = [];
  #paceMs: number;
  #version = 0;

  /** @param paceMs time between the first rounds; later it is what the rounds show */
  constructor(paceMs: number = PACE_MS.usual) {
    this.#paceMs = paceMs;
  }

  /** Changes with everything that is remembered. */
  get version(): number {
    return this.#version;
  }

  get windows(): readonly Maintenance[] {
    return this.#windows;
  }

  setWindows(windows: readonly Maintenance[]): void {
    this.#windows = windows.toSorted((one, other) => one.from - other.from).slice(-MAX_WINDOWS);
    this.#version += 1;
  }

  /** What the next round of a service has to fit to. */
  kept(service: Service): KeptService {
    const { intervals, rounds } = this.#services[service];
    return { end: intervals.at(-1)?.to ?? -Infinity, rounds };
  }

  /** Adds stretches in order of time, and the rounds that they are of. */
  add(stretches: readonly NewStretch[], rounds: readonly TakenRound[] = []): void {
    for (const { service, ...interval } of stretches) {
      this.#addInterval(this.#services[service], interval);
      if (rounds.length === 0) this.#services[service].lastAt = interval.to;
    }
    for (const { service, at, until, state, isNew } of rounds) {
      const remembered = this.#services[service];
      if (isNew) this.#observePace(at - remembered.lastAt);
      remembered.rounds.set(at, { at, until, state });
      remembered.lastAt = at;
      const [oldest] = remembered.rounds.size > MAX_ROUNDS ? remembered.rounds.keys() : [];
      if (oldest !== undefined) remembered.rounds.delete(oldest);
    }
    this.#version += 1;
  }

  /** Puts older stretches in front of those that are known; what is known wins. @param stretches in order */
  prepend(stretches: readonly NewStretch[]): void {
    for (const service of SERVICES) {
      const { intervals } = this.#services[service];
      const first = intervals[0]?.from ?? Infinity;
      const older = stretches
        .filter((stretch) => stretch.service === service && stretch.from < first)
        .map(({ service: _service, ...interval }) => ({ ...interval, to: Math.min(interval.to, first) }));
      intervals.unshift(...older);
      const last = intervals.at(-1);
      const remembered = this.#services[service];
      if (last !== undefined && remembered.lastAt === -Infinity) remembered.lastAt = last.to;
    }
    this.#version += 1;
  }

  #addInterval(remembered: Remembered, interval: StateInterval): void {
    const { intervals } = remembered;
    const last = intervals.at(-1);
    const isSame = last?.to === interval.from && last.state === interval.state && last.announced === interval.announced;
    if (isSame) intervals[intervals.length - 1] = { ...last, to: interval.to };
    else intervals.push(interval);
    while ((intervals[0]?.to ?? Infinity) < interval.to - REMEMBERED_MS) intervals.shift();
  }

  /** Two rounds that follow each other show how often the prober looks. */
  #observePace(betweenMs: number): void {
    if (betweenMs > 0 && betweenMs <= PACE_MS.most * HOLDS)
      this.#paceMs = Math.min(PACE_MS.most, Math.max(PACE_MS.least, betweenMs));
  }

  /** Intervals of a service in order; the last round holds on for a while. */
  intervals(service: Service, now: number): readonly StateInterval[] {
    const { intervals, lastAt } = this.#services[service];
    const last = intervals.at(-1);
    if (last === undefined) return [];
    const heldTo = Math.min(now, lastAt + HOLDS * this.#paceMs);
    return heldTo > last.to ? [...intervals.slice(0, -1), { ...last, to: Math.floor(heldTo) }] : intervals;
  }

  /** State of each service now; `unknown` where the last round is too old. */
  states(now: number): ServiceStates {
    return forEachService((service): ServiceState => {
      const { intervals, lastAt } = this.#services[service];
      const isStale = now - lastAt > STALE * this.#paceMs;
      return isStale ? 'unknown' : (intervals.at(-1)?.state ?? 'unknown');
    });
  }

  /** End of the last round, ms since epoch; null: there is none. */
  lastEnd(): number | null {
    const ends = SERVICES.map((service) => this.#services[service].intervals.at(-1)?.to ?? -Infinity);
    const last = Math.max(...ends);
    return Number.isFinite(last) ? last : null;
  }

  /** Windows that ended less than so long ago, or that are still to come; by their beginning. */
  windowsSince(since: number): readonly Maintenance[] {
    return this.#windows.filter(({ to }) => to >= since);
  }
}
