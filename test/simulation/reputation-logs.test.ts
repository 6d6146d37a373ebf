import { checkRandomLogs } from '../support/check-reputation.ts';

describe('scores of 10 000 random logs', () => {
  it('are the same by the fold at any size, by a derivation from nothing, and for any order of receipts', () =>
    checkRandomLogs(10_000)).timeout(600_000);
});
