import { expect } from 'chai';
import { Order } from '../../../../hack/mutate/order.ts';

describe('the order of the tests that are run with a mutant', () => {
  it('begins with the quick ones', () => {
    const order = new Order();
    order.learn([
      ['slow', 900],
      ['quick', 3],
      ['middle', 40],
    ]);
    expect(order.of('a.ts', ['slow', 'quick', 'middle'])).to.deep.equal(['quick', 'middle', 'slow']);
  });

  it('brings forward a test that noticed mutants of the same file', () => {
    const order = new Order();
    order.learn([
      ['slow', 90],
      ['quick', 40],
    ]);
    for (let times = 0; times < 2; times += 1) order.noticed('a.ts', 'slow');
    expect(order.of('a.ts', ['slow', 'quick'])).to.deep.equal(['slow', 'quick']);
    expect(order.of('b.ts', ['slow', 'quick'])).to.deep.equal(['quick', 'slow']);
  });

  it('knows what the tests cost together, once all were run', () => {
    const order = new Order();
    order.learn([['one', 5]]);
    expect(order.costOf(['one', 'other'])).to.equal(undefined);
    order.learn([['other', 6]]);
    expect(order.costOf(['one', 'other'])).to.equal(11);
  });
});
