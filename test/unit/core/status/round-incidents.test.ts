import { expect } from 'chai';
import { NOTHING_SEEN, stepWatch } from '../../../../core/status/round-incidents.ts';
import type { ServiceState } from '../../../../core/status/service.ts';

const STATES = {
  o: 'operational',
  d: 'degraded_performance',
  p: 'partial_outage',
  m: 'major_outage',
  u: 'unknown',
  w: 'under_maintenance',
} as const satisfies Record<string, ServiceState>;

/** What rounds, a letter each, did: `position kind impact`. */
function turnsOf(letters: string): readonly string[] {
  let watch = NOTHING_SEEN;
  return letters.split('').flatMap((letter, at) => {
    const state = Object.entries(STATES).find(([name]) => name === letter)?.[1] ?? 'unknown';
    const step = stepWatch(watch, { service: 'runtime', at, state });
    ({ watch } = step);
    return step.turn === null ? [] : [`${at} ${step.turn.kind} ${step.turn.incident.impact}`];
  });
}

describe('stepWatch', () => {
  const rows: readonly (readonly [why: string, rounds: string, expected: readonly string[]])[] = [
    ['one bad round opens nothing', 'omoom', []],
    ['two bad rounds open one with the worse impact', 'pm', ['1 opened critical']],
    ['two slow rounds are minor', 'dd', ['1 opened minor']],
    ['it worsens and never lessens', 'ddpmd', ['1 opened minor', '2 worsened major', '3 worsened critical']],
    ['three good rounds close it', 'ppooo', ['1 opened major', '2 monitoring major', '4 resolved major']],
    [
      'a bad round among the good ones begins again',
      'ppoopooo',
      ['1 opened major', '2 monitoring major', '4 failing-again major', '5 monitoring major', '7 resolved major'],
    ],
    ['unknown and maintenance open nothing', 'uuwwu', []],
    ['unknown between two bad rounds changes nothing', 'mum', ['2 opened critical']],
    [
      'unknown and maintenance close nothing',
      'mmouwoo',
      ['1 opened critical', '2 monitoring critical', '6 resolved critical'],
    ],
    [
      'a second one opens after the first',
      'ppooopp',
      ['1 opened major', '2 monitoring major', '4 resolved major', '6 opened major'],
    ],
  ];
  for (const [why, rounds, expected] of rows) {
    it(why, () => {
      expect(turnsOf(rounds)).to.deep.equal(expected);
    });
  }

  it('starts with the first bad round and ends with the good round that closes it', () => {
    const states = ['major_outage', 'major_outage', 'operational', 'operational', 'operational'] as const;
    let watch = NOTHING_SEEN;
    const turns = states.map((state, index) => {
      const step = stepWatch(watch, { service: 'ingestion', at: index * 30, state });
      ({ watch } = step);
      return step.turn;
    });
    expect(turns.at(-1)?.incident).to.deep.equal({
      service: 'ingestion',
      impact: 'critical',
      status: 'resolved',
      startedAt: 0,
      resolvedAt: 120,
    });
    expect(watch).to.deep.equal(NOTHING_SEEN);
  });
});
