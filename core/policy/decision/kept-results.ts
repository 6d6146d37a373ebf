import type { JsonValue } from '../../json/json-value.ts';
import { isJsonObject, type JsonObject } from '../../json/json-value.ts';
import { member, objectAt } from '../../json/members.ts';
import { rootOf, type Phase } from '../facts/fact-schema.ts';
import { ORB_FACTS } from '../facts/orb-facts.ts';
import type { LastingFacts } from '../facts/pre-flight-facts.ts';
import type { Facts, RuleResult } from '../language/port.ts';
import type { PolicySet, SetMember } from './policy-set.ts';

/** A policy that means a run, and the results of its rules that do not depend on the run. */
export interface MatchedPolicy {
  readonly member: SetMember;
  /** Enforce, and inside the rollout. */
  readonly isEnforced: boolean;
  /** In the order of `member.stable`. */
  readonly stable: readonly RuleResult[];
  /** True: it says nothing when its other rules are false. */
  readonly isQuiet: boolean;
}

interface Nearest {
  readonly lasting: LastingFacts;
  readonly set: PolicySet;
  readonly matched: readonly MatchedPolicy[];
}

interface Entry {
  readonly set: PolicySet;
  /** Of the run that it was made for. */
  readonly facts: Facts;
  readonly matched: readonly MatchedPolicy[];
}

/** Most entries that are kept. */
const MAX_ENTRIES = 4096;

/** Facts that outlive a run, by the first part of their names. */
const LASTING = Map.groupBy(
  [...ORB_FACTS.facts.values()].filter(({ changesWith }) => changesWith !== 'run'),
  ({ path }) => rootOf(path),
);
const LASTING_NAMES = [...LASTING].map(([root, facts]) => ({
  root,
  names: facts.map(({ path }) => path.slice(root.length + 1)),
}));

// The built-in guard turns a readonly array into any[].
const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

function isSameList(one: readonly JsonValue[], other: readonly JsonValue[]): boolean {
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false;
  return one.length === other.length;
}

/** Facts are scalars, lists of texts and maps of texts. */
function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true;
  if (isList(one)) return isList(other) && isSameList(one, other);
  if (!isJsonObject(one) || !isJsonObject(other) || isList(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

function isSamePart(left: JsonObject, right: JsonObject, names: readonly string[]): boolean {
  if (left === right) return true;
  for (const name of names) if (!isSame(member(left, name), member(right, name))) return false;
  return true;
}

/** Whether two runs have the same facts, those excepted that change with the run. Loops: a replay does it for each run. */
function areLastingSame(one: Facts, other: Facts): boolean {
  for (const { root, names } of LASTING_NAMES)
    if (!isSamePart(objectAt(one, root), objectAt(other, root), names)) return false;
  return true;
}

const textAt = (values: JsonObject, name: string): string => {
  const value = member(values, name);
  return typeof value === 'string' ? value : '';
};

function keyOf(facts: Facts, phase: Phase): string {
  const orbiset = objectAt(facts, 'orbiset');
  const orb = textAt(objectAt(facts, 'orb'), 'orb_id');
  const caller = textAt(objectAt(facts, 'caller'), 'id');
  return `${phase} ${orb} ${caller} ${textAt(orbiset, 'namespace')} ${textAt(orbiset, 'name')}`;
}

/**
 * What is the same for every run of one policy set, Orb version, Orbiset version and caller (policy.md §1.4). A
 * decision with it equals the decision without it. Beyond `MAX_ENTRIES` the oldest entry goes.
 */
export class KeptResults {
  readonly #entries = new Map<string, Entry>();
  /** The results about the last run of each Orb. */
  readonly #nearest: Readonly<Record<Phase, WeakMap<JsonObject, Nearest>>> = {
    PreFlight: new WeakMap(),
    Request: new WeakMap(),
    Response: new WeakMap(),
  };

  /** What is kept for the objects that the facts of a run were made of. @returns undefined: `get` may know more */
  near(set: PolicySet, phase: Phase, { orb, caller, orbiset }: LastingFacts): readonly MatchedPolicy[] | undefined {
    const found = this.#nearest[phase].get(orb);
    const isFound = found?.lasting.caller === caller && found.lasting.orbiset === orbiset;
    return isFound && found.set === set ? found.matched : undefined;
  }

  setNear(set: PolicySet, phase: Phase, lasting: LastingFacts, matched: readonly MatchedPolicy[]): void {
    this.#nearest[phase].set(lasting.orb, { lasting, set, matched });
  }

  /** @returns undefined also for another set object: its digest does not cover priorities, which order what is shown */
  get(set: PolicySet, facts: Facts, phase: Phase): readonly MatchedPolicy[] | undefined {
    const entry = this.#entries.get(keyOf(facts, phase));
    return entry?.set === set && areLastingSame(entry.facts, facts) ? entry.matched : undefined;
  }

  /** In place of what was kept for this Orb, Orbiset and caller. */
  set(set: PolicySet, facts: Facts, phase: Phase, matched: readonly MatchedPolicy[]): void {
    const key = keyOf(facts, phase);
    this.#entries.delete(key);
    const oldest = this.#entries.keys().next();
    if (this.#entries.size >= MAX_ENTRIES && oldest.done !== true) this.#entries.delete(oldest.value);
    this.#entries.set(key, { set, facts, matched });
  }

  get size(): number {
    return this.#entries.size;
  }
}
