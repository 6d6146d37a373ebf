import { expect } from 'chai';
import { Slots } from '../../../../api-server/runtime/slots.ts';

const never = new AbortController().signal;
const ACME = { tenant: 'acme', key: 'key:one' };

describe('Slots (security.md S6)', () => {
  it('gives slots at once up to the limit of each key', () => {
    const slots = new Slots({ perKey: 2, waiting: 10 });
    expect(slots.acquire(ACME, ['a'], never)).to.not.be.instanceOf(Promise);
    expect(slots.acquire(ACME, ['a'], never)).to.not.be.instanceOf(Promise);
    expect(slots.acquire(ACME, ['a'], never)).to.be.instanceOf(Promise);
    expect(slots.acquire(ACME, ['b'], never)).to.not.be.instanceOf(Promise);
  });

  it('hands a released slot to the one that waits longest', async () => {
    const slots = new Slots({ perKey: 1, waiting: 10 });
    const first = await slots.acquire(ACME, ['a'], never);
    const order: string[] = [];
    const second = Promise.resolve(slots.acquire(ACME, ['a'], never)).then((held) => {
      order.push('second');
      return held?.release();
    });
    const third = Promise.resolve(slots.acquire(ACME, ['a'], never)).then(() => order.push('third'));
    first?.release();
    await Promise.all([second, third]);
    expect(order).to.deep.equal(['second', 'third']);
  });

  it('gives a waiter up when its run is over, and takes nothing for it', async () => {
    const slots = new Slots({ perKey: 1, waiting: 10 });
    const held = await slots.acquire(ACME, ['a'], never);
    const controller = new AbortController();
    const waiting = Promise.resolve(slots.acquire(ACME, ['a'], controller.signal));
    controller.abort();
    expect(await waiting).to.equal(undefined);
    held?.release();
    expect(slots.acquire(ACME, ['a'], never)).to.not.be.instanceOf(Promise);
  });

  it('has no room when as many wait as may, and knows which keys are still free', () => {
    const slots = new Slots({ perKey: 1, waiting: 1 });
    void slots.acquire(ACME, ['a'], never);
    expect([slots.hasRoom(ACME), slots.free(ACME, ['a'])]).to.deep.equal([true, false]);
    void slots.acquire(ACME, ['a'], never);
    expect([slots.hasRoom(ACME), slots.free(ACME, ['a']), slots.free(ACME, ['b'])]).to.deep.equal([false, false, true]);
  });

  it('counts a slot that is released twice once', async () => {
    const slots = new Slots({ perKey: 1, waiting: 10 });
    const held = await slots.acquire(ACME, ['a'], never);
    held?.release();
    held?.release();
    void slots.acquire(ACME, ['a'], never);
    expect(slots.acquire(ACME, ['a'], never)).to.be.instanceOf(Promise);
  });
});
