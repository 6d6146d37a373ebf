import type { RuleResult } from '../language/port.ts';
import type { PolicySet, SetMember } from './policy-set.ts';

/** A policy that means a run, and the results of its rules that do not depend on the run. */
export interface MatchedPolicy {
  readonly member: SetMember;
  /** Enforce, and inside the rollout. */
  readonly isEnforced: boolean;
  /** In the order of `member.stable`. */
  readonly stable: readonly RuleResult[];
}

interface Entry {
  readonly set: PolicySet;
  readonly matched: readonly MatchedPolicy[];
}

/** Most entries that are kept. */
const MAX_ENTRIES = 4096;

/**
 * What is the same for every run of one policy set, Orb version, Orbiset version and caller (policy.md §1.4). A
 * decision with it equals the decision without it. Beyond `MAX_ENTRIES` the oldest entry goes.
 */
export class KeptResults {
  readonly #entries = new Map<string, Entry>();

  /** @returns undefined also for another set object: its digest does not cover priorities, which order what is shown */
  get(key: string, set: PolicySet): readonly MatchedPolicy[] | undefined {
    const entry = this.#entries.get(key);
    return entry?.set === set ? entry.matched : undefined;
  }

  set(key: string, set: PolicySet, matched: readonly MatchedPolicy[]): void {
    this.#entries.delete(key);
    const oldest = this.#entries.keys().next();
    if (this.#entries.size >= MAX_ENTRIES && oldest.done !== true) this.#entries.delete(oldest.value);
    this.#entries.set(key, { set, matched });
  }

  get size(): number {
    return this.#entries.size;
  }
}
