import { isJsonObject } from '../../json/json-value.ts';
import { checkDocument } from '../../manifest/documents.ts';
import type { Checked, Finding } from '../../manifest/finding.ts';
import { explainFindings } from '../../reconcile/explain-findings.ts';
import type { KubeObject } from '../../reconcile/kube-object.ts';
import type { OrbPolicySpec } from '../../../crds/orbpolicy.ts';
import { compileDocumentSteps } from '../document/compile-document.ts';
import type { PolicyDefinition } from '../document/definition.ts';
import type { CompiledPolicy, PolicyEngine } from '../language/port.ts';
import { toEnd, type Steps } from '../../steps/steps.ts';
import { policyTestSteps, type PolicyTestReport } from '../simulation/run-tests.ts';

/** What a policy is judged by, beside its own text. */
export interface JudgeOptions {
  readonly engine: PolicyEngine;
  /** The only namespace whose policies may be for every tenant. */
  readonly platformNamespace: string;
  /** ms since the epoch; only the ends of exceptions depend on it */
  readonly now: number;
}

interface Judged {
  /** Errors and warnings; pointers are relative to the object. */
  readonly findings: readonly Finding[];
}

/** A generation of a policy that may take force. */
export interface AcceptedPolicy extends Judged {
  readonly kind: 'accepted';
  readonly definition: PolicyDefinition;
  readonly compiled: CompiledPolicy;
  readonly tests: PolicyTestReport;
}

/** A generation that may not. */
export interface RefusedPolicy extends Judged {
  readonly kind: 'refused';
  readonly reason: 'SpecInvalid' | 'ScopeNotAllowed' | 'CompileFailed' | 'TestsFailed';
  /** What to change, at most about 1 KiB. */
  readonly message: string;
  /** Undefined when the spec can't be read. */
  readonly definition: PolicyDefinition | undefined;
  /** Both are undefined unless it compiles. */
  readonly compiled: CompiledPolicy | undefined;
  readonly tests: PolicyTestReport | undefined;
}

const error = (code: string, pointer: string, detail: string): Finding => ({
  severity: 'error',
  code,
  pointer,
  detail,
});

const isError = ({ severity }: Finding): boolean => severity === 'error';

/** Checks the same schema as `kubectl apply`, for objects stored before the schema existed. */
function parsedSpec({ metadata, spec, unsafeIntegers = [] }: KubeObject): Checked<OrbPolicySpec> {
  if (!isJsonObject(spec)) return { ok: false, findings: [error('spec-missing', '/spec', 'Write one; {} is enough.')] };
  const rounded = unsafeIntegers.filter((pointer) => pointer.startsWith('/spec/'));
  if (rounded.length > 0) {
    const detail = 'The integer is beyond ±(2^53−1); write a smaller one.';
    return { ok: false, findings: rounded.map((pointer) => error('number-unsafe', pointer, detail)) };
  }
  const { namespace = 'default', name } = metadata;
  const envelope = { apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbPolicy', metadata: { name, namespace } };
  const checked = checkDocument({ ...envelope, spec });
  if (!checked.ok) return checked;
  if (checked.value.kind !== 'OrbPolicy') throw new TypeError('a policy was taken for something else');
  return { ok: true, value: checked.value.spec, findings: checked.findings };
}

/** `scope: Platform` outside of the platform namespace: a tenant must not decide for others. */
function scopeFindings({ namespace, spec }: PolicyDefinition, platformNamespace: string): readonly Finding[] {
  if (spec.scope === 'Namespace' || namespace === platformNamespace) return [];
  const detail = `Only policies of the namespace ${platformNamespace} are for every tenant: write scope Namespace.`;
  return [error('scope-not-allowed', '/spec/scope', detail)];
}

const failedTests = ({ results }: PolicyTestReport): string =>
  results
    .filter(({ passed }) => !passed)
    .map(({ name, detail }) => `${name}: ${detail}`)
    .join('. ');

/**
 * Judges one generation of a policy: whether it may take force. The operator, the API and the HTTP service decide by it.
 * Pure; never throws. It takes up to a second for the largest policies.
 */
export const judgePolicy = (policy: KubeObject, options: JudgeOptions): AcceptedPolicy | RefusedPolicy =>
  toEnd(judgePolicySteps(policy, options));

/** The same in pieces of a few milliseconds. */
export function* judgePolicySteps(policy: KubeObject, options: JudgeOptions): Steps<AcceptedPolicy | RefusedPolicy> {
  const parsed = parsedSpec(policy);
  const none = { definition: undefined, compiled: undefined, tests: undefined };
  if (!parsed.ok) {
    const { findings } = parsed;
    return { kind: 'refused', reason: 'SpecInvalid', message: explainFindings(findings, ''), findings, ...none };
  }
  const { namespace = 'default', name } = policy.metadata;
  yield;
  const document = yield* compileDocumentSteps({ namespace, name, spec: parsed.value }, options.now, options.engine);
  const { definition } = document;
  const scope = scopeFindings(definition, options.platformNamespace);
  const findings = [...scope, ...document.findings];
  if (!document.ok || scope.length > 0) {
    const reason = document.ok ? 'ScopeNotAllowed' : 'CompileFailed';
    const message = explainFindings(findings.filter(isError), '');
    return { kind: 'refused', reason, message, findings, ...none, definition };
  }
  const { compiled } = document;
  const tests = yield* policyTestSteps(definition, compiled);
  const judged = { definition, compiled, tests, findings: [...findings, ...tests.findings] };
  const failed = failedTests(tests);
  return failed === ''
    ? { kind: 'accepted', ...judged }
    : { kind: 'refused', reason: 'TestsFailed', message: failed, ...judged };
}
