import { expect } from 'chai';
import { done } from '../../../../core/reconcile/outcome.ts';
import { NotLeading } from '../../../../core/errors/not-leading.ts';
import { started, untilAborted } from '../../../support/kube/a-controller.ts';

describe('createController, beginning and end', () => {
  it('forgets what was queued before it began when it is told every key there is', async () => {
    const { clock, queue, runs, controller, stop, ended } = started(async () => done, { keys: () => ['a'] });
    stop.abort();
    await ended;
    for (const key of ['a', 'gone']) queue.add(key, { lane: 'high' });
    await clock.advance(3_600_000);
    const again = new AbortController();
    const second = controller.run(again.signal);
    await clock.advance(0);
    again.abort();
    await second;
    expect(runs).to.deep.equal({ a: [3_600_000] });
  });

  it('begins with every key there is and drops the queue when it ends, each time', async () => {
    const { clock, queue, runs, controller, stop, ended } = started(async () => done, { keys: () => ['a', 'b'] });
    await clock.advance(0);
    queue.add('later', { afterMs: 50 });
    stop.abort();
    await ended;
    await clock.advance(100);
    expect(queue.length()).to.equal(0);
    const again = new AbortController();
    const second = controller.run(again.signal);
    await clock.advance(0);
    again.abort();
    await second;
    expect(runs).to.deep.equal({ a: [0, 100], b: [0, 100] });
  });

  it('aborts runs in flight with its signal and counts them as nothing', async () => {
    const { clock, queue, counts, stop, ended, log } = started((_key, { signal }) => untilAborted(signal));
    queue.add('a');
    await clock.advance(0);
    stop.abort(new NotLeading());
    await ended;
    expect(counts()).to.include({ 'ended orb uncounted': 1 }).and.not.have.any.keys('ended orb error', 'retried orb');
    expect(log.texts()).to.deep.equal([]);
  });

  it('ends within a second of its signal though a run ignores it', async () => {
    const { clock, queue, stop, ended } = started(() => new Promise(() => undefined));
    queue.add('a');
    await clock.advance(0);
    stop.abort();
    await clock.advance(0);
    await clock.advance(1000);
    await ended;
    expect(clock.monotonic()).to.equal(1000);
  });

  it('lets runs in flight end when it is drained, and takes no other', async () => {
    const { clock, queue, runs, controller, ended } = started(
      async (_key, { signal }) => {
        await clock.sleep(500, signal);
        return done;
      },
      { workers: 1 },
    );
    queue.add('a');
    queue.add('b');
    await clock.advance(0);
    const drained = controller.drain(6000);
    await clock.advance(500);
    await drained;
    await ended;
    expect(runs).to.deep.equal({ a: [0] });
  });
});
