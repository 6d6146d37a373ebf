import { expect } from 'chai';
import { OriginSlots } from '../../../../adapters/egress/slots.ts';

const never = (): AbortSignal => new AbortController().signal;

describe('OriginSlots', () => {
  it('gives as many slots as the limit, for each origin', () => {
    const slots = new OriginSlots(2);
    expect([slots.take('a'), slots.take('a'), slots.take('a'), slots.take('b')]).to.deep.equal([
      true,
      true,
      false,
      true,
    ]);
  });

  it('gives a released slot to who waits longest', async () => {
    const slots = new OriginSlots(1);
    slots.take('a');
    const order: string[] = [];
    const first = slots.wait('a', never()).then(() => order.push('first'));
    const second = slots.wait('a', never()).then(() => order.push('second'));
    slots.release('a');
    await first;
    expect(order).to.deep.equal(['first']);
    expect(slots.take('a')).to.equal(false);
    slots.release('a');
    await second;
    expect(order).to.deep.equal(['first', 'second']);
  });

  it('lets go of who is aborted, and passes the slot to the next', async () => {
    const slots = new OriginSlots(1);
    slots.take('a');
    const controller = new AbortController();
    const gone = slots.wait('a', controller.signal);
    const stays = slots.wait('a', never());
    controller.abort();
    slots.release('a');
    expect([await gone, await stays]).to.deep.equal([false, true]);
  });

  it('has all slots again after every release', () => {
    const slots = new OriginSlots(2);
    slots.take('a');
    slots.take('a');
    slots.release('a');
    slots.release('a');
    slots.release('a');
    expect([slots.take('a'), slots.take('a'), slots.take('a')]).to.deep.equal([true, true, false]);
  });

  it('keeps those that are in use when one of them is released', () => {
    const slots = new OriginSlots(3);
    slots.take('a');
    slots.take('a');
    slots.take('a');
    slots.release('a');
    expect([slots.take('a'), slots.take('a')]).to.deep.equal([true, false]);
  });

  it('forgets who was aborted, wherever it waits', async () => {
    const slots = new OriginSlots(1);
    slots.take('a');
    const controllers = Array.from({ length: 3 }, () => new AbortController());
    const waits = controllers.map(({ signal }) => slots.wait('a', signal));
    controllers[1]?.abort();
    slots.release('a');
    slots.release('a');
    expect(await Promise.all(waits)).to.deep.equal([true, false, true]);
    slots.release('a');
    expect([slots.take('a'), slots.take('a')]).to.deep.equal([true, false]);
  });
});
