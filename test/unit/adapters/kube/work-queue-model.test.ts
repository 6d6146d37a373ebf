import { expect } from 'chai';
import type { Lane, WorkQueue } from '../../../../adapters/kube/port.ts';
import { createWorkQueue } from '../../../../adapters/kube/work-queue.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';
import { recordMetrics } from '../../../support/kube/runtime-recorders.ts';
import { seeded } from '../../../support/seeded.ts';

const runs = Number(process.env['ORB_PROPERTY_RUNS'] ?? '200');
/** 10 000 runs are the 10⁶ operations of reliability.md R22. */
const OPERATIONS = runs * 100;
const timeoutMs = runs > 200 ? 1_800_000 : 20_000;
const seed = Number(process.env['ORB_SEED'] ?? String(Date.now() % 1_000_000));

/** A fake timer rings at whole milliseconds, and sums of fractions are not exact. */
const LATE_MS = 1.5;
const EARLY_MS = 0.001;
const POISON = 10;
const LANES = ['urgent', 'high', 'normal', 'low'] as const satisfies readonly Lane[];
/** Kinds of runs. In the hurried one most keys fail once or twice, and the limit for all retries is reached. */
const PACES = [
  { keys: 12, steps: [0, 1, 3, 10, 100, 1000, 40_000] },
  { keys: 500, steps: [0, 1, 3, 20] },
];
const WORKERS = 4;

/** What must hold for one key, written down without queues, heaps or lanes. */
interface ModelKey {
  ready: boolean;
  /** It was given to the poison lane: it had failed that often when it became ready. */
  poison: boolean;
  inWork: boolean;
  again: boolean;
  /** Monotonic ms; undefined: not delayed. */
  dueAt: number | undefined;
  failures: number;
}

/** The rules of operator.md A6 for a set of keys. */
class Model {
  readonly keys = new Map<string, ModelKey>();
  /** Theoretical arrival time of the shared limit: GCRA, another algorithm with the same answers as a bucket. */
  #arrival = 0;

  of(key: string): ModelKey {
    const known = this.keys.get(key);
    if (known !== undefined) return known;
    const made = { ready: false, poison: false, inWork: false, again: false, dueAt: undefined, failures: 0 };
    this.keys.set(key, made);
    return made;
  }

  add(key: string, afterMs: number, now: number): void {
    const one = this.of(key);
    if (afterMs > 0) {
      if (!one.ready && !one.again) one.dueAt = Math.min(one.dueAt ?? Infinity, now + afterMs);
      return;
    }
    one.dueAt = undefined;
    if (one.inWork) one.again = true;
    else this.#makeReady(one);
  }

  retry(key: string, now: number): void {
    const one = this.of(key);
    const backOff = Math.min(5 * 2 ** one.failures, 1_000_000);
    one.failures += 1;
    this.#arrival = Math.max(this.#arrival, now) + 100;
    this.add(key, Math.max(backOff, this.#arrival - 100 * 100 - now), now);
  }

  done(key: string): void {
    const one = this.of(key);
    one.inWork = false;
    if (!one.again) return;
    one.again = false;
    this.#makeReady(one);
  }

  tick(now: number): void {
    for (const one of this.keys.values()) {
      if (one.dueAt === undefined || one.dueAt + LATE_MS > now) continue;
      this.due(one);
    }
  }

  due(one: ModelKey): void {
    one.dueAt = undefined;
    if (one.inWork) one.again = true;
    else this.#makeReady(one);
  }

  get poisonInWork(): boolean {
    return [...this.keys.values()].some(({ inWork, poison }) => inWork && poison);
  }

  #makeReady(one: ModelKey): void {
    if (!one.ready) one.poison = one.failures >= POISON;
    one.ready = true;
  }
}

class Run {
  readonly #clock = createFakeClock(0);
  readonly #queue: WorkQueue = createWorkQueue({ name: 'q', clock: this.#clock, metrics: recordMetrics().metrics });
  readonly #model = new Model();
  readonly #random: () => number;
  readonly #inWork: string[] = [];
  readonly #pace: { readonly keys: number; readonly steps: readonly number[] };
  taken = 0;

  constructor(start: number) {
    this.#random = seeded(start);
    this.#pace = PACES[start % PACES.length] ?? { keys: 1, steps: [] };
  }

