import type { CompiledOrbiset } from '../../core/orb/orbiset.ts';
import type { ProblemOptions } from '../http/problem-options.ts';
import { denialsJson } from './policy-json.ts';
import type { RunPolicy } from './run-policy.ts';

const APPROVAL_NEXT =
  'Let another identity with the scope approve: POST /decisions/{decision_id}/approve. Then send the request again within 15 minutes, with another Idempotency-Key.';

/** A message has at most 512 characters (policy.md §3.3); redacting may make it longer. */
const MAX_DETAIL = 1024;

/** The parts of a problem that say why policies denied a run (policy.md §3.2). */
export function denialOptions(
  policy: RunPolicy,
  { redactor }: Pick<CompiledOrbiset, 'redactor'>,
): Pick<ProblemOptions, 'detail' | 'next' | 'extensions'> {
  const { denials } = policy.decided;
  const detail = redactor
    .text(denials[0]?.message ?? '')
    .value.slice(0, MAX_DETAIL)
    .toWellFormed();
  return {
    ...(detail === '' ? {} : { detail }),
    ...(denials.some(({ code }) => code === 'approval-required') ? { next: APPROVAL_NEXT } : {}),
    extensions: { decision_id: policy.decisionId, rules: denialsJson(denials) },
  };
}
