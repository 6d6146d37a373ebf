import type { Clock } from '../../adapters/time/clock.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import type { PublicIncident } from './public-incident.ts';
import { daysPage, maintenanceJson, statusPage, type StatusPage } from './status-body.ts';
import { REMEMBERED_MS, type StatusMemory } from './status-memory.ts';

/** A page is made again after so long, ms: time alone changes uptime, coverage, and what is too old. */
const FRESH_MS = 5000;

const LISTED_MS = 90 * 86_400_000;

/** What there is to say while nothing is known. */
export type WhenEmpty = 'first-round' | 'nobody';

export interface PagesParts {
  readonly memory: StatusMemory;
  /** Newest first. */
  readonly incidents: () => readonly PublicIncident[];
  /** Differs when memory or incidents differ. */
  readonly version: () => string;
  readonly clock: Pick<Clock, 'now'>;
  readonly whenEmpty: WhenEmpty;
}

interface Made<Page> {
  readonly version: string;
  readonly at: number;
  readonly page: Page;
}

/** The public pages of the status. They are made of memory alone, and kept for a few seconds. */
export class StatusPages {
  readonly #parts: PagesParts;
  #current: Made<StatusPage> | undefined;
  readonly #days = new Map<number, Made<JsonObject>>();

  constructor(parts: PagesParts) {
    this.#parts = parts;
  }

  get whenEmpty(): WhenEmpty {
    return this.#parts.whenEmpty;
  }

  #keep<Page>(known: Made<Page> | undefined, make: (now: number) => Page): Made<Page> {
    const { clock, version } = this.#parts;
    const now = clock.now();
    const current = version();
    const isFresh = known?.version === current && now >= known.at && now - known.at < FRESH_MS;
    return isFresh ? known : { version: current, at: now, page: make(now) };
  }

  #facts(): { readonly memory: StatusMemory; readonly incidents: readonly PublicIncident[] } {
    return { memory: this.#parts.memory, incidents: this.#parts.incidents() };
  }

  /** `GET /status`; null: nothing was measured. */
  current(): StatusPage {
    this.#current = this.#keep(this.#current, (now) => statusPage(this.#facts(), now));
    return this.#current.page;
  }

  /** `GET /status/days`. @param count 1 to 90 */
  days(count: number): JsonObject {
    const made = this.#keep(this.#days.get(count), (now) => daysPage(this.#facts(), now, count));
    this.#days.set(count, made);
    return made.page;
  }

  /** `GET /status/maintenance`: windows of the last 90 days and those to come, by their beginning. */
  maintenance(): readonly JsonObject[] {
    const since = this.#parts.clock.now() - Math.min(LISTED_MS, REMEMBERED_MS);
    return this.#parts.memory.windowsSince(since).map(maintenanceJson);
  }
}
