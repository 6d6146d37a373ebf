import { checkRandomLogs } from '../../../support/check-reputation.ts';

describe('a score of a random log', () => {
  it('is the same by the fold at any size, by a derivation from nothing, and for any order of receipts', () =>
    checkRandomLogs(300));
});
