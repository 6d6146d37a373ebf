import { FIRST_STEP, type StepMemory } from '../../core/failover/step.ts';
import type { FailoverLook } from '../../core/orb/plan-failover.ts';
import type { OrbKey } from './orb-gauges.ts';

/** One object, and what it is called. */
export interface EvaluatedOrb extends OrbKey {
  /** An Orb that is made again under its name begins anew. */
  readonly uid: string;
}

interface Entry {
  readonly orb: EvaluatedOrb;
  memory: StepMemory;
  /** Monotonic ms; undefined: it was only swapped by hand. */
  evaluatedAt: number | undefined;
  /** What its next reconcile decides on. */
  look: FailoverLook | undefined;
}

const isSame = (one: EvaluatedOrb, other: EvaluatedOrb): boolean => one.uid === other.uid && one.orbId === other.orbId;

/**
 * What a leader remembers of each Orb between two ticks, by key of the object. Written by the tick and by the reconcile of the
 * key; neither waits for anything between reading and writing.
 */
export class EvaluatedOrbs {
  readonly #entries = new Map<string, Entry>();
  readonly #onGone: (orb: OrbKey) => void;

  /** @param onGone its figures are to be shown no longer */
  constructor(onGone: (orb: OrbKey) => void) {
    this.#onGone = onGone;
  }

  /** Streaks of another object, or of another id, are not its own. */
  #entry(key: string, orb: EvaluatedOrb): Entry {
    const known = this.#entries.get(key);
    if (known !== undefined && isSame(known.orb, orb)) return known;
    this.forget(key);
    const entry: Entry = { orb, memory: FIRST_STEP, evaluatedAt: undefined, look: undefined };
    this.#entries.set(key, entry);
    return entry;
  }

  /** Whether an evaluation is due, which then counts as made. @param everyMs 0 … 5 min, a tick less half of one */
  begin(key: string, orb: EvaluatedOrb, { now, everyMs }: { readonly now: number; readonly everyMs: number }): boolean {
    const entry = this.#entry(key, orb);
    if (entry.evaluatedAt !== undefined && now - entry.evaluatedAt < everyMs) return false;
    entry.evaluatedAt = now;
    return true;
  }

  memoryOf(key: string, orb: EvaluatedOrb): StepMemory {
    return this.#entry(key, orb).memory;
  }

  /** The step has happened: there was nothing to write, or it was written. */
  remember(key: string, orb: EvaluatedOrb, memory: StepMemory): void {
    this.#entry(key, orb).memory = memory;
  }

  /** A look that comes to a write: the reconcile of the key decides on it. */
  leave(key: string, orb: EvaluatedOrb, look: FailoverLook): void {
    this.#entry(key, orb).look = look;
  }

  /** The look that was left, once: a decision that could not be written is dropped with it. */
  take(key: string, orb: EvaluatedOrb): FailoverLook | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || !isSame(entry.orb, orb)) return undefined;
    const { look } = entry;
    entry.look = undefined;
    return look;
  }

  /** It was swapped without a look: streaks of the provider before are not those of this one. */
  startOver(key: string, orb: EvaluatedOrb): void {
    const entry = this.#entry(key, orb);
    entry.memory = { ...entry.memory, rules: FIRST_STEP.rules };
  }

  /** The object is gone. */
  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#onGone(entry.orb);
  }

  /** Drops those that are not evaluated any more: without `swap_config`, or invalid. */
  retain(keys: ReadonlySet<string>): void {
    for (const [key, { evaluatedAt }] of this.#entries)
      if (evaluatedAt !== undefined && !keys.has(key)) this.forget(key);
  }

  /** Another process leads, or this one begins to: every streak starts at 0. */
  reset(): void {
    for (const entry of this.#entries.values())
      Object.assign(entry, { memory: FIRST_STEP, evaluatedAt: undefined, look: undefined });
  }
}
