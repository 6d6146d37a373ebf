import { expect } from 'chai';
import type { Round } from '../../../../../hack/bench/execute/round.ts';
import { addedOf, insideOf, ratiosOf, tableOf } from '../../../../../hack/bench/execute/tables.ts';
import { aRow } from '../../../../support/bench-rounds.ts';

/** A round on a machine that is `speed` times as fast as usual. */
const roundAt = (speed: number): Round => ({
  platform: [
    aRow({ name: 'warm-up' }),
    aRow({ rps: 1000 * speed, p50: 30 / speed }),
    aRow({ name: 'Idempotency-Key', rps: 800 * speed, p50: 36 / speed, serverCpu: 600, rssMb: 250 }),
  ],
  portkey: [aRow({ name: 'warm-up' }), aRow({ rps: 500 * speed, p50: 60 / speed, serverCpu: 1000 })],
});
const rounds = [roundAt(1), roundAt(0.5), roundAt(2)];
const words = (lines: readonly string[]): readonly string[] => lines.map((line) => line.replaceAll(/ {2,}/g, ' '));

const UNKNOWN = { rowsPerGroup: NaN, loopUse: NaN } as const;

const insideRound = (rowsPerGroup: number): Round => ({
  platform: [
    aRow({ name: 'warm-up' }),
    aRow({ inside: { rowsPerGroup, loopUse: 0.9, loopDelayP50: 0.25, loopDelayP99: 7 } }),
  ],
  against: [aRow({ name: 'warm-up' }), aRow({ inside: { ...UNKNOWN, loopDelayP50: 0.5, loopDelayP99: 8 } })],
  'pass-through': [aRow({ name: 'warm-up' }), aRow()],
});

describe('the tables of bench execute', () => {
  it('have a line for each load of each subject, without the warm-up: median and spread, CPU by thread', () => {
    expect(words(tableOf(rounds))).to.deep.equal([
      'subject load requests/s p50 ms p99 ms max ms CPU µs main ledger mapping check pool V8 other mock load RSS MB foreign cores',
      'platform c=32 1000 (500–2000) 30.00 (15.00–60.00) 60.0 (60.0–60.0) 90 500 300 100 0 0 50 40 10 30 40 200 0.1',
      'platform Idempotency-Key 800 (400–1600) 36.00 (18.00–72.00) 60.0 (60.0–60.0) 90 600 300 100 0 0 50 40 10 30 40 250 0.1',
      'portkey c=32 500 (250–1000) 60.00 (30.00–120.00) 60.0 (60.0–60.0) 90 1000 300 100 0 0 50 40 10 30 40 200 0.1',
    ]);
  });

  it('compare within a round: a machine that changes its speed changes no ratio', () => {
    expect(words(ratiosOf(rounds))).to.deep.equal([
      'platform ÷ portkey, c=32 rate 2.000 (2.000–2.000), p50 0.500 (0.500–0.500), CPU 0.500 (0.500–0.500), RSS 1.000 (1.000–1.000)',
      'Idempotency-Key ÷ c=32 rate 0.800 (0.800–0.800), p50 1.200 (1.200–1.200), CPU 1.200 (1.200–1.200), RSS 1.250 (1.250–1.250)',
    ]);
  });

  it('tell what each subject adds to the p50 of the pass-through, by loads that both have', () => {
    const added = rounds.map((round, index): Round => {
      const through = [aRow({ name: 'warm-up' }), aRow({ p50: 10 + index }), aRow({ name: 'c=1', p50: 1 })];
      return { ...round, 'pass-through': through };
    });
    expect(words(addedOf(added))).to.deep.equal([
      'added to the p50 of the pass-through, c=32, ms platform 20.00 (3.00–49.00), portkey 50.00 (18.00–109.00)',
      'added to the p50 of the pass-through, c=1, ms ',
    ]);
  });

  it('tell of the ledger and the event loop, and leave out what a version does not tell', () => {
    expect(words(insideOf([insideRound(30), insideRound(20), insideRound(40)]))).to.deep.equal([
      'inside load rows per group event loop use delay p50 ms delay p99 ms',
      'against c=32 – – 0.5 (0.5–0.5) 8.0 (8.0–8.0)',
      'platform c=32 30.0 (20.0–40.0) 0.90 (0.90–0.90) 0.3 (0.3–0.3) 7.0 (7.0–7.0)',
    ]);
  });
});
