import { FIRST_STEP, type StepMemory } from '../../core/failover/step.ts';
import type { FailoverEvaluation, FailoverMoment, FailoverPlan } from '../../core/orb/plan-failover.ts';
import { wantedOrbId } from '../../core/orb/plan-holder.ts';
import type { OrbSnapshot } from '../../core/orb/plan-orb.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { OrbKey } from './orb-gauges.ts';

/** One evaluated object, with its names. */
export interface EvaluatedOrb extends OrbKey {
  /** Distinguishes an Orb that was deleted and created again: the new one starts from the beginning. */
  readonly uid: string;
}

export const evaluatedOrb = (orb: KubeObject): EvaluatedOrb => ({
  namespace: orb.metadata.namespace ?? '',
  orbId: wantedOrbId(orb) ?? '',
  uid: orb.metadata.uid ?? '',
});

/** An evaluation that needs a write, with all inputs of its plan. */
export interface PendingEvaluation {
  readonly snapshot: OrbSnapshot;
  readonly moment: FailoverMoment & { readonly evaluation: FailoverEvaluation };
  readonly plan: FailoverPlan;
}

interface Entry {
  readonly orb: EvaluatedOrb;
  memory: StepMemory;
  /** Monotonic ms; undefined when the Orb was only swapped by hand. */
  evaluatedAt: number | undefined;
  /** Decision that the next reconcile writes. */
  pending: PendingEvaluation | undefined;
}

const isSame = (one: EvaluatedOrb, other: EvaluatedOrb): boolean => one.uid === other.uid && one.orbId === other.orbId;

/**
 * The leader's memory of each Orb between two ticks, by key of the object. The tick and the reconcile of the key both
 * write it. Neither waits between reading and writing.
 */
export class EvaluatedOrbs {
  readonly #entries = new Map<string, Entry>();
  readonly #onGone: (orb: OrbKey) => void;

  /** @param onGone called when an Orb's metrics must no longer be shown */
  constructor(onGone: (orb: OrbKey) => void) {
    this.#onGone = onGone;
  }

  /** Entry of an Orb. Streaks of another object, or of another id, are dropped. */
  #entry(key: string, orb: EvaluatedOrb): Entry {
    const known = this.#entries.get(key);
    if (known !== undefined && isSame(known.orb, orb)) return known;
    this.forget(key);
    const entry: Entry = { orb, memory: FIRST_STEP, evaluatedAt: undefined, pending: undefined };
    this.#entries.set(key, entry);
    return entry;
  }

  /** Whether an evaluation is due. If so, it counts as made. @param everyMs 0 … 5 min, minus half a tick */
  begin(key: string, orb: EvaluatedOrb, { now, everyMs }: { readonly now: number; readonly everyMs: number }): boolean {
    const entry = this.#entry(key, orb);
    if (entry.evaluatedAt !== undefined && now - entry.evaluatedAt < everyMs) return false;
    entry.evaluatedAt = now;
    return true;
  }

  memoryOf(key: string, orb: EvaluatedOrb): StepMemory {
    return this.#entry(key, orb).memory;
  }

  /** Records a finished step: its status was written, or there was nothing to write. */
  remember(key: string, orb: EvaluatedOrb, memory: StepMemory): void {
    this.#entry(key, orb).memory = memory;
  }

  /** Keeps an evaluation for the reconcile of the key; replaces an older one. */
  setPending(key: string, orb: EvaluatedOrb, pending: PendingEvaluation): void {
    this.#entry(key, orb).pending = pending;
  }

  /** Removes and returns the pending evaluation. So a decision that could not be written is dropped. */
  takePending(key: string, orb: EvaluatedOrb): PendingEvaluation | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || !isSame(entry.orb, orb)) return undefined;
    const { pending } = entry;
    entry.pending = undefined;
    return pending;
  }

  /** Resets the streaks after a swap without an evaluation: they belong to the provider before. */
  startOver(key: string, orb: EvaluatedOrb): void {
    const entry = this.#entry(key, orb);
    entry.memory = { ...entry.memory, rules: FIRST_STEP.rules };
  }

  /** Forgets a deleted object. */
  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#onGone(entry.orb);
  }

  /** Drops Orbs that are no longer evaluated: without `swap_config`, or invalid. */
  retain(keys: ReadonlySet<string>): void {
    for (const [key, { evaluatedAt }] of this.#entries)
      if (evaluatedAt !== undefined && !keys.has(key)) this.forget(key);
  }

  /** Called when leadership changes: every streak starts at 0. */
  reset(): void {
    for (const entry of this.#entries.values())
      Object.assign(entry, { memory: FIRST_STEP, evaluatedAt: undefined, pending: undefined });
  }
}
