import { withinBudget } from '../../core/policy/decision/cost-budget.ts';
import { decide, NO_ORBISET_POLICIES } from '../../core/policy/decision/decide.ts';
import { policySet, type PolicyInForce } from '../../core/policy/decision/policy-set.ts';
import { compileDocument } from '../../core/policy/document/compile-document.ts';
import { ORB_FACTS } from '../../core/policy/facts/orb-facts.ts';
import { CEL_ENGINE } from '../../core/policy/language/cel-engine.ts';
import type { CompiledPolicy, Facts } from '../../core/policy/language/port.ts';
import { aRule, STARTED_AT } from './policies.ts';
import { randomCondition } from './policy-expressions.ts';
import { worstFacts } from './policy-worst-facts.ts';
import { seeded } from './seeded.ts';

/**
 * Evaluations of which the fastest counts: others pay for the collector and for neighbours on the machine. What seems
 * slower than its estimate is measured again, longer.
 */
const REPEATS = 15;
const AGAIN = 5000;
/** Decisions that seem slower than this are measured again, µs. */
const SLOW_DECISION = 4000;
const DECISIONS_AGAIN = 200;
const RULES = 3;
/** All facts; those that are always there; and only those that have no bound which a value could break. */
const FACTS: readonly Facts[] = [
  worstFacts(),
  worstFacts(({ isNullable }) => !isNullable),
  worstFacts(({ type }) => type === 'bool' || type === 'timestamp'),
];

/** What was measured of accepted policies. Times in µs. */
export interface MeasuredCost {
  readonly accepted: number;
  /** Time of the slowest evaluation by its estimate; 1 when a unit took 0.1 µs. */
  readonly worstShare: number;
  /** The policy with that share. */
  readonly worst: string;
  /** Slowest decision of a set that fills the budget, and how many sets there were. */
  readonly slowestDecision: number;
  readonly sets: number;
}

/** The time in µs of the fastest of so many evaluations, or of the first one within `enough` µs. */
function fastest(work: () => unknown, repeats: number, enough = 0): number {
  let best = Infinity;
  for (let repeat = 0; repeat < repeats && best > enough; repeat += 1) {
    const began = performance.now();
    work();
    best = Math.min(best, (performance.now() - began) * 1000);
  }
  return best;
}

function randomPolicy(random: () => number, name: string): PolicyInForce | undefined {
  const depth = 1 + Math.floor(random() * 5);
  const rules = Array.from({ length: RULES }, (_, index) =>
    aRule('deny', randomCondition(random, ORB_FACTS, depth), { name: `r${index}` }),
  );
  const spec = { match: { phases: ['Request' as const] }, rules };
  const document = compileDocument({ namespace: 'acme', name, spec }, STARTED_AT, CEL_ENGINE);
  if (!document.ok) return undefined;
  return { definition: document.definition, compiled: document.compiled, mode: 'Enforce' };
}

function slowestOf(policies: readonly PolicyInForce[], slack: number): number {
  const set = policySet(policies, []);
  const options = { orbiset: NO_ORBISET_POLICIES, namespace: 'acme', kept: undefined };
  const times = FACTS.map((facts) => {
    const work = (): unknown => decide(set, facts, 'Request', options);
    const first = fastest(work, REPEATS);
    const enough = SLOW_DECISION * slack;
    return first <= enough ? first : Math.min(first, fastest(work, DECISIONS_AGAIN, enough));
  });
  return Math.max(...times);
}

/** Time of an evaluation by its estimate. */
function shareOf(compiled: CompiledPolicy, facts: Facts, units: number, slack: number): number {
  const work = (): unknown => compiled.evaluate(facts);
  const estimate = units / 10;
  const first = fastest(work, REPEATS);
  const enough = estimate * slack;
  return (first <= enough ? first : Math.min(first, fastest(work, AGAIN, enough))) / estimate;
}

/** Measures random policies on the largest facts, until so many were accepted. A `slack` of 8 bears 8 times as slow. */
export function measureCosts(count: number, seed: number, slack = 1): MeasuredCost {
  const random = seeded(seed);
  const found = { accepted: 0, worstShare: 0, worst: '', slowestDecision: 0, sets: 0 };
  let waiting: readonly PolicyInForce[] = [];
  while (found.accepted < count) {
    const policy = randomPolicy(random, `p${found.accepted}`);
    if (policy === undefined) continue;
    found.accepted += 1;
    const { compiled, definition } = policy;
    const units = compiled.costUnits.Request ?? 0;
    for (const facts of FACTS) {
      const share = shareOf(compiled, facts, units, slack);
      if (share <= found.worstShare) continue;
      found.worstShare = share;
      found.worst = `${units} units: ${definition.spec.rules.map(({ when }) => when).join(' ; ')}`;
    }
    const { kept, refused } = withinBudget([...waiting, policy]);
    waiting = kept;
    if (refused.length === 0) continue;
    found.slowestDecision = Math.max(found.slowestDecision, slowestOf(kept, slack));
    found.sets += 1;
    waiting = [];
  }
  return found;
}
