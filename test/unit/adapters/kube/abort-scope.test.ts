import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { after, withScope } from '../../../../adapters/kube/abort-scope.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';
import { recordingLogger } from '../../../support/kube/recorders.ts';

describe('withScope', () => {
  it('aborts with its parent, for the same reason', async () => {
    const parent = new AbortController();
    const reason = await withScope(parent.signal, async ({ signal }) => {
      parent.abort(new Error('enough'));
      return String(signal.reason);
    });
    expect(reason).to.equal('Error: enough');
  });

  it('leaves nothing on a parent that lives on, and ends what was started in it', async () => {
    const parent = new AbortController();
    const scopes: AbortSignal[] = [];
    for (let call = 0; call < 3; call += 1) await withScope(parent.signal, async ({ signal }) => scopes.push(signal));
    await withScope(parent.signal, () => Promise.reject(new Error('work'))).catch(() => undefined);
    expect(getEventListeners(parent.signal, 'abort')).to.have.length(0);
    expect(scopes.map(({ aborted }) => aborted)).to.deep.equal([true, true, true]);
  });

  it('does not begin under a parent that is aborted', async () => {
    const { lines, info } = recordingLogger();
    const work = withScope(AbortSignal.abort(new Error('enough')), async () => info('begun'));
    expect(await work.catch(String)).to.equal('Error: enough');
    expect(lines).to.deep.equal([]);
  });
});

describe('after', () => {
  it('acts once when the time has come, and not when the signal came first', async () => {
    const clock = createFakeClock(0);
    const acted: string[] = [];
    const stop = new AbortController();
    after(clock, 10, { signal: new AbortController().signal, act: () => acted.push('one') });
    after(clock, 10, { signal: stop.signal, act: () => acted.push('other') });
    stop.abort();
    await clock.advance(9);
    expect(acted).to.deep.equal([]);
    await clock.advance(50);
    expect(acted).to.deep.equal(['one']);
  });
});
