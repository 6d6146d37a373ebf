import type { Finding } from '../../manifest/finding.ts';
import { PHASES, type FactSchema, type Phase } from '../facts/fact-schema.ts';
import { analyse } from './analyse.ts';
import { TypeChecker } from './check-types.ts';
import { evaluationOf, PATTERNS, type Evaluation } from './environment.ts';
import { folded } from './fold.ts';
import type { PolicyLintCode } from './lint-codes.ts';
import { parseExpression } from './parse.ts';
import { findingOf } from './place.ts';
import type { Problem, Scope } from './scope.ts';
import type { Node } from './tree.ts';
import { typeName, type Kind, type Type } from './types.ts';

/** Units of every expression, whatever is in it. */
const EXPRESSION_UNITS = 5;
/** Most units of one expression, about 1 ms. */
const MAX_EXPRESSION_UNITS = 10_000;

/** An expression that may be evaluated. */
export interface Expression {
  readonly tree: Node;
  readonly type: Type;
  readonly units: number;
  /** Facts that it reads itself. */
  readonly reads: readonly string[];
  /** Variables that it reads. */
  readonly uses: readonly string[];
  /** The value that it always has; undefined when it depends on facts. */
  readonly constant: boolean | undefined;
  readonly evaluate: Evaluation;
}

/** What expressions of one policy have in common. */
export interface PolicyScope {
  readonly schema: FactSchema;
  readonly checker: TypeChecker;
  readonly phases: readonly Phase[];
  /** Types of the variables so far. */
  readonly variables: ReadonlyMap<string, Type>;
}

interface Wanted {
  readonly pointer: string;
  /** Kind of its value; absent: any. */
  readonly kind?: Kind;
}

const error = (code: PolicyLintCode, detail: string, at = 0): Problem => ({ code, severity: 'error', at, detail });

const order = (phase: Phase): number => PHASES.indexOf(phase);

/** Facts that a phase of the policy does not have yet. */
function phaseProblems({ reads, schema }: Scope, phases: readonly Phase[]): readonly Problem[] {
  const earliest = Math.min(...phases.map(order));
  return [...reads].flatMap(([path, at]) => {
    const phase = schema.facts.get(path)?.phase ?? 'PreFlight';
    if (order(phase) <= earliest) return [];
    const detail = `${path} is known from phase ${phase} on, and match.phases has ${PHASES[earliest]}: take it out there, or write another policy`;
    return [error('wrong-phase', detail, at)];
  });
}

function costProblems(units: number): readonly Problem[] {
  if (units <= MAX_EXPRESSION_UNITS) return [];
  const detail = `${units} units, and at most ${MAX_EXPRESSION_UNITS} are allowed: loop over a shorter list, or once`;
  return [error('too-expensive', detail)];
}

function kindProblems(type: Type, { kind }: Wanted): readonly Problem[] {
  if (kind === undefined || kind === type.kind) return [];
  const isCondition = kind === 'bool';
  const detail = `this is a ${typeName(type)}: write ${isCondition ? 'a condition that is true or false' : `a ${kind}`}`;
  return [error(isCondition ? 'not-boolean' : 'type-error', detail)];
}

/** Both libraries must find the same type. */
function checkerProblems(source: string, type: Type, { checker, variables }: PolicyScope): readonly Problem[] {
  const checked = checker.check(source, variables);
  if (!checked.ok) return [checked.problem];
  if (checked.type === typeName(type)) return [];
  const detail = `the type checker takes this for ${checked.type}, the evaluator for ${typeName(type)}: write it in another way`;
  return [error('type-error', detail)];
}

const isError = ({ severity }: Problem): boolean => severity === 'error';

/** A compiled expression, absent after an error, and everything that was found. */
export interface CheckedExpression {
  readonly expression: Expression | undefined;
  readonly findings: readonly Finding[];
}

function check(source: string, tree: Node, policy: PolicyScope, wanted: Wanted): CheckedExpression {
  const collected = { reads: new Map(), uses: new Set<string>(), types: new Map(), problems: [] };
  const scope: Scope = { schema: policy.schema, variables: policy.variables, patterns: PATTERNS, ...collected };
  const { type, units: inner } = analyse(scope, tree, { locals: new Map(), present: new Set(), nesting: 0 });
  const units = inner + EXPRESSION_UNITS;
  const problems = [...scope.problems];
  if (type !== undefined && !problems.some(isError))
    problems.push(
      ...kindProblems(type, wanted),
      ...phaseProblems(scope, policy.phases),
      ...costProblems(units),
      ...checkerProblems(source, type, policy),
    );
  const findings = problems.map((problem) => findingOf(problem, wanted.pointer, source));
  if (type === undefined || problems.some(isError)) return { expression: undefined, findings };
  const expression: Expression = {
    tree,
    type,
    units,
    reads: [...scope.reads.keys()],
    uses: [...scope.uses],
    constant: folded(tree, scope.types),
    evaluate: evaluationOf(tree.expr),
  };
  return { expression, findings };
}

/** Parses and checks one expression of a policy. Never throws. */
export function compileExpression(source: string, policy: PolicyScope, wanted: Wanted): CheckedExpression {
  const parsed = parseExpression(source, (text) => policy.checker.check(text, policy.variables));
  return parsed.ok
    ? check(source, parsed.tree, policy, wanted)
    : { expression: undefined, findings: [findingOf(parsed.problem, wanted.pointer, source)] };
}
