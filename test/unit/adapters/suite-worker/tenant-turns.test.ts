import { expect } from 'chai';
import { TenantTurns } from '../../../../adapters/suite-worker/tenant-turns.ts';

/** Things by the tenant that their first letter names. */
const turnsOf = (...things: readonly string[]): TenantTurns<string> => {
  const turns = new TenantTurns<string>();
  for (const thing of things) turns.add(thing.slice(0, 1), thing);
  return turns;
};

describe('TenantTurns', () => {
  const rows: readonly (readonly [why: string, things: readonly string[], tenant: string, displaced?: string])[] = [
    ['the newest thing of the tenant with the most', ['a1', 'b1', 'a2', 'b2', 'b3'], 'c', 'b3'],
    ['that of another tenant with two more', ['a1', 'b1', 'b2', 'b3'], 'a', 'b3'],
    ['nothing when the other has one more: they would take turns in it', ['a1', 'b1', 'b2'], 'a'],
    ['nothing of the tenant itself', ['a1', 'a2', 'a3', 'b1'], 'a'],
    ['nothing when each tenant has one', ['a1', 'b1'], 'c'],
    ['nothing when nothing waits', [], 'a'],
  ];
  for (const [why, things, tenant, displaced] of rows)
    it(`displaces ${why}`, () => {
      const turns = turnsOf(...things);
      expect(turns.displace(tenant)).to.equal(displaced);
      const left = Array.from(things, () => turns.next()).filter((thing) => thing !== undefined);
      expect(left.toSorted()).to.deep.equal(things.filter((thing) => thing !== displaced).toSorted());
    });
});
