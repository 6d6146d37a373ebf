import type { DueLine } from '../../api-server/reputation/due-versions.ts';
import type { Evaluated, Evaluator } from '../../api-server/reputation/evaluator.ts';
import type { FakeClock } from './fake-clock.ts';
import { whileTimePasses } from './while-time-passes.ts';

const never = new AbortController().signal;

/**
 * Scores versions of one line and writes the evaluations. What is shown waits for a checkpoint, which is signed some
 * time after the log has grown, so the clock moves meanwhile.
 * @param epoch of the lease `reputation`
 */
export async function evaluateOnce(
  evaluator: Evaluator,
  clock: FakeClock,
  line: DueLine,
  epoch = 1,
): Promise<readonly Evaluated[]> {
  const write = async (): Promise<readonly Evaluated[]> => {
    const scored = await evaluator.score(line);
    return Promise.all(scored.map((one) => evaluator.write(one, { epoch, signal: never, check: () => undefined })));
  };
  return whileTimePasses(clock, write());
}
