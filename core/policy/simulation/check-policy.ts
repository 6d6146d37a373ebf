import type { OrbPolicySpec } from '../../../crds/orbpolicy.ts';
import type { Finding } from '../../manifest/finding.ts';
import { compileDocument } from '../document/compile-document.ts';
import type { PolicyDefinition } from '../document/definition.ts';
import type { CompiledPolicy, PolicyEngine } from '../language/port.ts';
import { runPolicyTests, type PolicyTestReport } from './run-tests.ts';

/** All that is known of a policy without a run: what is wrong with it, what it costs, and how its tests end. */
export interface CheckedPolicy {
  readonly definition: PolicyDefinition;
  /** Undefined: it doesn't compile, so no test was run. */
  readonly compiled: CompiledPolicy | undefined;
  /** Those of expressions have a line and a column that count from the beginning of the expression. */
  readonly findings: readonly Finding[];
  readonly tests: PolicyTestReport['results'];
}

/**
 * Compiles a policy whose document passed the schema, and runs its tests. Pure; never throws.
 * @param now ms since the epoch, for the ends of exceptions alone
 */
export function checkPolicy(
  policy: { readonly namespace: string; readonly name: string; readonly spec: OrbPolicySpec },
  now: number,
  engine: PolicyEngine,
): CheckedPolicy {
  const document = compileDocument(policy, now, engine);
  const { definition, findings } = document;
  if (!document.ok) return { definition, compiled: undefined, findings, tests: [] };
  const { compiled } = document;
  const report = runPolicyTests(definition, compiled);
  return { definition, compiled, findings: [...findings, ...report.findings], tests: report.results };
}
