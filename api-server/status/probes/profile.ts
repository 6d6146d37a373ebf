import { CANARY, failureOf, GOOD, hasStatus, membersOf, type Found, type ProbeParts } from './probe.ts';

/** `profile`: the reputation of the canary can be read. It is never published, so the answer is that there is none. */
export async function profile({ api }: ProbeParts, signal: AbortSignal): Promise<Found> {
  const answer = await api.call({ method: 'GET', path: `/reputation/${CANARY.orbId}` }, signal);
  const isUnpublished = hasStatus(answer, 404) && membersOf(answer)['code'] === 'orb-not-published';
  return isUnpublished || hasStatus(answer, 200) ? GOOD : failureOf(answer);
}
