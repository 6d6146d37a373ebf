import fc from 'fast-check';
import { expect } from 'chai';
import { AwaitedPlaces } from '../../../../core/fair-share/awaited-places.ts';

const share = (tenant: string, key = 'k'): { readonly tenant: string; readonly key: string } => ({ tenant, key });

describe('AwaitedPlaces', () => {
  let places: AwaitedPlaces;
  let granted: string[];
  beforeEach(() => {
    places = new AwaitedPlaces({ places: 100, tenantPct: 75, most: 20 });
    granted = [];
  });

  const wait = (tenant: string, count: number): (() => void) =>
    places.wait(share(tenant), count, () => granted.push(tenant));

  it('gives places that come free to those who wait, in turns by tenant', () => {
    for (let at = 0; at < 4; at += 1) expect(places.take('a', 20)).to.equal(true);
    expect(places.take('b', 20)).to.equal(true);
    for (const tenant of ['a', 'a', 'b', 'c']) wait(tenant, 20);
    places.giveBack('a', 20);
    expect(granted).to.deep.equal(['b']);
    places.giveBack('a', 20);
    expect(granted).to.deep.equal(['b', 'a']);
    places.giveBack('b', 20);
    places.giveBack('b', 20);
    expect(granted).to.deep.equal(['b', 'a', 'c']);
    expect([places.used, places.waiting]).to.deep.equal([80, 1]);
  });

  it('gives none to a tenant that has its share, and its waiters keep their turn', () => {
    for (let at = 0; at < 4; at += 1) places.take('a', 20);
    wait('a', 10);
    wait('b', 10);
    places.take('b', 1);
    places.giveBack('b', 1);
    expect(granted).to.deep.equal(['b']);
    places.giveBack('a', 20);
    expect(granted).to.deep.equal(['b', 'a']);
  });

  it('does not let newcomers with smaller wishes pass who waits, unless there is room for both', () => {
    for (const tenant of ['a', 'a', 'b', 'c']) places.take(tenant, 20);
    places.take('d', 15);
    wait('e', 20);
    expect([places.take('f', 1), places.takeMore('f', 1)]).to.deep.equal([false, true]);
    places.giveBack('a', 20);
    expect([granted, places.take('f', 1)]).to.deep.equal([['e'], true]);
  });

  it('lets newcomers pass a tenant that has its share, while there is room', () => {
    for (let at = 0; at < 4; at += 1) places.take('a', 20);
    wait('a', 20);
    expect([places.take('b', 10), places.take('b', 1)]).to.deep.equal([true, false]);
  });

  it('gives nothing to who ended the wait', () => {
    for (let at = 0; at < 4; at += 1) places.take('a', 20);
    wait('a', 20)();
    places.giveBack('a', 20);
    expect([granted, places.used, places.waiting]).to.deep.equal([[], 60, 0]);
  });

  it('refuses a wait for more places than a waiter may have', () => {
    expect(() => wait('a', 21)).to.throw(RangeError);
  });

  const act = fc.record({
    tenant: fc.constantFrom('a', 'b', 'c'),
    count: fc.integer({ min: 1, max: 20 }),
    isGivenBack: fc.boolean(),
  });
  it('gives at most all places, and no one waits when all are free', () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const one = new AwaitedPlaces({ places: 50, tenantPct: 75, most: 20 });
        const held: { readonly tenant: string; readonly count: number }[] = [];
        const giveBack = (): void => {
          const last = held.shift();
          if (last !== undefined) one.giveBack(last.tenant, last.count);
        };
        for (const { tenant, count, isGivenBack } of acts) {
          if (isGivenBack) giveBack();
          else if (one.take(tenant, count)) held.push({ tenant, count });
          else one.wait(share(tenant), count, () => held.push({ tenant, count }));
          expect(one.used).to.be.at.most(50);
          expect(one.used).to.equal(held.reduce((sum, { count: each }) => sum + each, 0));
        }
        while (held.length > 0) giveBack();
        expect([one.used, one.waiting]).to.deep.equal([0, 0]);
      }),
    );
  });
});
