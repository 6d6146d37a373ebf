import { expect } from 'chai';
import { PublishPlaces } from '../../../../../api-server/services/marketplace/publish-places.ts';

describe('PublishPlaces', () => {
  it('has four places for a tenant, and leaves the others theirs', () => {
    const places = new PublishPlaces();
    const taken = Array.from({ length: 5 }, () => places.take('acme'));
    expect(taken.map((place) => place !== undefined)).to.deep.equal([true, true, true, true, false]);
    expect(places.take('globex')).to.be.a('function');
    taken[0]?.();
    expect(places.take('acme')).to.be.a('function');
  });

  it('gives tenants without a place theirs while eight others want four each', () => {
    const places = new PublishPlaces();
    for (let round = 0; round < 4; round += 1)
      for (let tenant = 0; tenant < 8; tenant += 1) places.take(`greedy-${tenant}`);
    const others = Array.from({ length: 16 }, (_, tenant) => places.take(`other-${tenant}`));
    expect(others.filter((place) => place === undefined)).to.have.length(0);
    expect(places.take('other-0')).to.equal(undefined);
  });

  it('has 32 places in all', () => {
    const places = new PublishPlaces();
    const taken = Array.from({ length: 40 }, (_, tenant) => places.take(`tenant-${tenant}`));
    expect(taken.filter((place) => place !== undefined)).to.have.length(32);
    for (const giveBack of taken) giveBack?.();
    expect(places.take('acme')).to.be.a('function');
  });
});
