/** Answer to a run. */
interface Answered {
  readonly status: number;
  readonly code: string;
}

/**
 * Waits for the moment of a kill.
 * @param reached when the run is where it shall be killed; rejected: it did not come there in time
 * @param sent answer to the run; it comes first when the run never gets there
 * @returns why the kill misses; undefined: the run is there
 */
export function whyMissed(reached: Promise<unknown>, sent: Promise<Answered>): Promise<string | undefined> {
  const there = reached.then(
    () => undefined,
    () => 'did not come to where it is killed',
  );
  const answered = sent.then(
    ({ status, code }) => `was answered with ${`${status} ${code}`.trim()}: the kill missed`,
    // The kill breaks its connection.
    () => there,
  );
  return Promise.race([there, answered]);
}
