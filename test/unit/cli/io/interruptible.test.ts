import { expect } from 'chai';
import { EXIT, Failure } from '../../../../cli/io/failure.ts';
import { interruptible } from '../../../../cli/io/interruptible.ts';
import { refusal } from '../../../support/refusal.ts';

// Nobody else listens to it in a test run.
const SIGNAL = 'SIGHUP';

describe('interruptible', () => {
  it('asks the work to end at a signal, and lets it tidy up', async () => {
    let tidied = false;
    const stopped = await refusal(
      interruptible(async (signal) => {
        const reported = new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        process.kill(process.pid, SIGNAL);
        try {
          await reported;
        } finally {
          tidied = true;
        }
      }),
    );
    expect(stopped).to.be.instanceOf(Failure);
    expect(stopped).to.include({ exit: EXIT.negative, message: 'stopped by SIGHUP: nothing was changed' });
    expect(tidied).to.equal(true);
  });

  it('leaves no listener behind', async () => {
    const before = process.listenerCount(SIGNAL);
    expect(await interruptible(async () => process.listenerCount(SIGNAL))).to.equal(before + 1);
    expect(process.listenerCount(SIGNAL)).to.equal(before);
  });
});
