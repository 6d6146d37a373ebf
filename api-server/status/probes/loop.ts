import { samplesOf } from './exposition.ts';
import { failed, failureOf, GOOD, LEFT_OUT, type Found, type ProbeParts } from './probe.ts';

/** Three ticks of the swap loop, seconds. */
const MAX_AGE_S = 45;
const TICK_AGE = 'orb_swap_tick_age_seconds';
const DATA_AGE = 'orb_prometheus_data_age_seconds';

const isFresh = (text: Buffer): boolean =>
  [...samplesOf(text, TICK_AGE), ...samplesOf(text, DATA_AGE)].every(
    // Infinite: there was nothing to measure yet.
    (seconds) => !Number.isFinite(seconds) || seconds <= MAX_AGE_S,
  );

/**
 * `loop`: the process that leads ticked, and saw data that is not too old. A process that does not lead has no such
 * series. Where several say that they lead, the youngest tick counts: the old leader's series end with it.
 */
export async function loop({ loops }: ProbeParts, signal: AbortSignal): Promise<Found> {
  const clients = await loops?.();
  if (clients === undefined) return LEFT_OUT;
  const answers = await Promise.all(clients.map((client) => client.call({ method: 'GET', path: '/metrics' }, signal)));
  const texts = answers.flatMap((answer) => (answer.kind === 'answered' && answer.status === 200 ? [answer.body] : []));
  const [firstAnswer] = answers;
  if (texts.length === 0) return firstAnswer === undefined ? failed('unreachable') : failureOf(firstAnswer);
  const leaders = texts.filter((text) => samplesOf(text, TICK_AGE).length > 0);
  return leaders.some(isFresh) ? GOOD : failed('too-old');
}
