import type { PolicyTest } from '../../../crds/orbpolicy.ts';
import { isJsonObject, type JsonObject } from '../../json/json-value.ts';
import type { Finding } from '../../manifest/finding.ts';
import { decide, NO_ORBISET_POLICIES } from '../decision/decide.ts';
import type { Decision } from '../decision/decision.ts';
import { policySet, type PolicySet } from '../decision/policy-set.ts';
import type { PolicyDefinition } from '../document/definition.ts';
import { ORB_FACTS, withInputs } from '../facts/orb-facts.ts';
import type { CompiledPolicy } from '../language/port.ts';
import { toEnd, type Steps } from '../../steps/steps.ts';
import { completedFacts } from './test-facts.ts';

interface PolicyTestResult {
  readonly name: string;
  readonly passed: boolean;
  /** What was expected and what came instead; empty when it passed. */
  readonly detail: string;
}

export interface PolicyTestReport {
  readonly results: readonly PolicyTestResult[];
  /** Errors of inputs: unknown facts, values of another type. Such a test has not passed. */
  readonly findings: readonly Finding[];
}

/** The policy alone, enforced for every run: a test is about its rules, not about whom it means. */
function asEnforced(definition: PolicyDefinition, compiled: CompiledPolicy): PolicySet {
  const spec = { ...definition.spec, match: {} };
  return policySet([{ definition: { ...definition, spec, rolloutPercent: 100 }, compiled, mode: 'Enforce' }], []);
}

const listed = (texts: readonly string[]): string => (texts.length === 0 ? 'none' : texts.join(', '));

function decisionFault({ decision }: PolicyTest['expect'], made: Decision): string | undefined {
  const isMet = decision === 'none' ? made.defaultUsed : decision === made.decision;
  const actual = made.defaultUsed ? `none (by default ${made.decision})` : made.decision;
  return isMet ? undefined : `expected ${decision}, got ${actual}`;
}

function ruleFault({ rule }: PolicyTest['expect'], made: Decision): string | undefined {
  if (rule === undefined || made.rules.some((one) => one.rule === rule && one.result === 'true')) return undefined;
  return `expected rule ${rule}, got ${listed(made.rules.map((one) => `${one.rule} ${one.result}`))}`;
}

function obligationFault({ obligations }: PolicyTest['expect'], made: Decision): string | undefined {
  if (obligations === undefined) return undefined;
  const wanted = listed([...obligations].toSorted());
  const got = listed(Object.keys(made.obligations).toSorted());
  return wanted === got ? undefined : `expected obligations ${wanted}, got ${got}`;
}

function resultOf({ name, expect }: PolicyTest, made: Decision): PolicyTestResult {
  const faults = [decisionFault(expect, made), ruleFault(expect, made), obligationFault(expect, made)];
  const detail = faults.filter((fault) => fault !== undefined).join('; ');
  return { name, passed: detail === '', detail };
}

const inputOf = ({ input }: PolicyTest): JsonObject => (isJsonObject(input) ? input : {});

/**
 * Runs the tests of a policy with the functions that decide about runs. A test gives some facts; the others have
 * defaults. It is about the rules: `match`, mode and rollout are left out, exceptions hold.
 */
export const runPolicyTests = (definition: PolicyDefinition, compiled: CompiledPolicy): PolicyTestReport =>
  toEnd(policyTestSteps(definition, compiled));

/** The same in pieces: a test each, at most a decision of a full budget. */
export function* policyTestSteps(definition: PolicyDefinition, compiled: CompiledPolicy): Steps<PolicyTestReport> {
  const { spec, phases } = definition;
  const set = asEnforced(definition, compiled);
  const schema = withInputs(ORB_FACTS, spec.inputFacts);
  const phase = phases[0] ?? 'PreFlight';
  const options = { orbiset: NO_ORBISET_POLICIES, namespace: definition.namespace, kept: undefined };
  const findings: Finding[] = [];
  const results: PolicyTestResult[] = [];
  for (const [index, test] of spec.tests.entries()) {
    yield;
    const completed = completedFacts(schema, inputOf(test), `/spec/tests/${index}/input`);
    findings.push(...completed.findings);
    results.push(
      completed.findings.length > 0
        ? { name: test.name, passed: false, detail: 'its input has errors' }
        : resultOf(test, decide(set, completed.facts, phase, options)),
    );
  }
  return { results, findings };
}
