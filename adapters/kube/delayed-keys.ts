import type { Clock } from '../time/clock.ts';
import { Alarm } from './alarm.ts';
import type { Lane } from './port.ts';

/** A key that waits for its time. `index` is its place in the heap; only the heap sets it. */
interface Delayed {
  readonly key: string;
  readonly lane: Lane;
  /** Monotonic ms. */
  readonly at: number;
  index: number;
}

/**
 * Keys with a time, at most one time each: a binary heap and one timer for its top (operator.md A6). Entries know their
 * place, so a cancelled entry is removed at once. Otherwise the entries of a key that is added every second would pile
 * up until their time.
 */
export class DelayedKeys {
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly #alarm: Alarm;
  readonly #due: (key: string, lane: Lane) => void;
  readonly #byKey = new Map<string, Delayed>();
  readonly #heap: Delayed[] = [];

  /** @param due is given a key whose time has come, after the key was removed here */
  constructor(clock: Pick<Clock, 'monotonic' | 'sleep'>, due: (key: string, lane: Lane) => void) {
    this.#clock = clock;
    this.#due = due;
    this.#alarm = new Alarm(clock, () => this.#release());
  }

  /** The earliest time wins. */
  add(key: string, lane: Lane, at: number): void {
    const known = this.#byKey.get(key);
    if (known !== undefined) this.#remove(known);
    const entry = { key, lane, at: Math.min(at, known?.at ?? at), index: this.#heap.length };
    this.#byKey.set(key, entry);
    this.#heap.push(entry);
    this.#up(entry);
    this.#alarm.noLaterThan(entry.at);
  }

  /** @returns the lane that the key was to go to; undefined when it was not delayed */
  cancel(key: string): Lane | undefined {
    const known = this.#byKey.get(key);
    if (known !== undefined) this.#remove(known);
    return known?.lane;
  }

  laneOf(key: string): Lane | undefined {
    return this.#byKey.get(key)?.lane;
  }

  clear(): void {
    this.#byKey.clear();
    this.#heap.length = 0;
    this.#alarm.clear();
  }

  #release(): void {
    const now = this.#clock.monotonic();
    for (let [top] = this.#heap; top !== undefined && top.at <= now; [top] = this.#heap) {
      this.#remove(top);
      this.#due(top.key, top.lane);
    }
    const [next] = this.#heap;
    if (next !== undefined) this.#alarm.noLaterThan(next.at);
  }

  #remove(entry: Delayed): void {
    this.#byKey.delete(entry.key);
    const last = this.#heap.pop();
    if (last === undefined || last === entry) return;
    this.#put(last, entry.index);
    this.#up(last);
    this.#down(last);
  }

  #put(entry: Delayed, index: number): void {
    this.#heap[index] = entry;
    entry.index = index;
  }

  #up(entry: Delayed): void {
    for (;;) {
      const parent = this.#heap[(entry.index - 1) >> 1];
      if (parent === undefined || parent.at <= entry.at) return;
      const { index } = parent;
      this.#put(parent, entry.index);
      this.#put(entry, index);
    }
  }

  #down(entry: Delayed): void {
    for (;;) {
      const child = this.#earlierChild(entry.index);
      if (child === undefined || child.at >= entry.at) return;
      const { index } = child;
      this.#put(child, entry.index);
      this.#put(entry, index);
    }
  }

  #earlierChild(index: number): Delayed | undefined {
    const left = this.#heap[2 * index + 1];
    const right = this.#heap[2 * index + 2];
    return left !== undefined && right !== undefined && right.at < left.at ? right : left;
  }
}
