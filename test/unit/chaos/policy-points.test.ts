import { expect } from 'chai';
import { countPoints, kindOfFault, missedPoints, pointTable, type PointKill } from '../../chaos/policies/points.ts';

const killed = (point: string, isHit: boolean, lost = 0, doubled = 0): PointKill => ({ point, isHit, lost, doubled });

describe('points of kills', () => {
  it('are counted each, with what was lost and what was done twice', () => {
    const points = countPoints([killed('start', true, 1), killed('finish', false), killed('start', false, 0, 2)]);
    expect(points).to.deep.equal([
      { point: 'start', kills: 2, hits: 1, lost: 1, doubled: 2 },
      { point: 'finish', kills: 1, hits: 0, lost: 0, doubled: 0 },
    ]);
    expect(pointTable(points).map((line) => line.split(/ +/).join(' '))).to.deep.equal([
      'point kills hit lost double',
      'start 2 1 1 2',
      'finish 1 0 0 0',
      'all 3 1 1 2',
    ]);
  });

  it('are missed when none of enough kills came in time', () => {
    const late = Array.from({ length: 5 }, () => killed('denial', false));
    expect(missedPoints(countPoints(late))).to.deep.equal(['none of 5 kills hit the point "denial"']);
    expect(missedPoints(countPoints([...late, killed('denial', true)]))).to.deep.equal([]);
    expect(missedPoints(countPoints(late.slice(1)))).to.deep.equal([]);
  });

  const faults: readonly (readonly [fault: string, kind: string])[] = [
    ['rpl_1 was acknowledged and is 404 ', 'lost'],
    ['the promotion of change-1 was acknowledged and is lost: 200 "a.1"', 'lost'],
    ['the approval of dec_1 was acknowledged and is lost', 'lost'],
    ['change-1 has generation 3: a change was made twice', 'doubled'],
    ['rpl_1 is completed and counts 2 times', 'doubled'],
    ['2 of 10 runs used one approval: 200, 200', 'doubled'],
    ['rpl_1 is aborted and counts 1 times', 'other'],
    ['0 of 10 runs used one approval: 403', 'other'],
  ];
  for (const [fault, kind] of faults)
    it(`tell faults apart: ${fault} is ${kind}`, () => {
      expect(kindOfFault(fault)).to.equal(kind);
    });
});
