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
    order.noticed('core/a.ts', 'slow');
    expect(order.of('core/a.ts', ['slow', 'quick'])).to.deep.equal(['slow', 'quick']);
    expect(order.of('cli/b.ts', ['slow', 'quick'])).to.deep.equal(['quick', 'slow']);
  });

  it('brings forward a test that noticed many mutants of the same folder', () => {
    const order = new Order();
    order.learn([
      ['slow', 90],
      ['quick', 40],
    ]);
    order.noticed('core/a.ts', 'slow');
    expect(order.of('core/b.ts', ['slow', 'quick'])).to.deep.equal(['quick', 'slow']);
    order.noticed('core/c.ts', 'slow');
    expect(order.of('core/b.ts', ['slow', 'quick'])).to.deep.equal(['slow', 'quick']);
  });

  it('knows what the tests cost together, once all were run', () => {
    const order = new Order();
    order.learn([['one', 5]]);
    expect(order.costOf(['one', 'other'])).to.equal(undefined);
    order.learn([['other', 6]]);
    expect(order.costOf(['one', 'other'])).to.equal(11);
  });
});
