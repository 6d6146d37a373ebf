import { expect } from 'chai';
import { startCallers } from '../../support/callers.ts';

const PER_SECOND = 1000;
const PAUSE_MS = 50;

describe('callers at a steady rate', () => {
  it('are all started after a pause of the process, also those that are due when it stops', async () => {
    const numbers: number[] = [];
    const stop = startCallers(PER_SECOND, async (number) => numbers.push(number));
    // Nothing else of this process runs meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    await stop();
    expect(numbers.length).to.be.at.least(PAUSE_MS);
    expect(numbers).to.deep.equal(numbers.map((_, index) => index));
  });

  it('are waited for by the stop, and none starts after it', async () => {
    const answers: (() => void)[] = [];
    const stop = startCallers(
      PER_SECOND,
      () =>
        new Promise<void>((resolve) => {
          answers.push(resolve);
        }),
    );
    let stopped = false;
    const untilStopped = async (): Promise<void> => {
      await stop();
      stopped = true;
    };
    const stopping = untilStopped();
    await new Promise((resolve) => setImmediate(resolve));
    const started = answers.length;
    expect(started).to.be.at.least(1);
    expect(stopped).to.equal(false);
    for (const answer of answers) answer();
    await stopping;
    expect(answers.length).to.equal(started);
  });
});
