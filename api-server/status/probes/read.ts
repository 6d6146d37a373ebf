import { failed, failureOf, GOOD, hasStatus, LEFT_OUT, membersOf, type Found, type ProbeParts } from './probe.ts';
import type { ReceiveResult } from './receive.ts';

const AGAIN_MS = 100;

/** `read`: the event of this round became a signal within the deadline. */
export async function read(parts: ProbeParts, received: ReceiveResult, signal: AbortSignal): Promise<Found> {
  const { api, clock } = parts;
  const { found, deliveryId } = received;
  if (found.kind === 'left-out') return LEFT_OUT;
  if (deliveryId === undefined) return failed('needs-failed-check');
  for (;;) {
    const answer = await api.call({ method: 'GET', path: `/signals?delivery_id=${deliveryId}` }, signal);
    if (!hasStatus(answer, 200)) return signal.aborted ? failed('not-mapped') : failureOf(answer);
    const { items } = membersOf(answer);
    if (Array.isArray(items) && items.length > 0) return GOOD;
    const isOver = await clock.sleep(AGAIN_MS, signal).then(
      () => false,
      () => true,
    );
    if (isOver) return failed('not-mapped');
  }
}
