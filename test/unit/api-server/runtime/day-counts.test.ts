import { expect } from 'chai';
import { dayBegin, DayCounts } from '../../../../api-server/runtime/day-counts.ts';

const NOON = Date.parse('2026-11-23T12:00:00Z');
const NEXT_DAY = Date.parse('2026-11-24T00:00:00Z');
const RUN = { tenant: 'acme', orbiset: 'acme.prod', orbId: 'acme.echo@1.0.0', caller: 'key:k1' };

const known = (): DayCounts => {
  const counts = new DayCounts();
  counts.load(NOON, []);
  return counts;
};

describe('DayCounts', () => {
  it('counts by caller in a tenant, by Orbiset, and by Orb in an Orbiset', () => {
    const counts = known();
    counts.take(RUN, NOON);
    counts.take({ ...RUN, caller: 'key:k2' }, NOON);
    counts.take({ ...RUN, orbId: 'acme.mail@1.0.0' }, NOON);
    counts.take({ ...RUN, orbiset: 'acme.test' }, NOON);
    expect(counts.of(RUN, NOON)).to.deep.equal({ caller: 3, orbiset: 3, orb: 2 });
    expect(counts.of({ ...RUN, tenant: 'other', orbiset: 'other.prod' }, NOON)).to.deep.equal({
      caller: 0,
      orbiset: 0,
      orb: 0,
    });
  });

  it('takes a run back once', () => {
    const counts = known();
    const giveBack = counts.take(RUN, NOON);
    giveBack();
    giveBack();
    expect(counts.of(RUN, NOON)).to.deep.equal({ caller: 0, orbiset: 0, orb: 0 });
  });

  it('knows nothing until the runs before the start of the process are loaded', () => {
    const counts = new DayCounts();
    counts.take(RUN, NOON);
    expect(counts.of(RUN, NOON)).to.equal(undefined);
    counts.load(NOON, [{ ...RUN, runs: 4 }]);
    expect(counts.of(RUN, NOON)).to.deep.equal({ caller: 5, orbiset: 5, orb: 5 });
  });

  it('begins anew with each UTC day, also when the day before could not be read', () => {
    const counts = new DayCounts();
    const giveBack = counts.take(RUN, NOON);
    expect(counts.of(RUN, NEXT_DAY - 1)).to.equal(undefined);
    counts.take(RUN, NEXT_DAY);
    giveBack();
    expect(counts.of(RUN, NEXT_DAY)).to.deep.equal({ caller: 1, orbiset: 1, orb: 1 });
  });

  it('loses no count when the clock is set back over midnight', () => {
    const counts = known();
    counts.take(RUN, NEXT_DAY);
    expect(counts.of(RUN, NEXT_DAY - 1)).to.deep.equal({ caller: 1, orbiset: 1, orb: 1 });
  });

  it('reads counts from the begin of the UTC day', () => {
    expect(new Date(dayBegin(NOON)).toISOString()).to.equal('2026-11-23T00:00:00.000Z');
  });
});
