import { expect } from 'chai';
import { ATTACKS, isAttack } from '../../../../../hack/bench/tenants/attacks.ts';
import { joined, rowOf, type Measured } from '../../../../../hack/bench/tenants/measure.ts';
import { tenantTable } from '../../../../../hack/bench/tenants/table.ts';

const LATE = { p99: 1, max: 2 };

const measured = (latencies: readonly number[], more: Partial<Measured> = {}): Measured => ({
  attack: 'together',
  latencies,
  refused: {},
  late: LATE,
  memory: { before: 100, most: 130 },
  ...more,
});

const of = (ms: number): readonly number[] => Array.from({ length: 100 }, () => ms);

describe('bench tenants', () => {
  const share = of(80);

  it('compares the 99th percentile with that beside a tenant that fills its share', () => {
    const row = rowOf(measured([...of(50).slice(2), 100, 400]), share);
    expect(row).to.deep.include({
      p50: 50,
      p99: 100,
      max: 400,
      calls: 100,
      refused: 0,
      ratio: 1.25,
      moreMb: 30,
      met: true,
    });
  });

  const missed: readonly (readonly [string, Measured, readonly number[]])[] = [
    ['a longer time than 1.5 times that', measured(of(121)), share],
    ['a longer time than 250 ms', measured(of(251)), of(200)],
    ['a refusal', measured(of(50), { refused: { 503: 1 } }), share],
    ['a connection that was cut', measured(of(50), { refused: { 0: 1 } }), share],
    ['no answer at all', measured([]), share],
  ];
  for (const [why, one, beside] of missed) {
    it(`misses the goal by ${why}`, () => expect(rowOf(one, beside).met).to.equal(false));
  }

  it('judges the calls of all rounds together', () => {
    const rounds = [
      measured(of(50), { refused: { 503: 1 }, late: { p99: 3, max: 4 } }),
      measured(of(70), { refused: { 503: 2, 0: 1 }, late: { p99: 1, max: 9 }, memory: { before: 120, most: 140 } }),
      measured(of(60), { memory: { before: 140, most: 135 } }),
    ];
    expect(joined(rounds)).to.deep.equal({
      attack: 'together',
      latencies: [...of(50), ...of(70), ...of(60)],
      refused: { 503: 3, 0: 1 },
      late: { p99: 3, max: 9 },
      memory: { before: 100, most: 140 },
    });
    expect(() => joined([])).to.throw(RangeError);
  });

  it('says in its table who was refused, and judges attacks only', () => {
    const hostile = measured(of(50), { refused: { 503: 2, 0: 1 } });
    const own = measured(of(50), { attack: 'share' });
    const lines = tenantTable([hostile, own].map((one) => ({ measured: one, row: rowOf(one, share) }))).split('\n');
    expect(lines[2]).to.match(/1×0 2×503 .*missed \|$/);
    expect(lines[3]).to.match(/\| {2}\|$/);
  });

  it('has the attacks by name', () => {
    expect(isAttack('half-sent')).to.equal(true);
    expect(isAttack('toString')).to.equal(false);
    expect(new Set(Object.values(ATTACKS).map(({ what }) => what)).size).to.equal(Object.keys(ATTACKS).length);
  });
});
