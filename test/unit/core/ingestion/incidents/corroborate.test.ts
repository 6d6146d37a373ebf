import { expect } from 'chai';
import {
  impactByReceipts,
  isThin,
  showsProblem,
  type ReceiptTotals,
} from '../../../../../core/ingestion/incidents/corroborate.ts';

const totals = (some: Partial<ReceiptTotals> = {}): ReceiptTotals => ({
  runs: 100,
  failed: 10,
  slow: 0,
  callers: 3,
  worstShare: 0.1,
  baseline: { runs: 1000, failed: 10, slow: 0 },
  ...some,
});

describe('corroboration by receipts', () => {
  const ROWS: readonly [why: string, found: ReceiptTotals, shows: boolean][] = [
    ['a tenth that failed', totals(), true],
    ['exactly a twentieth', totals({ failed: 5 }), true],
    ['less than a twentieth', totals({ failed: 4 }), false],
    ['what is usual', totals({ baseline: { runs: 1000, failed: 34, slow: 0 } }), false],
    ['three times what is usual', totals({ baseline: { runs: 1000, failed: 33, slow: 0 } }), true],
    ['nothing before', totals({ baseline: { runs: 0, failed: 0, slow: 0 } }), true],
    ['two tenants', totals({ callers: 2 }), false],
    ['nineteen runs', totals({ runs: 19, failed: 19 }), false],
    ['twenty runs', totals({ runs: 20, failed: 1 }), true],
    ['a tenth that was slow', totals({ failed: 0, slow: 10 }), true],
    ['less than a tenth that was slow', totals({ failed: 0, slow: 9 }), false],
    ['slowness that is usual', totals({ failed: 0, slow: 10, baseline: { runs: 100, failed: 0, slow: 4 } }), false],
  ];
  for (const [why, found, shows] of ROWS)
    it(`${shows ? 'shows' : 'does not show'} a problem by ${why}`, () => expect(showsProblem(found)).to.equal(shows));

  it('is thin below twenty runs', () => {
    expect([isThin(totals({ runs: 19 })), isThin(totals({ runs: 20 }))]).to.deep.equal([true, false]);
  });

  const IMPACTS: readonly [found: Partial<ReceiptTotals>, impact: string][] = [
    [{ worstShare: 0.5 }, 'critical'],
    [{ worstShare: 0.49, failed: 20 }, 'major'],
    [{ failed: 19 }, 'minor'],
  ];
  for (const [found, impact] of IMPACTS)
    it(`${JSON.stringify(found)} is ${impact}`, () => expect(impactByReceipts(totals(found))).to.equal(impact));
});
