import { childPointer } from '../../manifest/child-pointer.ts';
import type { Finding } from '../../manifest/finding.ts';
import { MAX_SET_UNITS } from '../decision/cost-budget.ts';
import { factSchema, type FactSchema, type Phase } from '../facts/fact-schema.ts';
import { FACTS_SCHEMA, withInputs } from '../facts/orb-facts.ts';
import { TypeChecker } from './check-types.ts';
import { compiledPolicy, type PolicyParts, type RuleParts, type VariableParts } from './compiled-policy.ts';
import type { PolicyLintCode } from './lint-codes.ts';
import { compileExpression, type Expression, type PolicyScope } from './expression.ts';
import type { CompileResult, PolicyEngine, PolicySource, RuleSource } from './port.ts';
import { lintRules, type CheckedRule } from './rule-lints.ts';
import { toEnd, type Steps } from '../../steps/steps.ts';
import type { Kind, Type } from './types.ts';

interface Work {
  readonly scope: PolicyScope;
  readonly findings: Finding[];
}

const checkers = new WeakMap<FactSchema, TypeChecker>();

function checkerFor(schema: FactSchema): TypeChecker {
  const kept = checkers.get(schema);
  if (kept !== undefined) return kept;
  const checker = new TypeChecker(schema);
  checkers.set(schema, checker);
  return checker;
}

function compileOne(work: Work, source: string, pointer: string, kind?: Kind): Expression | undefined {
  const wanted = kind === undefined ? { pointer } : { pointer, kind };
  const { expression, findings } = compileExpression(source, work.scope, wanted);
  work.findings.push(...findings);
  return expression;
}

interface Variables {
  readonly parts: readonly VariableParts[];
  readonly types: ReadonlyMap<string, Type>;
}

/** Variables in their order: each sees those before it. */
function* compileVariables(work: Work, source: PolicySource): Steps<Variables> {
  const types = new Map<string, Type>();
  const parts: VariableParts[] = [];
  for (const [index, { name, expression: text }] of source.variables.entries()) {
    const inner = { ...work, scope: { ...work.scope, variables: new Map(types) } };
    yield;
    const expression = compileOne(inner, text, `/spec/variables/${index}/expression`);
    if (expression === undefined) continue;
    types.set(name, expression.type);
    parts.push({ name, expression });
  }
  return { parts, types };
}

const pointerOf = (index: number, member: string): string => childPointer(`/spec/rules/${index}`, member);

function* compileRule(work: Work, source: RuleSource, index: number): Steps<RuleParts | undefined> {
  yield;
  const when = compileOne(work, source.when, pointerOf(index, 'when'), 'bool');
  const { messageExpression } = source;
  yield;
  const message =
    messageExpression === undefined
      ? undefined
      : compileOne(work, messageExpression, pointerOf(index, 'messageExpression'), 'string');
  return when && { source, when, message };
}

/** Warns once of facts that count earlier runs. */
function countFindings(schema: FactSchema, reads: readonly string[]): readonly Finding[] {
  const counts = reads.filter((path) => schema.facts.get(path)?.isStateful === true);
  const [first] = counts;
  if (first === undefined) return [];
  const detail = `${counts.join(', ')}: counting begins when the first policy of the namespace comes into force, so the first day counts less`;
  return [{ code: 'counts-from-now' satisfies PolicyLintCode, pointer: '/spec', detail, severity: 'warning' }];
}

function costFindings(costUnits: Readonly<Partial<Record<Phase, number>>>): readonly Finding[] {
  const units = Math.max(0, ...Object.values(costUnits));
  if (units <= MAX_SET_UNITS) return [];
  const detail = `all expressions together take ${units} units, and at most ${MAX_SET_UNITS} are allowed: divide the policy`;
  return [{ code: 'too-expensive' satisfies PolicyLintCode, pointer: '/spec/rules', detail, severity: 'error' }];
}

const isError = ({ severity }: Finding): boolean => severity === 'error';

function lintsOf(source: PolicySource, rules: readonly (RuleParts | undefined)[]): Steps<readonly Finding[]> {
  const checked: readonly CheckedRule[] = rules.flatMap((rule, index) =>
    rule === undefined ? [] : [{ ...rule, pointer: pointerOf(index, 'when') }],
  );
  return lintRules(checked, new Set(source.exceptedRules));
}

interface ScopedSource {
  readonly work: Work;
  readonly source: PolicySource;
}

function* compileRules({ work, source }: ScopedSource): Steps<readonly (RuleParts | undefined)[]> {
  // After an error in a variable, every rule that reads it would fail as well, and say nothing new.
  const isKnown = work.findings.some(isError) ? ({ when }: RuleSource) => !/\bvariables\b/.test(when) : () => true;
  const rules: (RuleParts | undefined)[] = [];
  for (const [index, rule] of source.rules.entries())
    rules.push(isKnown(rule) ? yield* compileRule(work, rule, index) : undefined);
  return rules;
}

function* compileSteps(source: PolicySource, base: FactSchema): Steps<CompileResult> {
  const schema = withInputs(base, source.inputFacts);
  const scope = { schema, checker: checkerFor(schema), phases: source.phases, variables: new Map<string, Type>() };
  const work: Work = { scope, findings: [] };
  const variables = yield* compileVariables(work, source);
  const inner = { ...work, scope: { ...scope, variables: variables.types } };
  const rules = yield* compileRules({ work: inner, source });
  if (work.findings.some(isError)) return { ok: false, findings: work.findings };
  const inputs = [...schema.facts.values()].filter(({ path }) => !base.facts.has(path));
  const parts: PolicyParts = {
    digest: source.digest,
    schema: base,
    inputs: inputs.length === 0 ? undefined : factSchema(schema.id, inputs),
    phases: source.phases,
    variables: variables.parts,
    rules: rules.filter((rule) => rule !== undefined),
  };
  yield;
  const policy = compiledPolicy(parts);
  const { costUnits, readsFacts } = policy;
  const findings = [
    ...work.findings,
    ...costFindings(costUnits),
    ...(yield* lintsOf(source, rules)),
    ...countFindings(base, readsFacts),
  ];
  return findings.some(isError) ? { ok: false, findings } : { ok: true, policy, findings };
}

/** Policies in CEL: `@bufbuild/cel` evaluates, `@marcbachmann/cel-js` checks types (policy.md §1). */
export const CEL_ENGINE: PolicyEngine = {
  id: `cel/0.6.1+${FACTS_SCHEMA}`,
  compile: (source, schema) => toEnd(compileSteps(source, schema)),
  compileSteps,
};
