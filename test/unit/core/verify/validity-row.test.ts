import { expect } from 'chai';
import { validityRow } from '../../../../core/verify/validity-row.ts';

const [FROM, UNTIL] = ['2026-11-20T00:00:00Z', '2026-11-27T00:00:00Z'];
const at = (time: string, ms: number): string =>
  validityRow({ validFrom: FROM, validUntil: UNTIL }, Date.parse(time) + ms);

describe('the time for which a credential is in force', () => {
  it('is tolerated to begin and end a minute earlier and later, for clocks that differ', () => {
    expect([at(FROM, -60_001), at(FROM, -60_000), at(FROM, 0)]).to.deep.equal(['not_yet_valid', 'pass', 'pass']);
    expect([at(UNTIL, 0), at(UNTIL, 60_000), at(UNTIL, 60_001)]).to.deep.equal(['pass', 'pass', 'expired']);
  });
});
