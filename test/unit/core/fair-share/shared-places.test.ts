import { expect } from 'chai';
import fc from 'fast-check';
import { SharedPlaces } from '../../../../core/fair-share/shared-places.ts';

/** Takes places for a tenant until it gets no more. @returns how many */
function fill(places: SharedPlaces, tenant: string): number {
  let taken = 0;
  while (places.take(tenant)) taken += 1;
  return taken;
}

describe('SharedPlaces', () => {
  it('gives one tenant its percentage, and all of them with 100 %', () => {
    expect(fill(new SharedPlaces({ places: 100, tenantPct: 75 }), 'a')).to.equal(75);
    expect(fill(new SharedPlaces({ places: 100, tenantPct: 50 }), 'a')).to.equal(50);
    expect(fill(new SharedPlaces({ places: 100, tenantPct: 100 }), 'a')).to.equal(100);
    expect(fill(new SharedPlaces({ places: 0, tenantPct: 100 }), 'a')).to.equal(0);
  });

  it('gives a tenant one place at least', () => {
    expect(fill(new SharedPlaces({ places: 1, tenantPct: 1 }), 'a')).to.equal(1);
  });

  it('leaves places to a newcomer, and a tenant that had more falls back as its places are given back', () => {
    const places = new SharedPlaces({ places: 100, tenantPct: 75 });
    expect([fill(places, 'a'), fill(places, 'b'), fill(places, 'c')]).to.deep.equal([75, 19, 5]);
    for (let round = 0; round < 200; round += 1) {
      places.giveBack('a');
      for (const tenant of ['b', 'c', 'a']) places.take(tenant);
    }
    expect(places.used).to.be.lessThan(100);
    expect(places.mayTake('d')).to.equal(true);
  });

  it('settles near equal parts when two want all', () => {
    const places = new SharedPlaces({ places: 100, tenantPct: 75 });
    const held = { a: fill(places, 'a'), b: fill(places, 'b') };
    for (let round = 0; round < 100; round += 1) {
      if (held.a > 0) places.giveBack('a');
      held.a -= 1;
      held.b += fill(places, 'b');
      held.a += fill(places, 'a');
    }
    expect(held.a).to.be.within(41, 45);
    expect(held.b).to.be.within(41, 45);
  });

  it('gives some places at once, or none of them', () => {
    const places = new SharedPlaces({ places: 100, tenantPct: 75 });
    expect([places.take('a', 70), places.take('a', 20), places.take('a', 1)]).to.deep.equal([true, true, false]);
    expect([places.take('b', 11), places.take('b', 7), places.used]).to.deep.equal([false, true, 97]);
    places.giveBack('a', 90);
    expect(places.used).to.equal(7);
    expect(() => places.giveBack('a')).to.throw(RangeError);
  });

  it('says who has its part: alone always, beside others with the same number or more', () => {
    const places = new SharedPlaces({ places: 100, tenantPct: 75 });
    expect(places.hasItsPart('a')).to.equal(true);
    for (let count = 0; count < 3; count += 1) places.take('a');
    expect([places.hasItsPart('a'), places.hasItsPart('b')]).to.deep.equal([true, false]);
    places.take('b');
    expect([places.hasItsPart('a'), places.hasItsPart('b')]).to.deep.equal([true, false]);
    places.take('b');
    places.take('b');
    expect([places.hasItsPart('a'), places.hasItsPart('b')]).to.deep.equal([true, true]);
  });

  it('refuses to take back what was not given', () => {
    expect(() => new SharedPlaces({ places: 1, tenantPct: 100 }).giveBack('a')).to.throw(RangeError);
  });

  it('never exceeds the places, keeps each tenant in its limit, and always takes a newcomer while one place is free', () => {
    const tenants = ['a', 'b', 'c', 'd'];
    const wanted = fc.array(fc.tuple(fc.constantFrom(...tenants), fc.boolean()), { maxLength: 200 });
    fc.assert(
      fc.property(fc.nat(40), fc.integer({ min: 1, max: 100 }), wanted, (total, tenantPct, acts) => {
        const places = new SharedPlaces({ places: total, tenantPct });
        const held = new Map<string, number>();
        for (const [tenant, takes] of acts) {
          const before = held.get(tenant) ?? 0;
          if (!takes && before > 0) {
            places.giveBack(tenant);
            held.set(tenant, before - 1);
          } else if (takes && places.take(tenant)) {
            held.set(tenant, before + 1);
            const others = places.used - before - 1;
            // The last place that it took may be a part of one.
            expect(before).to.be.lessThan((tenantPct / 100) * (total - others));
          }
          expect(places.used).to.equal([...held.values()].reduce((sum, count) => sum + count, 0));
          expect(places.used).to.be.at.most(total);
          expect(places.mayTake('newcomer')).to.equal(places.used < total);
        }
      }),
    );
  });
});
