import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Decision } from '../../core/policy/decision/decision.ts';
import { PHASES, type Phase } from '../../core/policy/facts/fact-schema.ts';
import { SUBSTITUTES, type PolicyStanding } from './substitute.ts';

/** Units of a set of policies in each phase (policy.md §1.2). */
type CostUnits = Readonly<Partial<Record<Phase, number>>>;

/** What decisions about runs count (policy.md §9). No label holds a caller, an Orb or a message. */
export interface PolicyMetrics {
  /**
   * Counts one decision of a set that is not empty.
   * @param seconds for building the facts and deciding
   */
  readonly decided: (decision: Pick<Decision, 'phase' | 'decision' | 'shadow' | 'rules'>, seconds: number) => void;
  /** A generation of a policy did not compile. */
  readonly compileFailed: () => void;
  /**
   * Sets which policies have series of their own: those that exist.
   * @param names `namespace/name`; series of others end, and nothing is counted for them
   */
  readonly setPolicies: (names: Iterable<string>) => void;
}

/** Values that are read at a scrape. */
export interface PolicyMetricSources {
  /** Of the set of each tenant that has one. */
  readonly costUnits: () => Iterable<CostUnits>;
  /** Of each policy, whether its newest generation is in force. */
  readonly standings: () => Iterable<PolicyStanding>;
  /** How long decisions with their facts, and replays, are kept. */
  readonly retention: { readonly decisionsMs: number; readonly replaysMs: number };
}

// A decision takes 10 to 100 µs, and at most 5 ms.
const SECONDS = [0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01];

/** Label of what no rule of a policy caused: a default, or a policy of which no version is in force. */
const NO_RULE = '';

/** A counter with a series for each policy, from 0 on: a series whose first value is 1 shows no increase. */
class CounterByPolicy {
  readonly #counter: Counter<'policy'>;
  #policies: ReadonlySet<string> = new Set();

  constructor(registry: Registry, name: string, help: string) {
    this.#counter = new Counter({ name, help, labelNames: ['policy'], registers: [registry] });
  }

  setPolicies(policies: ReadonlySet<string>): void {
    for (const policy of this.#policies) if (!policies.has(policy)) this.#counter.remove({ policy });
    for (const policy of policies) this.#counter.inc({ policy }, 0);
    this.#policies = policies;
  }

  /** A decision may still be of a set from before a policy was deleted: its series must not come back. */
  count(policy: string): void {
    if (this.#policies.has(policy)) this.#counter.inc({ policy });
  }
}

function observeCost(registry: Registry, { costUnits }: PolicyMetricSources): void {
  const units: Gauge<'phase'> = new Gauge({
    name: 'orb_policy_cost_units',
    help: 'Units of all policies that can meet one run, of the tenant with the most; at most 50000.',
    labelNames: ['phase'],
    registers: [registry],
    collect: () => {
      const sets = [...costUnits()];
      for (const phase of PHASES) units.set({ phase }, Math.max(0, ...sets.map((set) => set[phase] ?? 0)));
    },
  });
}

function observeStandings(registry: Registry, { standings }: PolicyMetricSources): void {
  const gauge: Gauge<'policy' | 'instead'> = new Gauge({
    name: 'orb_policy_not_in_force',
    help: '1: the newest generation is not in force. instead="last_good": an earlier one is; "nothing": none is.',
    labelNames: ['policy', 'instead'],
    registers: [registry],
    collect: () => {
      gauge.reset();
      for (const [policy, substitute] of standings())
        for (const instead of SUBSTITUTES) gauge.set({ policy, instead }, Number(instead === substitute));
    },
  });
}

function observeRetention(registry: Registry, { retention }: PolicyMetricSources): void {
  const gauge = new Gauge({
    name: 'orb_policy_retention_seconds',
    help: 'How long the ledger keeps records: decisions with their facts, and replays.',
    labelNames: ['records'],
    registers: [registry],
  });
  gauge.set({ records: 'decisions' }, retention.decisionsMs / 1000);
  gauge.set({ records: 'replays' }, retention.replaysMs / 1000);
}

function decisionCounter(registry: Registry): Counter<'phase' | 'decision' | 'enforced'> {
  const counter = new Counter({
    name: 'orb_policy_decisions_total',
    help: 'Decisions by phase. enforced="true": what held; "false": what all policies, with those in Audit, would decide.',
    labelNames: ['phase', 'decision', 'enforced'],
    registers: [registry],
  });
  for (const phase of PHASES)
    for (const decision of ['allow', 'deny'])
      for (const enforced of ['true', 'false']) counter.inc({ phase, decision, enforced }, 0);
  return counter;
}

/** Policies whose unenforced rules matched or failed. */
function causesOf(rules: Decision['rules']): readonly string[] {
  const policies = new Set(rules.filter(({ enforced }) => !enforced).map(({ policy }) => policy));
  return policies.size === 0 ? [NO_RULE] : [...policies];
}

/** Adds the metrics of policies to a registry; each series exists with 0 from the start. */
export function createPolicyMetrics(registry: Registry, sources: PolicyMetricSources): PolicyMetrics {
  const decisions = decisionCounter(registry);
  const seconds = new Histogram({
    name: 'orb_policy_decision_duration_seconds',
    help: 'Building the facts of a phase and deciding.',
    buckets: SECONDS,
    registers: [registry],
  });
  const failures = new Counter({
    name: 'orb_policy_compile_failures_total',
    help: 'Generations of policies that did not compile.',
    registers: [registry],
  });
  const errors = new CounterByPolicy(registry, 'orb_policy_rule_errors_total', 'Rules that failed, by policy.');
  const differs = new CounterByPolicy(
    registry,
    'orb_policy_shadow_differs_total',
    'Decisions that would differ if this policy were enforced for all; empty: not by a rule.',
  );
  differs.setPolicies(new Set([NO_RULE]));
  observeCost(registry, sources);
  observeStandings(registry, sources);
  observeRetention(registry, sources);
  return {
    decided: ({ phase, decision, shadow, rules }, duration) => {
      decisions.inc({ phase, decision, enforced: 'true' });
      decisions.inc({ phase, decision: shadow.decision === 'would_deny' ? 'deny' : 'allow', enforced: 'false' });
      seconds.observe(duration);
      for (const { policy, result } of rules) if (result === 'error') errors.count(policy);
      if (shadow.differs) for (const policy of causesOf(rules)) differs.count(policy);
    },
    compileFailed: () => failures.inc(),
    setPolicies: (names) => {
      const policies = new Set(names);
      errors.setPolicies(policies);
      differs.setPolicies(new Set([...policies, NO_RULE]));
    },
  };
}
