import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.ts';
import { member } from '../../json/members.ts';
import { unitsOfSet } from '../decision/cost-budget.ts';
import { decide, type DecideOptions } from '../decision/decide.ts';
import type { Decision } from '../decision/decision.ts';
import type { PolicySet } from '../decision/policy-set.ts';
import { rootOf, type FactDefinition, type Phase } from '../facts/fact-schema.ts';
import { ORB_FACTS } from '../facts/orb-facts.ts';
import type { CompiledRule, Facts, Trace } from '../language/port.ts';
import { smallestChange } from './smallest-change.ts';

/** A change of facts after which the decision is another one. */
interface Flip {
  readonly changes: readonly { readonly fact: string; readonly from: JsonValue; readonly to: JsonValue }[];
  readonly decision: 'allow' | 'deny';
}

export interface Explanation {
  readonly decision: 'allow' | 'deny';
  /** Rules that matched or failed, with the values of their parts. */
  readonly because: readonly { readonly policy: string; readonly rule: string; readonly trace: Trace }[];
  /** Changes of one fact; if there is none, of two. */
  readonly smallestFlips: readonly Flip[];
}

/** Most decisions that the search makes … */
const MAX_DECISIONS = 1000;
/** … and most units that they cost together, about 0.1 s: policies that cost much get fewer, but not none. */
const MAX_UNITS = 1_000_000;
const MIN_DECISIONS = 50;

const decisionsFor = ({ members }: PolicySet, phase: Phase): number => {
  const units = unitsOfSet(members.map(({ compiled }) => compiled))[phase];
  return Math.min(MAX_DECISIONS, Math.max(MIN_DECISIONS, Math.floor(MAX_UNITS / Math.max(1, units))));
};

/** The facts with another value; undefined takes the fact away. */
function withFact(facts: Facts, path: string, value: JsonValue | undefined): Facts {
  const root = rootOf(path);
  const name = path.slice(root.length + 1);
  const before: JsonValue | undefined = member(facts, root);
  const others = Object.entries(isJsonObject(before) ? before : {}).filter(([other]) => other !== name);
  const part: JsonObject = Object.fromEntries(value === undefined ? others : [...others, [name, value]]);
  return { ...facts, [root]: part };
}

const factAt = (facts: Facts, path: string): JsonValue | undefined => {
  const root = rootOf(path);
  return member(member(facts, root), path.slice(root.length + 1));
};

interface Asked {
  readonly set: PolicySet;
  readonly phase: Phase;
  readonly options: DecideOptions;
}

/** Rules that the decision depends on: those that deny, or all when the run is allowed. */
function decidingRules({ set }: Asked, decision: Decision): readonly CompiledRule[] {
  const isNamed = (policy: string, rule: string): boolean =>
    decision.denials.some((denial) => denial.policy === policy && denial.rule === rule);
  const all = set.members.flatMap(({ id, compiled }) => compiled.rules.map((rule) => ({ id, rule })));
  const named = all.filter(({ id, rule }) => isNamed(id, rule.name));
  return (named.length > 0 ? named : all).map(({ rule }) => rule);
}

interface Search {
  /** The decision after changes; undefined when too many were made. */
  readonly decisionOf: (facts: Facts) => 'allow' | 'deny' | undefined;
  readonly before: 'allow' | 'deny';
  readonly facts: Facts;
  readonly texts: readonly string[];
}

function flipOf(search: Search, definition: FactDefinition): Flip | undefined {
  const { path } = definition;
  const from = factAt(search.facts, path);
  if (from === undefined) return undefined;
  const flips = (value: JsonValue): boolean => {
    const after = search.decisionOf(withFact(search.facts, path, value));
    return after !== undefined && after !== search.before;
  };
  const to = smallestChange(definition, from, search.texts, flips);
  if (to === undefined) return undefined;
  return { changes: [{ fact: path, from, to }], decision: search.before === 'deny' ? 'allow' : 'deny' };
}

/** Changes of two facts: the first is set to its other extreme, then the second is searched. */
function pairs(search: Search, definitions: readonly FactDefinition[]): readonly Flip[] {
  return definitions.flatMap((first, index) =>
    definitions.slice(index + 1).flatMap((second) => {
      const from = factAt(search.facts, first.path);
      const to = from === undefined ? undefined : extremeOf(first, from);
      if (from === undefined || to === undefined) return [];
      const found = flipOf({ ...search, facts: withFact(search.facts, first.path, to) }, second);
      return found === undefined ? [] : [{ ...found, changes: [{ fact: first.path, from, to }, ...found.changes] }];
    }),
  );
}

/** The value furthest from the one that is there; undefined for texts and lists. */
function extremeOf({ type, min, max }: FactDefinition, from: JsonValue): JsonValue | undefined {
  if (type === 'bool') return from !== true;
  if (type !== 'int' || typeof from !== 'number') return undefined;
  return from - min > max - from ? min : max;
}

function tracesOf({ set }: Asked, facts: Facts, decision: Decision): Explanation['because'] {
  return decision.rules.flatMap(({ policy, rule }) => {
    const compiled = set.members.find(({ id }) => id === policy)?.compiled;
    const index = compiled?.rules.findIndex(({ name }) => name === rule) ?? -1;
    const trace = compiled?.trace(facts, index);
    return trace === undefined ? [] : [{ policy, rule, trace }];
  });
}

/**
 * Why a decision was made, and the smallest changes of facts that would change it. Makes at most `MAX_DECISIONS`
 * decisions, fewer when they cost much. Traces hold facts: whoever shows them passes them through the redactor.
 */
export function explain(set: PolicySet, facts: Facts, phase: Phase, options: DecideOptions): Explanation {
  const asked: Asked = { set, phase, options };
  const decision = decide(set, facts, phase, options);
  const rules = decidingRules(asked, decision);
  const most = decisionsFor(set, phase);
  let made = 0;
  const decisionOf = (changed: Facts): 'allow' | 'deny' | undefined => {
    made += 1;
    return made > most ? undefined : decide(set, changed, phase, { ...options, kept: undefined }).decision;
  };
  const paths = [...new Set(rules.flatMap(({ readsFacts }) => readsFacts))].toSorted();
  const definitions = paths.flatMap((path) => ORB_FACTS.facts.get(path) ?? []);
  const texts = [...new Set(rules.flatMap((rule) => rule.texts))];
  const search: Search = { decisionOf, before: decision.decision, facts, texts };
  const single = definitions.flatMap((definition) => flipOf(search, definition) ?? []);
  return {
    decision: decision.decision,
    because: tracesOf(asked, facts, decision),
    smallestFlips: single.length > 0 ? single : pairs(search, definitions),
  };
}
