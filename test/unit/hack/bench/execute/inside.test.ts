import { expect } from 'chai';
import { insideBetween } from '../../../../../hack/bench/execute/inside.ts';
import { readScrape } from '../../../../../hack/bench/scrape.ts';

const LAG = 'nodejs_eventloop_lag_p50_seconds 0.0105\nnodejs_eventloop_lag_p99_seconds 0.017\n';
const at = (groups: number, rows: number, busy: number): string =>
  `orb_ledger_commits_total ${groups}\norb_ledger_committed_rows_total ${rows}\norb_event_loop_busy_seconds_total ${busy}\n`;

describe('insideBetween', () => {
  it('divides what was counted during the load, and takes the interval of the timer from the delays', () => {
    const inside = insideBetween(readScrape(at(10, 20, 3)), readScrape(at(110, 3020, 6.6) + LAG), 4);
    expect(inside.rowsPerGroup).to.equal(30);
    expect(inside.loopUse).to.be.closeTo(0.9, 1e-9);
    expect(inside.loopDelayP50).to.be.closeTo(0.5, 1e-9);
    expect(inside.loopDelayP99).to.be.closeTo(7, 1e-9);
  });

  it('knows no rows and no use of a version without these metrics, but its delays', () => {
    const inside = insideBetween(readScrape(''), readScrape(LAG), 4);
    expect([inside.rowsPerGroup, inside.loopUse]).to.deep.equal([NaN, NaN]);
    expect(inside.loopDelayP99).to.be.closeTo(7, 1e-9);
  });

  it('shows a timer that came early as no delay', () => {
    const early = 'nodejs_eventloop_lag_p50_seconds 0.0099\n';
    expect(insideBetween(readScrape(''), readScrape(early), 1).loopDelayP50).to.equal(0);
  });
});
