import { expect } from 'chai';
import { whyMissed } from '../../../chaos/steps/missed-kill.ts';

const never = new Promise<never>(() => undefined);

describe('whyMissed', () => {
  it('is nothing when the run is where it shall be killed', async () => {
    expect(await whyMissed(Promise.resolve(), never)).to.equal(undefined);
  });

  it('is nothing when the kill breaks the connection before the process has ended', async () => {
    const ended = new Promise<void>((resolve) => {
      setTimeout(resolve, 5);
    });
    expect(await whyMissed(ended, Promise.reject(new Error('ECONNRESET')))).to.equal(undefined);
  });

  it('says how a run was answered that never came there', async () => {
    const answer = Promise.resolve({ status: 504, code: 'provider-timeout' });
    expect(await whyMissed(never, answer)).to.equal('was answered with 504 provider-timeout: the kill missed');
  });

  it('says that a run without an answer did not come there in time', async () => {
    const late = AbortSignal.timeout(5);
    const reached = new Promise<void>((_, reject) => {
      late.addEventListener('abort', () => reject(late.reason));
    });
    expect(await whyMissed(reached, never)).to.equal('did not come to where it is killed');
  });
});
