import { expect } from 'chai';
import { InOrder } from '../../../../cli/verify-lines/in-order.ts';
import { refusal } from '../../../support/refusal.ts';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('InOrder', () => {
  it('writes in the order of the beginnings, each as soon as those before it are written', async () => {
    const written: string[] = [];
    const order = new InOrder<string>(10, async (text) => void written.push(text));
    const [one, two, three] = [1, 2, 3].map(() => Promise.withResolvers<string>());
    for (const each of [one, two, three]) await order.add(each?.promise ?? Promise.resolve(''));
    two?.resolve('two');
    await settled();
    expect(written).to.deep.equal([]);
    one?.resolve('one');
    await settled();
    expect(written).to.deep.equal(['one', 'two']);
    three?.resolve('three');
    await order.end();
    expect(written).to.deep.equal(['one', 'two', 'three']);
  });

  it('takes no more than it may hold until the oldest is written', async () => {
    const order = new InOrder<string>(2, async () => undefined);
    const oldest = Promise.withResolvers<string>();
    await order.add(oldest.promise);
    let hasRoom = false;
    const adding = order.add(Promise.resolve('b')).then(() => (hasRoom = true));
    await settled();
    expect(hasRoom).to.equal(false);
    oldest.resolve('a');
    await adding;
    expect(hasRoom).to.equal(true);
  });

  it('writes nothing behind a failed write, and tells it', async () => {
    const written: string[] = [];
    const order = new InOrder<string>(10, async (text) => {
      if (text === 'bad') throw new Error('the disk is full');
      written.push(text);
    });
    for (const text of ['good', 'bad', 'late']) await order.add(Promise.resolve(text));
    expect(String(await refusal(order.end()))).to.include('the disk is full');
    expect(written).to.deep.equal(['good']);
  });
});
