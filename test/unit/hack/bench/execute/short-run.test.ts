import { expect } from 'chai';
import type { Row } from '../../../../../hack/bench/execute/measurement.ts';
import { parseRecordedRatio, recordedRatio } from '../../../../../hack/bench/execute/recorded-ratio.ts';
import { shortRun } from '../../../../../hack/bench/execute/short-run.ts';
import { aRound } from '../../../../support/bench-rounds.ts';

const BUSY = { foreignCores: 1 };

/** A short run whose rounds have these rows; the pass-through makes 10 000 requests/s, and the page records 0.2. */
async function runOf(rows: readonly Partial<Row>[]): Promise<{ readonly passed: boolean; readonly last: string }> {
  const lines: string[] = [];
  const left = [...rows];
  const passed = await shortRun({
    count: 3,
    run: () => Promise.resolve(aRound(left.shift())),
    recorded: 0.2,
    print: (line) => lines.push(line),
  });
  return { passed, last: lines.at(-1) ?? '' };
}

describe('the short run', () => {
  it('fails when the median is below half of the recorded ratio, and says so', async () => {
    const { passed, last } = await runOf([{ rps: 990 }, { rps: 2000 }, { rps: 800 }]);
    expect(passed).to.equal(false);
    expect(last).to.equal(
      'rate at 32 callers ÷ pass-through: 0.099 (0.080–0.200); docs/measured-performance.md records 0.2, FAILED: the median must be at least 0.100',
    );
  });

  it('passes at half of the recorded ratio', async () => {
    const { passed, last } = await runOf([{ rps: 1000 }, { rps: 1000 }, { rps: 800 }]);
    expect(passed).to.equal(true);
    expect(last).to.include('records 0.2, passed');
  });

  it('takes the repetition of a disturbed round in its place', async () => {
    const disturbed = { rps: 100, ...BUSY };
    const { passed, last } = await runOf([disturbed, disturbed, { rps: 2000 }, { rps: 2000 }, { rps: 2000 }]);
    expect(passed).to.equal(true);
    expect(last).to.include('0.200 (0.200–0.200)');
  });

  it('leaves out a round that is disturbed again', async () => {
    const { passed, last } = await runOf([{ rps: 900 }, { rps: 900 }, BUSY, { rps: 5000, ...BUSY }]);
    expect(passed).to.equal(false);
    expect(last).to.include('0.090 (0.090–0.090)');
  });

  it('fails on a machine that stays busy only when every round is slow', async () => {
    const slow = { rps: 100, ...BUSY };
    const all = [slow, slow, slow, slow, slow];
    expect((await runOf([...all, slow])).passed).to.equal(false);
    expect((await runOf([...all, { rps: 1000, ...BUSY }])).passed).to.equal(true);
  });

  it('reads the recorded median from the row of the page', () => {
    const table =
      '| | measured |\n| --- | --- |\n| runs/s at 32 callers ÷ pass-through | 0.31 (0.29–0.35) | ≥ 0.33 |\n';
    expect(parseRecordedRatio(table)).to.equal(0.31);
    expect(() => parseRecordedRatio(table.replace('0.31', 'none'))).to.throw('has no row');
    expect(() => parseRecordedRatio('# Performance\n')).to.throw('has no row');
  });

  it('finds a ratio in the page', () => {
    expect(recordedRatio()).to.be.within(0.05, 1);
  });
});
