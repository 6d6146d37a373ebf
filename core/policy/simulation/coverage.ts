import { isJsonObject, type JsonObject } from '../../json/json-value.ts';
import { listAt } from '../../json/members.ts';
import type { PolicySet } from '../decision/policy-set.ts';

/** How often a rule matched in some decisions. */
export interface RuleCoverage {
  /** `namespace/name`. */
  readonly policy: string;
  readonly rule: string;
  readonly matched: number;
  readonly failed: number;
}

const keyOf = (policy: string, rule: string): string => `${policy}/${rule}`;

/** Counts, over records of decisions, how often the rules of the policies in force matched or failed. */
export class RuleCounts {
  readonly #counts = new Map<string, { matched: number; failed: number }>();
  #decisions = 0;

  /** Decisions that were counted. */
  get decisions(): number {
    return this.#decisions;
  }

  /** Adds the record of a decision (policy.md §3.4). A rule that matched for several providers counts once. */
  add(record: JsonObject): void {
    this.#decisions += 1;
    const results = new Map<string, string>();
    for (const rule of listAt(record, 'rules').filter(isJsonObject)) {
      const { policy, rule: name, result } = rule;
      if (typeof policy !== 'string' || typeof name !== 'string') continue;
      const key = keyOf(policy, name);
      if (results.get(key) !== 'true') results.set(key, result === 'true' ? 'true' : 'error');
    }
    for (const [key, result] of results) this.#count(key, result);
  }

  #count(key: string, result: string): void {
    const before = this.#counts.get(key) ?? { matched: 0, failed: 0 };
    if (result === 'true') before.matched += 1;
    else before.failed += 1;
    this.#counts.set(key, before);
  }

  /** Every rule of the set, by policy and position. */
  of({ members }: PolicySet): readonly RuleCoverage[] {
    return members.flatMap(({ id, compiled }) =>
      compiled.rules.map(({ name }) => ({
        policy: id,
        rule: name,
        ...(this.#counts.get(keyOf(id, name)) ?? { matched: 0, failed: 0 }),
      })),
    );
  }
}
