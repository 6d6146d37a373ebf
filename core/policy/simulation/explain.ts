import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.ts';
import { member } from '../../json/members.ts';
import { unitsOfSet } from '../decision/cost-budget.ts';
import { decide, type DecideOptions } from '../decision/decide.ts';
import type { Decision } from '../decision/decision.ts';
import type { PolicySet } from '../decision/policy-set.ts';
import { rootOf, type FactDefinition, type Phase } from '../facts/fact-schema.ts';
import { ORB_FACTS } from '../facts/orb-facts.ts';
import type { CompiledRule, Facts, Trace } from '../language/port.ts';
import type { Steps } from '../../steps/steps.ts';
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

/** Which policies decided, and how. */
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
  /** The decision after changes, one piece; undefined when too many were made. */
  readonly decisionOf: (facts: Facts) => Steps<'allow' | 'deny' | undefined>;
  readonly before: 'allow' | 'deny';
  readonly facts: Facts;
  readonly texts: readonly string[];
}

function* flipOf(search: Search, definition: FactDefinition): Steps<Flip | undefined> {
  const { path } = definition;
  const from = factAt(search.facts, path);
  if (from === undefined) return undefined;
  const flips = function* (value: JsonValue): Steps<boolean> {
    const after = yield* search.decisionOf(withFact(search.facts, path, value));
    return after !== undefined && after !== search.before;
  };
  const to = yield* smallestChange(definition, from, search.texts, flips);
  if (to === undefined) return undefined;
  return { changes: [{ fact: path, from, to }], decision: search.before === 'deny' ? 'allow' : 'deny' };
}

/** Changes of one fact. */
function* singles(search: Search, definitions: readonly FactDefinition[]): Steps<readonly Flip[]> {
  const flips: Flip[] = [];
  for (const definition of definitions) {
    const flip = yield* flipOf(search, definition);
    if (flip !== undefined) flips.push(flip);
  }
  return flips;
}

/** Changes of two facts: the first is set to its other extreme, then the second is searched. */
function* pairs(search: Search, definitions: readonly FactDefinition[]): Steps<readonly Flip[]> {
  const flips: Flip[] = [];
  for (const [index, first] of definitions.entries()) {
    const from = factAt(search.facts, first.path);
    const to = from === undefined ? undefined : extremeOf(first, from);
    if (from === undefined || to === undefined) continue;
    const changed = { ...search, facts: withFact(search.facts, first.path, to) };
    const found = yield* singles(changed, definitions.slice(index + 1));
    flips.push(...found.map((flip) => ({ ...flip, changes: [{ fact: first.path, from, to }, ...flip.changes] })));
  }
  return flips;
}

/** The value furthest from the one that is there; undefined for texts and lists. */
function extremeOf({ type, min, max }: FactDefinition, from: JsonValue): JsonValue | undefined {
  if (type === 'bool') return from !== true;
  if (type !== 'int' || typeof from !== 'number') return undefined;
  return from - min > max - from ? min : max;
}

function* tracesOf({ set }: Asked, facts: Facts, decision: Decision): Steps<Explanation['because']> {
  const because: Explanation['because'][number][] = [];
  for (const { policy, rule } of decision.rules) {
    yield;
    const compiled = set.members.find(({ id }) => id === policy)?.compiled;
    const index = compiled?.rules.findIndex(({ name }) => name === rule) ?? -1;
    const trace = compiled?.trace(facts, index);
    if (trace !== undefined) because.push({ policy, rule, trace });
  }
  return because;
}

/**
 * Why a decision was made, and the smallest changes of facts that would change it. Makes at most `MAX_DECISIONS`
 * decisions, fewer when they cost much. Traces hold facts: whoever shows them passes them through the redactor. A piece
 * is one decision or one trace.
 */
export function* explainSteps(facts: Facts, asked: Asked): Steps<Explanation> {
  const { set, phase, options } = asked;
  const decision = decide(set, facts, phase, options);
  const rules = decidingRules(asked, decision);
  const most = decisionsFor(set, phase);
  let made = 0;
  const decisionOf = function* (changed: Facts): Steps<'allow' | 'deny' | undefined> {
    yield;
    made += 1;
    return made > most ? undefined : decide(set, changed, phase, { ...options, kept: undefined }).decision;
  };
  const paths = [...new Set(rules.flatMap(({ readsFacts }) => readsFacts))].toSorted();
  const definitions = paths.flatMap((path) => ORB_FACTS.facts.get(path) ?? []);
  const texts = [...new Set(rules.flatMap((rule) => rule.texts))];
  const search: Search = { decisionOf, before: decision.decision, facts, texts };
  const single = yield* singles(search, definitions);
  return {
    decision: decision.decision,
    because: yield* tracesOf(asked, facts, decision),
    smallestFlips: single.length > 0 ? single : yield* pairs(search, definitions),
  };
}
