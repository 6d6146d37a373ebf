import { expect } from 'chai';
import { aQueue as setup } from '../../../support/kube/a-queue.ts';

const forever = new AbortController().signal;

describe('createWorkQueue, keys that fail', () => {
  it('counts failures in a row and starts again after forget', async () => {
    const { clock, queue, poll } = setup();
    for (let n = 0; n < 3; n += 1) queue.addRateLimited('a');
    expect(queue.failures('a')).to.equal(3);
    queue.forget('a');
    expect(queue.failures('a')).to.equal(0);
    await clock.advance(1000);
    expect(await poll()).to.equal('a');
    queue.addRateLimited('a');
    queue.done('a');
    await clock.advance(5);
    expect(await poll()).to.equal('a');
  });

  const backOffs: readonly (readonly [number, number])[] = [
    [0, 5],
    [1, 10],
    [7, 640],
    [17, 655_360],
    [18, 1_000_000],
    [40, 1_000_000],
  ];
  for (const [failures, ms] of backOffs) {
    it(`waits exactly ${ms} ms after failure ${failures + 1} in a row`, async () => {
      const { clock, queue, drain, poll } = setup();
      for (let n = 0; n < failures; n += 1) queue.addRateLimited('a');
      await clock.advance(1_000_000);
      expect(await drain()).to.deep.equal(failures === 0 ? [] : ['a']);
      queue.addRateLimited('a');
      await clock.advance(ms - 1);
      expect(await poll()).to.equal(undefined);
      await clock.advance(1);
      expect(await poll()).to.equal('a');
    });
  }

  it('lets 100 retries go at once and then 10 a second', async () => {
    const { clock, queue, drain } = setup();
    for (let n = 0; n < 130; n += 1) queue.addRateLimited(`key-${n}`);
    await clock.advance(5);
    expect(await drain()).to.have.length(100);
    await clock.advance(995);
    expect(await drain()).to.have.length(10);
    await clock.advance(2000);
    expect(await drain()).to.have.length(20);
  });

  it('runs keys that failed 10 times one at a time, so that others never wait for them', async () => {
    const { clock, queue, poll } = setup();
    const bad = ['bad-0', 'bad-1', 'bad-2'];
    for (const key of bad) for (let n = 0; n < 10; n += 1) queue.addRateLimited(key);
    await clock.advance(10_000);
    queue.add('good');
    expect(await poll()).to.equal('good');
    const one = await poll();
    expect(bad).to.include(one);
    expect(await poll()).to.equal(undefined);
    queue.done(one ?? '');
    const other = await poll();
    expect(bad).to.include(other);
    expect(other).to.not.equal(one);
    expect(await poll()).to.equal(undefined);
  });

  it('gives a poison key to the worker that waits when the one before is done', async () => {
    const { clock, queue, poll } = setup();
    for (const key of ['a', 'b']) for (let n = 0; n < 10; n += 1) queue.addRateLimited(key);
    await clock.advance(10_000);
    expect(await poll()).to.equal('a');
    const next = queue.get(forever);
    queue.done('a');
    expect(await next).to.equal('b');
  });

  it('never lets one key that always fails delay others by more than a second', async () => {
    const { clock, queue } = setup();
    const waits: number[] = [];
    const addedAt = new Map<string, number>();
    const work = async (): Promise<void> => {
      for (let key = await queue.get(forever); key !== undefined; key = await queue.get(forever)) {
        if (key === 'bad') {
          await clock.sleep(60_000, forever);
          queue.addRateLimited(key);
        } else {
          waits.push(clock.monotonic() - (addedAt.get(key) ?? -Infinity));
          await clock.sleep(50, forever);
        }
        queue.done(key);
      }
    };
    const workers = Array.from({ length: 8 }, work);
    queue.add('bad', { lane: 'high' });
    for (let n = 0; n < 400; n += 1) {
      addedAt.set(`good-${n}`, clock.monotonic());
      queue.add(`good-${n}`);
      await clock.advance(0);
      await clock.advance(2000);
    }
    const ended = queue.shutDown({ drainMs: 60_000 });
    await clock.advance(60_000);
    await ended;
    await Promise.all(workers);
    expect(waits).to.have.length(400);
    expect(Math.max(...waits)).to.be.lessThanOrEqual(1000);
  });
});