  async step(): Promise<void> {
    const pick = this.#random();
    if (pick < 0.25) this.#add();
    else if (pick < 0.55) await this.#take();
    else if (pick < 0.85) this.#end();
    else await this.#wait(this.#oneOf(this.#pace.steps) ?? 0);
  }

  /** Every key that was added and not taken must still come, and no other. */
  async finish(): Promise<void> {
    while (this.#inWork.length > 0) this.#end();
    for (let n = 0; n < 8; n += 1) {
      await this.#wait(300_000);
      while (await this.#take()) this.#done();
    }
    for (const [key, one] of this.#model.keys) {
      expect({ key, ready: one.ready, dueAt: one.dueAt }).to.deep.equal({ key, ready: false, dueAt: undefined });
    }
    expect(this.#queue.length()).to.equal(0);
  }

  #oneOf<T>(choices: readonly T[]): T | undefined {
    return choices[Math.floor(this.#random() * choices.length)];
  }

  #key(): string {
    return `key-${Math.floor(this.#random() * this.#pace.keys)}`;
  }

  #add(): void {
    const key = this.#key();
    const lane = this.#oneOf(LANES) ?? 'normal';
    const afterMs = this.#random() < 0.5 ? 0 : Math.ceil(this.#random() * 2000);
    this.#settle(key);
    this.#queue.add(key, { lane, afterMs });
    this.#model.add(key, afterMs, this.#clock.monotonic());
  }

  /** A key about to be due is due in both or in neither before something else happens to it. */
  #settle(key: string): void {
    const one = this.#model.of(key);
    const now = this.#clock.monotonic();
    if (one.dueAt !== undefined && one.dueAt - EARLY_MS <= now) this.#model.due(one);
  }

  async #take(): Promise<boolean> {
    if (this.#inWork.length >= WORKERS) return false;
    const leave = new AbortController();
    const next = this.#queue.get(leave.signal);
    leave.abort();
    const key = await next;
    if (key === undefined) {
      const forgotten = [...this.#model.keys].filter(
        ([, { ready, poison }]) => ready && !(poison && this.#model.poisonInWork),
      );
      expect(forgotten, 'keys that may run and are not given').to.deep.equal([]);
      return false;
    }
    this.#settle(key);
    const one = this.#model.of(key);
    expect({ key, ready: one.ready, inWork: one.inWork }).to.deep.equal({ key, ready: true, inWork: false });
    expect(one.poison && this.#model.poisonInWork, 'two poison keys in work').to.equal(false);
    Object.assign(one, { ready: false, inWork: true });
    this.#inWork.push(key);
    this.taken += 1;
    return true;
  }

  /** One of the keys in work ends, in one of the ways of a controller. */
  #end(): void {
    const key = this.#inWork[0];
    if (key === undefined) return;
    const now = this.#clock.monotonic();
    this.#settle(key);
    const pick = this.#random();
    if (pick < 0.4) {
      this.#queue.addRateLimited(key);
      this.#model.retry(key, now);
    } else if (pick < 0.6) {
      this.#queue.forget(key);
      this.#model.of(key).failures = 0;
    } else if (pick < 0.7) {
      this.#queue.add(key, { afterMs: 700 });
      this.#model.add(key, 700, now);
    }
    this.#done();
  }

  #done(): void {
    const key = this.#inWork.shift();
    if (key === undefined) return;
    this.#settle(key);
    this.#queue.done(key);
    this.#model.done(key);
    expect(this.#queue.failures(key)).to.equal(this.#model.of(key).failures);
  }

  async #wait(ms: number): Promise<void> {
    await this.#clock.advance(ms);
    this.#model.tick(this.#clock.monotonic());
  }
}

describe('createWorkQueue against a model', () => {
  it(`loses no key and never gives one to two workers in ${OPERATIONS} operations (ORB_SEED=${seed})`, async () => {
    const perRun = 2000;
    let taken = 0;
    for (let n = 0; n * perRun < OPERATIONS; n += 1) {
      const run = new Run(seed + n);
      for (let step = 0; step < perRun; step += 1) await run.step();
      await run.finish();
      taken += run.taken;
    }
    expect(taken).to.be.greaterThan(OPERATIONS / 10);
  }).timeout(timeoutMs);
});
