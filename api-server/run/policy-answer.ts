import type { CompiledOrbiset } from '../../core/orb/orbiset.ts';
import type { ProblemOptions } from '../http/problem-options.ts';
import { denialJson } from './policy-rows.ts';
import { decisionOf, type RunPolicy } from './run-policy.ts';

const APPROVAL_NEXT =
  'Let another identity with the scope approve: POST /decisions/{decision_id}/approve. Then send the request again within 15 minutes, with another Idempotency-Key.';

/** The parts of a problem that say why policies denied a run (policy.md §3.2). */
export function denialOptions(
  policy: RunPolicy,
  { redactor }: Pick<CompiledOrbiset, 'redactor'>,
): Pick<ProblemOptions, 'detail' | 'next' | 'extensions'> {
  const { denials } = decisionOf(policy);
  const detail = redactor.text(denials[0]?.message ?? '').value;
  return {
    ...(detail === '' ? {} : { detail }),
    ...(denials.some(({ code }) => code === 'approval-required') ? { next: APPROVAL_NEXT } : {}),
    extensions: { decision_id: policy.decisionId, rules: denials.map(denialJson) },
  };
}
