import { samplesOf } from './exposition.ts';
import { CANARY, failed, failureOf, GOOD, LEFT_OUT, type Found, type ProbeParts, type RoundRun } from './probe.ts';

const COUNT = 'orb_provider_request_duration_seconds_count';

/**
 * `measured`: the API's own metrics counted the run of this round. A run that a policy denied called no provider, so
 * nothing was to be counted.
 */
export async function measured(
  { metrics, platformNamespace, memory }: ProbeParts,
  run: RoundRun,
  signal: AbortSignal,
): Promise<Found> {
  if (run.kind !== 'done' || run.isDenied) return LEFT_OUT;
  const answer = await metrics.call({ method: 'GET', path: '/metrics' }, signal);
  if (answer.kind === 'failed' || answer.status !== 200) return failureOf(answer);
  const labels = [`orb_namespace="${platformNamespace}"`, `orb_id="${CANARY.orbId}"`];
  const counted = samplesOf(answer.body, COUNT, labels).reduce((sum, value) => sum + value, 0);
  const before = memory.countedRuns;
  memory.countedRuns = counted;
  // A smaller number is that of a process that has started since.
  return counted > 0 && counted !== before ? GOOD : failed('not-counted');
}
