import type { DraftAnswer } from '../../../adapters/draft-worker/port.ts';
import { problem } from '../../http/problem.ts';
import { refuse, type Reply, type RouteRequest, type Step } from '../../http/route.ts';

/** Codes that a route may answer when its drafts can't be compiled now. */
export const DRAFT_PROBLEMS = ['policy-invalid', 'rate-limited', 'overloaded'] as const;

function refusalOf(
  request: RouteRequest,
  answer: Exclude<DraftAnswer<unknown>, { readonly kind: 'done' }>,
  pointer: string,
): Reply {
  if (answer.kind === 'too-expensive') {
    const detail = `${answer.detail}: divide the policy, or write fewer and shorter tests`;
    return problem(request, 'policy-invalid', { errors: [{ pointer, code: 'too-expensive', detail }] });
  }
  if (answer.kind === 'busy' && answer.of === 'tenant') {
    const detail = 'Several policies of the tenant are compiled already: wait for them.';
    return problem(request, 'rate-limited', { detail, headers: { 'retry-after': '1' } });
  }
  return problem(request, 'overloaded', { detail: 'Policies can not be compiled at this moment.' });
}

/** What was found, or the problem to answer. @param pointer to the drafts in the document that errors point into */
export const draftStep = <T>(request: RouteRequest, answer: DraftAnswer<T>, pointer: string): Step<T> =>
  answer.kind === 'done' ? { ok: true, value: answer.value } : refuse(refusalOf(request, answer, pointer));
