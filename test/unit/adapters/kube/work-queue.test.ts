import { expect } from 'chai';
import { aQueue as setup } from '../../../support/kube/a-queue.ts';

const forever = new AbortController().signal;

describe('createWorkQueue', () => {
  it('holds a key once, however often it is added', async () => {
    const { queue, drain } = setup();
    for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
    expect(queue.length()).to.equal(2);
    expect(await drain()).to.deep.equal(['a', 'b']);
  });

  it('runs a key exactly once more when it was added while in work', async () => {
    const { queue, poll, drain } = setup();
    queue.add('a');
    expect(await poll()).to.equal('a');
    queue.add('a');
    queue.add('a');
    expect(await poll()).to.equal(undefined);
    queue.done('a');
    expect(await drain()).to.deep.equal(['a']);
  });

  it('gives a waiting worker the key that is added', async () => {
    const { queue } = setup();
    const first = queue.get(forever);
    const second = queue.get(forever);
    queue.add('a');
    queue.add('b');
    expect(await Promise.all([first, second])).to.deep.equal(['a', 'b']);
  });

  it('keeps a key whose worker left before it came', async () => {
    const { queue, drain } = setup();
    const left = new AbortController();
    const key = queue.get(left.signal);
    left.abort();
    queue.add('a');
    expect(await key).to.equal(undefined);
    expect(await drain()).to.deep.equal(['a']);
  });

  it('serves the highest lane first and every 8th turn the lowest', async () => {
    const { queue, drain } = setup();
    for (let n = 0; n < 9; n += 1) queue.add(`high-${n}`, { lane: 'high' });
    for (let n = 0; n < 2; n += 1) queue.add(`low-${n}`, { lane: 'low' });
    queue.add('normal');
    const order = (await drain()).map((key) => key.split('-')[0]);
    expect(order).to.deep.equal([...Array.from({ length: 7 }, () => 'high'), 'low', 'high', 'high', 'normal', 'low']);
  });

  it('serves an urgent key before all that wait, also one that waits already', async () => {
    const { queue, drain } = setup();
    for (const key of ['one', 'two', 'three']) queue.add(key, { lane: 'high' });
    queue.add('new', { lane: 'urgent' });
    queue.add('two', { lane: 'urgent' });
    expect(await drain()).to.deep.equal(['new', 'two', 'one', 'three']);
  });

  it('only raises a key that is added again', async () => {
    const { queue, drain } = setup();
    queue.add('raised', { lane: 'low' });
    queue.add('kept', { lane: 'high' });
    queue.add('other');
    queue.add('raised', { lane: 'high' });
    queue.add('kept', { lane: 'low' });
    expect(await drain()).to.deep.equal(['kept', 'raised', 'other']);
  });

  it('lets a key that waited 30 s in its lane go one lane up', async () => {
    const { clock, queue, poll } = setup();
    queue.add('old', { lane: 'low' });
    await clock.advance(29_999);
    queue.add('normal');
    expect(await poll()).to.equal('normal');
    for (const key of ['one', 'two']) queue.add(key);
    await clock.advance(1);
    expect(await poll()).to.equal('one');
    queue.add('three');
    expect([await poll(), await poll(), await poll()]).to.deep.equal(['two', 'old', 'three']);
  });

  it('never lets a low key wait for ever behind a stream of high ones', async () => {
    const { clock, queue, poll } = setup();
    queue.add('low', { lane: 'low' });
    let turns = 0;
    for (let key: string | undefined; key !== 'low'; turns += 1) {
      queue.add(`high-${turns}`, { lane: 'high' });
      key = await poll();
      if (key !== undefined) queue.done(key);
      await clock.advance(1);
    }
    expect(turns).to.be.lessThanOrEqual(8);
  });

  it('gives a delayed key at its time, and at the earliest of several', async () => {
    const { clock, queue, drain } = setup();
    queue.add('a', { afterMs: 500 });
    queue.add('a', { afterMs: 100 });
    queue.add('a', { afterMs: 900 });
    queue.add('b', { afterMs: 50 });
    await clock.advance(99);
    expect(await drain()).to.deep.equal(['b']);
    await clock.advance(1);
    expect(await drain()).to.deep.equal(['a']);
    await clock.advance(10_000);
    expect(await drain()).to.deep.equal([]);
  });

  it('cancels the delay of a key that is added now', async () => {
    const { clock, queue, drain } = setup();
    queue.add('a', { afterMs: 500, lane: 'high' });
    queue.add('b');
    queue.add('a');
    expect(await drain()).to.deep.equal(['a', 'b']);
    await clock.advance(1000);
    expect(await drain()).to.deep.equal([]);
  });

  it('holds a delay of more than a timer can hold', async () => {
    const { clock, queue, drain } = setup();
    queue.add('a', { afterMs: 2 ** 31 + 5 });
    await clock.advance(2 ** 31 + 4);
    expect(await drain()).to.deep.equal([]);
    await clock.advance(1);
    expect(await drain()).to.deep.equal(['a']);
  });

  it('keeps order among 2 000 delayed keys', async () => {
    const { clock, queue, drain } = setup();
    const delays = Array.from({ length: 2000 }, (_, n) => ((n * 7919) % 2003) + 1);
    for (const ms of delays) queue.add(`${ms}`, { afterMs: ms });
    for (const ms of delays.filter((delay) => delay % 3 === 0)) queue.add(`${ms}`, { afterMs: 5000 + ms });
    const keys: string[] = [];
    for (let n = 0; n < 21; n += 1) {
      await clock.advance(100);
      keys.push(...(await drain()));
    }
    expect(keys.map(Number)).to.deep.equal(delays.toSorted((one, other) => one - other));
  });

  it('drops what waits on clear, and keeps what is in work', async () => {
    const { clock, queue, poll, drain } = setup();
    queue.add('in-work');
    expect(await poll()).to.equal('in-work');
    queue.add('in-work');
    queue.add('ready');
    queue.add('delayed', { afterMs: 10 });
    queue.addRateLimited('failed');
    queue.clear();
    await clock.advance(1000);
    expect(await drain()).to.deep.equal([]);
    expect(queue.failures('failed')).to.equal(0);
    queue.add('in-work');
    expect(await poll()).to.equal(undefined);
    queue.done('in-work');
    expect(await poll()).to.equal('in-work');
  });

  it('ends waiting workers at shutdown, takes no key any more and waits for those in work', async () => {
    const { clock, queue, poll } = setup();
    queue.add('a');
    expect(await poll()).to.equal('a');
    const waiting = queue.get(forever);
    let ended = false;
    const shutDown = queue.shutDown({ drainMs: 6000 }).then(() => (ended = true));
    queue.add('b');
    expect(await waiting).to.equal(undefined);
    expect(await queue.get(forever)).to.equal(undefined);
    await clock.advance(5999);
    expect(ended).to.equal(false);
    queue.done('a');
    await shutDown;
    expect(clock.monotonic()).to.equal(5999);
  });

  it('waits no longer than the drain time', async () => {
    const { clock, queue, poll } = setup();
    queue.add('a');
    await poll();
    const shutDown = queue.shutDown({ drainMs: 6000 });
    await clock.advance(6000);
    await shutDown;
    expect(clock.monotonic()).to.equal(6000);
  });

  it('counts what it did and tells its load', async () => {
    const { clock, queue, noted, poll } = setup();
    queue.add('a');
    queue.add('a');
    queue.add('b', { lane: 'low' });
    expect(await poll()).to.equal('a');
    await clock.advance(2000);
    queue.add('c', { lane: 'high' });
    await clock.advance(1000);
    expect(noted.load('orb')).to.deep.equal({
      depths: { urgent: 0, high: 1, normal: 0, low: 1, poison: 0 },
      oldestPendingSeconds: 3,
      unfinishedSeconds: 3,
      longestRunningSeconds: 3,
    });
    queue.addRateLimited('a');
    queue.done('a');
    expect(noted.counts()).to.deep.equal({ 'added orb': 3, 'started orb': 1, 'retried orb': 1, 'ended orb': 1 });
  });
});
