import { expect } from 'chai';
import { threadOf } from '../../../../adapters/threads/start-thread.ts';

describe('threadOf', () => {
  it('tells of a thread that could not be started as of one that ended, after the caller has it', async () => {
    const ends: unknown[] = [];
    let isReturned = false;
    // `Worker` refuses the scheme where it would also throw when the system gives no further thread.
    const start = threadOf<string, string>(new URL('http://localhost/thread.ts'), { name: 'test' });
    const thread = start({
      onMessage: () => undefined,
      onEnd: (cause) => ends.push([isReturned, cause instanceof Error && 'code' in cause ? cause.code : cause]),
    });
    isReturned = true;
    thread.post('a message');
    await thread.ended;
    await thread.terminate();
    expect(ends).to.deep.equal([[true, 'ERR_INVALID_URL_SCHEME']]);
    expect(Number.isNaN(await thread.cpuMs())).to.equal(true);
  });
});
