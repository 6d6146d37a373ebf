import type { OrbPolicySpec } from '../../../crds/orbpolicy.ts';
import type { Finding } from '../../manifest/finding.ts';
import { MAX_SET_UNITS, unitsOfSet } from '../decision/cost-budget.ts';
import { compileDocument, type CompiledDocument } from '../document/compile-document.ts';
import type { PolicyDefinition } from '../document/definition.ts';
import type { Phase } from '../facts/fact-schema.ts';
import type { CompiledPolicy, PolicyEngine } from '../language/port.ts';
import { runPolicyTests, type PolicyTestReport } from './run-tests.ts';

/** The policy to check; its document passed the schema. */
export interface PolicyToValidate {
  readonly namespace: string;
  readonly name: string;
  readonly spec: OrbPolicySpec;
}

export interface PolicyValidation {
  /** It compiles, passes its tests and fits into the budget of its tenant: it would take force. */
  readonly valid: boolean;
  readonly definition: PolicyDefinition;
  /** Absent when it does not compile. */
  readonly compiled: CompiledPolicy | undefined;
  /** Units that all policies of the tenant would take together, for the phases of this one. */
  readonly budgetAfter: Readonly<Partial<Record<Phase, { readonly used: number; readonly max: number }>>>;
  readonly tests: PolicyTestReport['results'];
  /** Pointers into the document. */
  readonly findings: readonly Finding[];
}

const error = (code: string, pointer: string, detail: string): Finding => ({
  severity: 'error',
  code,
  pointer,
  detail,
});

type Cost = Pick<CompiledPolicy, 'costUnits'>;

function budgetWith(compiled: CompiledPolicy, others: readonly Cost[]): PolicyValidation['budgetAfter'] {
  const units = unitsOfSet([...others, compiled]);
  const phases = Object.entries(units).filter(([phase]) => Object.hasOwn(compiled.costUnits, phase));
  return Object.fromEntries(phases.map(([phase, used]) => [phase, { used, max: MAX_SET_UNITS }]));
}

const overBudget = (budget: PolicyValidation['budgetAfter']): readonly Finding[] =>
  Object.entries(budget).flatMap(([phase, { used, max }]) =>
    used <= max
      ? []
      : [
          error(
            'too-expensive',
            '/spec',
            `all policies of the tenant together would cost ${used} units in phase ${phase}, at most ${max} are allowed: write cheaper rules, or remove a policy`,
          ),
        ],
  );

const failedTests = ({ results, findings }: PolicyTestReport): readonly Finding[] => [
  ...findings,
  ...results.flatMap(({ name, passed, detail }, index) =>
    passed ? [] : [error('test-failed', `/spec/tests/${index}`, `${name}: ${detail}`)],
  ),
];

function validationOf(
  { definition, compiled, findings }: Extract<CompiledDocument, { readonly ok: true }>,
  others: readonly Cost[],
): PolicyValidation {
  const budgetAfter = budgetWith(compiled, others);
  const over = overBudget(budgetAfter);
  // A policy beyond the budget can hold the process for long: its tests are not run.
  const report = over.length > 0 ? { results: [], findings: [] } : runPolicyTests(definition, compiled);
  const all = [...findings, ...over, ...failedTests(report)];
  const valid = all.every(({ severity }) => severity !== 'error');
  return { valid, definition, compiled, budgetAfter, tests: report.results, findings: all };
}

/**
 * Whether a policy would take force, and what has to be written in another way. Pure; never throws.
 * @param others the other policies that can meet the same runs
 * @param now ms since the epoch, for the ends of exceptions alone
 */
export function validatePolicy(
  policy: PolicyToValidate,
  others: readonly Cost[],
  now: number,
  engine: PolicyEngine,
): PolicyValidation {
  const document = compileDocument(policy, now, engine);
  if (document.ok) return validationOf(document, others);
  const { definition, findings } = document;
  return { valid: false, definition, compiled: undefined, budgetAfter: {}, tests: [], findings };
}
