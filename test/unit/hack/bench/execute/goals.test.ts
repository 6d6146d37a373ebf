import { expect } from 'chai';
import { judgeGoals } from '../../../../../hack/bench/execute/goals.ts';
import type { Inside } from '../../../../../hack/bench/execute/inside.ts';
import type { Row } from '../../../../../hack/bench/execute/measurement.ts';
import type { Round } from '../../../../../hack/bench/execute/round.ts';
import { aRow } from '../../../../support/bench-rounds.ts';

const insideAt = (loopDelayP99: number): Inside => ({
  rowsPerGroup: 32,
  loopUse: 0.9,
  loopDelayP50: 0.2,
  loopDelayP99,
});

/** Pass-through and platform at each load; every goal is reached. */
const roundOf = (own: Partial<Row> = {}): Round => ({
  'pass-through': [aRow({ name: 'c=1', p50: 0.4 }), aRow({ rps: 9000 })],
  platform: [
    aRow({ name: 'c=1', p50: 0.9 }),
    aRow({ rps: 3000, p99: 15, serverCpu: 400, rssMb: 300, inside: insideAt(6), ...own }),
    aRow({ name: 'c=256', rps: 3500 }),
  ],
});

const verdictsOf = (rounds: readonly Round[]): Readonly<Record<string, string>> =>
  Object.fromEntries(judgeGoals(rounds).map(({ what, verdict }) => [what, verdict]));

describe('the goals of bench execute', () => {
  it('are reached, except those against a subject that was not measured', () => {
    expect(verdictsOf([roundOf()])).to.deep.equal({
      'rate at 32 callers ÷ Portkey': 'not measured',
      'rate at 32 callers ÷ pass-through': 'pass',
      'rate at 256 callers ÷ Portkey': 'not measured',
      'added p50 at 1 caller': 'pass',
      'p99 at 32 callers': 'pass',
      'CPU of a run at 32 callers': 'pass',
      'of it on the main thread': 'pass',
      'RSS at 32 callers': 'pass',
      'event-loop delay p99 at 32 callers': 'pass',
    });
  });

  const limits: readonly (readonly [what: string, own: Partial<Row>, verdict: string])[] = [
    ['rate at 32 callers ÷ pass-through', { rps: 2250 }, 'miss'],
    ['rate at 32 callers ÷ pass-through', { rps: 2249 }, 'gate missed'],
    ['CPU of a run at 32 callers', { serverCpu: 451 }, 'miss'],
    ['CPU of a run at 32 callers', { serverCpu: 561 }, 'gate missed'],
    [
      'of it on the main thread',
      { threads: { main: 900, ledger: 0, mapping: 0, check: 0, pool: 0, V8: 0, other: 0 } },
      'miss',
    ],
    ['RSS at 32 callers', { rssMb: 351 }, 'miss'],
    ['event-loop delay p99 at 32 callers', { inside: insideAt(6.1) }, 'miss'],
    ['event-loop delay p99 at 32 callers', { inside: insideAt(15.1) }, 'gate missed'],
    ['event-loop delay p99 at 32 callers', { inside: insideAt(Number.NaN) }, 'not measured'],
  ];
  for (const [what, own, verdict] of limits)
    it(`judge ${JSON.stringify(own)}: ${verdict}`, () => {
      expect(verdictsOf([roundOf(own)])[what]).to.equal(verdict);
    });

  it('compare with Portkey within a round: the machine of another round does not count', () => {
    const fast = { ...roundOf({ rps: 3000 }), portkey: [aRow({ rps: 1700 }), aRow({ name: 'c=256', rps: 2000 })] };
    const slow = { ...roundOf({ rps: 300 }), portkey: [aRow({ rps: 170 }), aRow({ name: 'c=256', rps: 2000 })] };
    const judged = verdictsOf([fast, slow, slow]);
    expect(judged['rate at 32 callers ÷ Portkey']).to.equal('pass');
    expect(judged['rate at 256 callers ÷ Portkey']).to.equal('miss');
  });

  it('are printed in a line each', () => {
    const line = judgeGoals([roundOf({ rps: 2700 })])[1]?.text.replaceAll(/ +/g, ' ');
    expect(line).to.equal('rate at 32 callers ÷ pass-through 0.30 goal ≥ 0.33, gate ≥ 0.25 miss');
  });
});
