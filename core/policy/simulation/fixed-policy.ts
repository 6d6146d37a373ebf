import type { CompiledPolicy, CompiledRule, Facts, RuleResult, Trace } from '../language/port.ts';

/** Parts of traces that are shown; the traces of later rules are left out. */
export const MAX_TRACE_PARTS = 5000;

/** What a policy says about certain facts. Plain data: a compiled policy can't cross to another thread. */
export interface FixedPolicy {
  readonly digest: string;
  readonly readsFacts: readonly string[];
  readonly costUnits: CompiledPolicy['costUnits'];
  readonly rules: readonly CompiledRule[];
  /** Of each rule; empty without facts. */
  readonly results: readonly RuleResult[];
  /** Of rules that are not false, as far as they were asked for. */
  readonly traces: readonly (Trace | undefined)[];
}

/** Parts of a trace. */
export const partsIn = ({ args }: Trace): number => args.reduce((sum, part) => sum + partsIn(part), 1);

/**
 * Evaluates a policy once.
 * @param facts undefined: its rules are not evaluated
 * @param traceParts parts of traces that may be made; 0: none
 */
export function fixPolicy(compiled: CompiledPolicy, facts: Facts | undefined, traceParts: number): FixedPolicy {
  const { digest, readsFacts, costUnits, rules } = compiled;
  const results = facts === undefined ? [] : compiled.evaluate(facts);
  let left = traceParts;
  const traces = results.map(({ value }, index) => {
    if (value === false || left <= 0 || facts === undefined) return undefined;
    const trace = compiled.trace(facts, index);
    left -= trace === undefined ? 0 : partsIn(trace);
    return trace;
  });
  return { digest, readsFacts, costUnits, rules, results, traces };
}

/** A policy that says about any facts what it said about those that it was fixed for. */
export const fixedPolicy = ({ results, traces, ...policy }: FixedPolicy): CompiledPolicy => ({
  ...policy,
  evaluate: (_facts, which) => (which === undefined ? results : which.flatMap((index) => results[index] ?? [])),
  areFalse: () => false,
  trace: (_facts, index) => traces[index],
});
