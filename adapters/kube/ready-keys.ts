import type { Lane } from './port.ts';

/** Lanes of the port, and the one of keys that failed too often. */
export type ReadyLane = Lane | 'poison';

/** A key that may run now. */
interface Ready {
  readonly key: string;
  readonly lane: ReadyLane;
  /** Monotonic ms of the first add, whatever lane it went through. */
  readonly addedAt: number;
  /** Monotonic ms when it came into this lane. */
  readonly since: number;
  /** It left for another lane; skipped when the front reaches it. */
  moved: boolean;
}

const FIRST_TO_LAST = ['high', 'normal', 'low', 'poison'] as const satisfies readonly ReadyLane[];
const LAST_TO_FIRST = FIRST_TO_LAST.toReversed();
const RANK = { high: 3, normal: 2, low: 1, poison: 0 } as const satisfies Record<ReadyLane, number>;
const ABOVE = { normal: 'high', low: 'normal' } as const;
const AGES_MS = 30_000;
const FAIR_TURN = 8;
/** Spent places at the front of an array are given back from so many on. */
const SPENT = 1024;

/** The higher of two lanes: a re-add can only raise. */
export const higherLane = (one: Lane, other: Lane | undefined): Lane =>
  other !== undefined && RANK[other] > RANK[one] ? other : one;

/** First in, first out, with holes. */
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
 * Keys that may run, in lanes (operator.md A6). The highest lane goes first, but every 8th turn is the lowest one's, and a key
 * that waited 30 s in its lane goes one up: no lane starves another.
 */
export class ReadyKeys {
  readonly #lines = { high: new Line(), normal: new Line(), low: new Line(), poison: new Line() };
  readonly #depths: Record<ReadyLane, number> = { high: 0, normal: 0, low: 0, poison: 0 };
  readonly #byKey = new Map<string, Ready>();
  #turn = 0;

  /** @returns false when it was there; it may have gone to a higher lane */
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

  /** Monotonic ms of the oldest first add; undefined when nothing waits. O(n): for a scrape. */
  oldest(): number | undefined {
    let oldest: number | undefined;
    for (const { addedAt } of this.#byKey.values()) if (oldest === undefined || addedAt < oldest) oldest = addedAt;
    return oldest;
  }

  /** @param poison may the next one be of the poison lane? */
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

  /** Lines are in order of `since`, so those that are old enough stand in front. */
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
