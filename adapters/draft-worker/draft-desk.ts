import { compileDocument } from '../../core/policy/document/compile-document.ts';
import { CEL_ENGINE } from '../../core/policy/language/cel-engine.ts';
import { fixPolicy, MAX_TRACE_PARTS, partsIn } from '../../core/policy/simulation/fixed-policy.ts';
import { validatePolicy } from '../../core/policy/simulation/validate-policy.ts';
import type { EvaluatedDraft, EvaluateWork, ValidatedDraft, ValidateWork } from './port.ts';

/** Checks a policy, on the thread that calls it. */
export function validateDraft({ policy, othersUnits, now }: ValidateWork): ValidatedDraft {
  const found = validatePolicy(policy, [{ costUnits: othersUnits }], now, CEL_ENGINE);
  const { valid, definition, compiled, budgetAfter, tests, findings } = found;
  const { digest } = definition;
  if (compiled === undefined) return { valid, digest, compiled, budgetAfter, tests, findings };
  const { readsFacts, costUnits } = compiled;
  return { valid, digest, compiled: { readsFacts, costUnits }, budgetAfter, tests, findings };
}

/** Compiles policies and evaluates them, on the thread that calls it. */
export function evaluateDrafts({ policies, facts, isTraced, now }: EvaluateWork): readonly EvaluatedDraft[] {
  let traceParts = isTraced ? MAX_TRACE_PARTS : 0;
  return policies.map((written): EvaluatedDraft => {
    const document = compileDocument(written, now, CEL_ENGINE);
    if (!document.ok) return { ok: false, findings: document.findings };
    const policy = fixPolicy(document.compiled, facts, traceParts);
    traceParts -= policy.traces.reduce((sum, trace) => sum + (trace === undefined ? 0 : partsIn(trace)), 0);
    return { ok: true, policy };
  });
}
