import { expect } from 'chai';
import fc from 'fast-check';
import { LeastOf } from '../../../../api-server/vault/least-of.ts';

describe('LeastOf', () => {
  it('always knows the lowest of the texts that are left', () => {
    const step = fc.record({ item: fc.constantFrom('a', 'b', 'c', 'd'), isAdded: fc.boolean(), looks: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const [set, model] = [new LeastOf<string>(), new Set<string>()];
        for (const { item, isAdded, looks } of steps) {
          if (isAdded) set.add(item);
          else set.delete(item);
          if (isAdded) model.add(item);
          else model.delete(item);
          if (looks) expect(set.least).to.equal([...model].toSorted()[0]);
        }
        expect([set.least, set.size]).to.deep.equal([[...model].toSorted()[0], model.size]);
      }),
    );
  });
});
