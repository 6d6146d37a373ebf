import { expect } from 'chai';
import fc from 'fast-check';
import { outageHosts, type OrbIncident } from '../../../../../core/ingestion/incidents/outage.ts';

const MINUTE = 60_000;
const at = (orbId: string, minutes: number, host = 'a.example'): OrbIncident => ({
  orbId,
  host,
  openedAt: minutes * MINUTE,
});

describe('an outage of a host', () => {
  const ROWS: readonly [why: string, incidents: readonly OrbIncident[], hosts: readonly string[]][] = [
    ['three Orbs within five minutes', [at('a', 5), at('b', 0), at('c', 3)], ['a.example']],
    ['three Orbs within more', [at('a', 0), at('b', 3), at('c', 5.1)], []],
    ['one Orb three times', [at('a', 0), at('a', 1), at('b', 1)], []],
    ['three Orbs after an older one', [at('a', 0), at('a', 6), at('b', 7), at('c', 8)], ['a.example']],
    ['Orbs at two hosts', [at('a', 0), at('b', 0), at('c', 0, 'b.example')], []],
  ];
  for (const [why, incidents, hosts] of ROWS)
    it(`is told by ${why}: ${hosts.length}`, () => {
      expect(outageHosts(incidents)).to.deep.equal(hosts);
    });

  it('begins at some incident that two other Orbs follow', () => {
    const incident = fc.record({
      orbId: fc.constantFrom('a', 'b', 'c', 'd'),
      host: fc.constant('a.example'),
      openedAt: fc.integer({ min: 0, max: 20 }).map((minutes) => minutes * MINUTE),
    });
    fc.assert(
      fc.property(fc.array(incident, { maxLength: 12 }), (incidents) => {
        const follows = (first: OrbIncident): number =>
          new Set(
            incidents
              .filter(({ openedAt }) => openedAt >= first.openedAt && openedAt - first.openedAt <= 5 * MINUTE)
              .map(({ orbId }) => orbId),
          ).size;
        const expected = incidents.some((first) => follows(first) >= 3);
        expect(outageHosts(incidents).length).to.equal(expected ? 1 : 0);
      }),
    );
  });
});
