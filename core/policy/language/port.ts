import type { Finding } from '../../manifest/finding.ts';
import type { JsonObject } from '../../json/json-value.ts';
import type { FactSchema, Phase } from '../facts/fact-schema.ts';
import type { InputFactType } from '../facts/orb-facts.ts';
import type { Steps } from '../../steps/steps.ts';

/** What a rule does when its condition is true (policy.md §2). */
export type RuleEffect = 'deny' | 'allow' | 'require';

export interface RuleSource {
  readonly name: string;
  readonly effect: RuleEffect;
  readonly when: string;
  readonly message?: string | undefined;
  /** A string of at most 512 characters; when it fails, `message` is shown. */
  readonly messageExpression?: string | undefined;
}

/** The parts of a policy that are expressions. */
export interface PolicySource {
  /** Digest of the policy; the compiled policy carries it. */
  readonly digest: string;
  /** Phases that it matches, at least one. */
  readonly phases: readonly Phase[];
  readonly inputFacts: Readonly<Record<string, InputFactType>>;
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
  readonly rules: readonly RuleSource[];
  /** Names of rules that exceptions switch off. */
  readonly exceptedRules: readonly string[];
}

/**
 * The facts of a run, by the first part of their names: `{"orb": {"score": 70}, …}`. Canonical JSON: integers are
 * numbers, times are texts of RFC 3339. An absent fact has no member. Must not change after the first evaluation.
 */
export type Facts = JsonObject;

export interface RuleResult {
  readonly rule: string;
  readonly effect: RuleEffect;
  /** `error`: a fact is absent, an overflow, no overload. */
  readonly value: boolean | 'error';
  /** `evaluator-failed`: what came back is neither true, false nor an error. Always a denial (policy.md §3.2). */
  readonly code?: 'evaluator-failed';
  /** Only of a rule that is true. */
  readonly message?: string;
}

export interface CompiledRule {
  readonly name: string;
  readonly effect: RuleEffect;
  /** Facts that its condition, its message and the variables of both read; sorted. */
  readonly readsFacts: readonly string[];
  /** True: it reads nothing that changes with the run, so that its result may be kept (policy.md §1.4). */
  readonly isStable: boolean;
  /** Strings that stand in its condition and in the variables that it reads; sorted. */
  readonly texts: readonly string[];
}

/** Values of the parts of a condition, from the whole to facts and constants. */
export interface Trace {
  readonly expr: string;
  /** true, false, or a text of at most 200 characters; of a part that fails `error: …`. */
  readonly value: boolean | string;
  readonly args: readonly Trace[];
}

export interface CompiledPolicy {
  readonly digest: string;
  /** Every fact that it reads; sorted. */
  readonly readsFacts: readonly string[];
  /** Upper bound of the cost of a decision in each phase that it matches, units of about 0.1 µs. */
  readonly costUnits: Readonly<Partial<Record<Phase, number>>>;
  readonly rules: readonly CompiledRule[];
  /**
   * Evaluates rules: synchronous and pure, without a short circuit. Never throws.
   * @param which positions of the rules to evaluate; all when absent
   * @returns a result for each of them, in their order
   */
  evaluate(facts: Facts, which?: readonly number[]): readonly RuleResult[];
  /**
   * Whether these rules are false, in a tenth of the time of `evaluate`. Never throws.
   * @returns true: `evaluate` gives false for each; false: it has to say
   */
  areFalse(facts: Facts, which: readonly number[]): boolean;
  /**
   * Values of the parts of a rule's condition. Never throws. Slow: for people, not for runs.
   * @param index position of the rule; undefined comes back when there is none
   */
  trace(facts: Facts, index: number): Trace | undefined;
}

export type CompileResult =
  | { readonly ok: true; readonly policy: CompiledPolicy; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** A language of policies. */
export interface PolicyEngine {
  /** Language, its version and the fact schema: results of the same id are the same, bit for bit. */
  readonly id: string;
  /**
   * Compiles the expressions of a policy. Never throws. Pointers of findings are relative to the document: `/spec/…`.
   * Codes: policy.md §1.3.
   */
  compile(source: PolicySource, schema: FactSchema): CompileResult;
  /** The same in pieces: an expression, or the lint of a rule. */
  compileSteps(source: PolicySource, schema: FactSchema): Steps<CompileResult>;
}
