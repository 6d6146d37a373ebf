import { expect } from 'chai';
import { TRAFFIC_HEADER, trafficRow, type TimedRun } from '../../../../cli/example/example-traffic.ts';

const NOW = Date.parse('2026-11-20T12:34:56.789Z');
const run = (ms: number, provider?: string): TimedRun => ({ ms, provider });

describe('trafficRow', () => {
  const rows: readonly (readonly [why: string, runs: readonly TimedRun[], row: string])[] = [
    ['no run at all', [], '12:34:56     0       0       –       –  –\n'],
    ['one run', [run(41.4, 'alpha')], '12:34:56     1       0      41      41  alpha 1\n'],
    [
      'runs of two providers, in the order of their names',
      [run(300, 'beta'), run(40, 'alpha'), run(310, 'beta'), run(20, 'alpha')],
      '12:34:56     4       0      40     310  alpha 2, beta 2\n',
    ],
    ['runs that failed', [run(900), run(40, 'alpha')], '12:34:56     2       1      40     900  alpha 1\n'],
    ['nothing but failures', [run(900)], '12:34:56     1       1     900     900  –\n'],
  ];
  for (const [why, runs, row] of rows) it(`counts ${why}`, () => expect(trafficRow(runs, NOW)).to.equal(row));

  it('stands under its head', () => {
    const row = trafficRow([run(41, 'alpha')], NOW);
    for (const word of ['runs', 'failed', 'p50 ms', 'p95 ms'])
      expect(row[TRAFFIC_HEADER.indexOf(word) + word.length - 1], word).to.match(/[0-9]/);
    expect(row.indexOf('alpha')).to.equal(TRAFFIC_HEADER.indexOf('answered by'));
  });
});
