import type { Lane } from './port.ts';

/** Lanes of the port, and the lane of keys that failed too often. */
export type ReadyLane = Lane | 'poison';

/** A key that may run now. */
interface Ready {
  readonly key: string;
  readonly lane: ReadyLane;
  /** Monotonic ms of the first add, whatever lane the key has been in since. */
  readonly addedAt: number;
  /** Monotonic ms when the key came into this lane. */
  readonly since: number;
  /** The key was moved to another lane; this item is skipped when it reaches the front. */
  moved: boolean;
}

const FIRST_TO_LAST = ['urgent', 'high', 'normal', 'low', 'poison'] as const satisfies readonly ReadyLane[];
const LAST_TO_FIRST = FIRST_TO_LAST.toReversed();
const RANK = { urgent: 4, high: 3, normal: 2, low: 1, poison: 0 } as const satisfies Record<ReadyLane, number>;
const ABOVE = { normal: 'high', low: 'normal' } as const;
const AGES_MS = 30_000;
const FAIR_TURN = 8;
/** From this number on, empty places at the front of the array are freed. */
const SPENT = 1024;

/** The higher of two lanes: a re-add can only raise. */
export const higherLane = (one: Lane, other: Lane | undefined): Lane =>
  other !== undefined && RANK[other] > RANK[one] ? other : one;

/** First in, first out. Items that moved to another lane stay as gaps until they reach the front. */
class Line {
  #items: (Ready | undefined)[] = [];
  #front = 0;

  push(item: Ready): void {
    this.#items.push(item);
  }

  first(): Ready | undefined {
    while (this.#items[this.#front]?.moved === true) this.#drop();
    return this.#items[this.#front];
  }

  shift(): Ready | undefined {
    const item = this.first();
    if (item !== undefined) this.#drop();
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#front = 0;
  }

  #drop(): void {
    this.#items[this.#front] = undefined;
    this.#front += 1;
    if (this.#front < SPENT || this.#front * 2 < this.#items.length) return;
    this.#items = this.#items.slice(this.#front);
    this.#front = 0;
  }
}

/**
 * Keys that may run, in lanes (operator.md A6). The highest lane goes first, but every 8th turn is the lowest lane's. A
 * key that waited 30 s in its lane moves up a lane: no lane starves another.
 */
export class ReadyKeys {
  readonly #lines: Record<ReadyLane, Line> = {
    urgent: new Line(),
    high: new Line(),
    normal: new Line(),
    low: new Line(),
    poison: new Line(),
  };
  readonly #depths: Record<ReadyLane, number> = { urgent: 0, high: 0, normal: 0, low: 0, poison: 0 };
  readonly #byKey = new Map<string, Ready>();
  #turn = 0;

  /** @returns false when the key was there already; it may have moved to a higher lane */
  add(key: string, lane: ReadyLane, { now, addedAt }: { readonly now: number; readonly addedAt: number }): boolean {
    const known = this.#byKey.get(key);
    if (known === undefined) {
      this.#push({ key, lane, addedAt, since: now, moved: false });
      return true;
    }
    if (known.lane !== 'poison' && RANK[lane] > RANK[known.lane]) this.#move(known, lane, now);
    return false;
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  get size(): number {
    return this.#byKey.size;
  }

  get depths(): Readonly<Record<ReadyLane, number>> {
    return this.#depths;
  }

  /** Monotonic ms of the oldest first add; undefined when no key waits. O(n): for a scrape. */
  oldest(): number | undefined {
    let oldest: number | undefined;
    for (const { addedAt } of this.#byKey.values()) if (oldest === undefined || addedAt < oldest) oldest = addedAt;
    return oldest;
  }

  /** @param poison whether a key of the poison lane may be taken */
  take(now: number, poison: boolean): Ready | undefined {
    this.#age('normal', now);
    this.#age('low', now);
    const fair = (this.#turn + 1) % FAIR_TURN === 0;
    for (const lane of fair ? LAST_TO_FIRST : FIRST_TO_LAST) {
      const next = lane === 'poison' && !poison ? undefined : this.#lines[lane].shift();
      if (next === undefined) continue;
      this.#turn += 1;
      this.#depths[lane] -= 1;
      this.#byKey.delete(next.key);
      return next;
    }
    return undefined;
  }

  clear(): void {
    for (const lane of FIRST_TO_LAST) {
      this.#lines[lane].clear();
      this.#depths[lane] = 0;
    }
    this.#byKey.clear();
  }

  /** Lines are in order of `since`, so the oldest keys are at the front. */
  #age(lane: keyof typeof ABOVE, now: number): void {
    for (let first = this.#lines[lane].first(); first !== undefined; first = this.#lines[lane].first()) {
      if (now - first.since < AGES_MS) return;
      this.#move(first, ABOVE[lane], now);
    }
  }

  #move(item: Ready, lane: ReadyLane, now: number): void {
    item.moved = true;
    this.#depths[item.lane] -= 1;
    this.#push({ ...item, lane, since: now, moved: false });
  }

  #push(item: Ready): void {
    this.#lines[item.lane].push(item);
    this.#depths[item.lane] += 1;
    this.#byKey.set(item.key, item);
  }
}
