import { expect } from 'chai';
import {
  isAhead,
  maintenanceProblem,
  stateInMaintenance,
  type KeptState,
  type Maintenance,
  type MaintenanceProblem,
} from '../../../../core/status/maintenance.ts';
import type { ServiceState } from '../../../../core/status/service.ts';

const HOUR = 3_600_000;
const FROM = 100 * HOUR;
const window: Maintenance = {
  id: 'mnt_1',
  services: ['runtime'],
  title: 'Disks',
  from: FROM,
  to: FROM + HOUR,
  announcedAt: FROM - 24 * HOUR,
  cancelledAt: null,
};
const late: Maintenance = { ...window, announcedAt: FROM - 24 * HOUR + 1 };
const found = (state: ServiceState, at = FROM) => ({ service: 'runtime' as const, state, at });

describe('stateInMaintenance', () => {
  const excluded: KeptState = { state: 'under_maintenance', announced: true };
  const rows: readonly (readonly [why: string, expected: KeptState, given: Parameters<typeof stateInMaintenance>])[] = [
    ['an outage within it', excluded, [found('major_outage'), [window]]],
    ['half an outage at its last millisecond', excluded, [found('partial_outage', FROM + HOUR - 1), [window]]],
    [
      'an outage at its end',
      { state: 'major_outage', announced: false },
      [found('major_outage', FROM + HOUR), [window]],
    ],
    ['an outage before it', { state: 'major_outage', announced: false }, [found('major_outage', FROM - 1), [window]]],
    ['a slow service', { state: 'degraded_performance', announced: false }, [found('degraded_performance'), [window]]],
    ['a service that works', { state: 'operational', announced: false }, [found('operational'), [window]]],
    ['a service that nobody sees', { state: 'unknown', announced: false }, [found('unknown'), [window]]],
    ['one told a millisecond late', { state: 'under_maintenance', announced: false }, [found('major_outage'), [late]]],
    ['two, one told in time', excluded, [found('major_outage'), [late, window]]],
    [
      'another service',
      { state: 'major_outage', announced: false },
      [{ ...found('major_outage'), service: 'ingestion' }, [window]],
    ],
    [
      'one that was cancelled before it began',
      { state: 'major_outage', announced: false },
      [found('major_outage'), [{ ...window, cancelledAt: FROM - HOUR }]],
    ],
    [
      'the part before it was ended',
      excluded,
      [found('major_outage', FROM + 1), [{ ...window, cancelledAt: FROM + 2 }]],
    ],
  ];
  for (const [why, expected, given] of rows) {
    it(`gives ${expected.state}, announced ${expected.announced}, for ${why}`, () => {
      expect(stateInMaintenance(...given)).to.deep.equal(expected);
    });
  }
});

describe('maintenanceProblem', () => {
  const now = FROM;
  const rows: readonly (readonly [why: string, from: number, to: number, expected: MaintenanceProblem | undefined])[] =
    [
      ['seven days', now, now + 168 * HOUR, undefined],
      ['a millisecond more than seven days', now, now + 168 * HOUR + 1, 'too-long'],
      ['a beginning five seconds ago', now - 5000, now + HOUR, undefined],
      ['an earlier beginning', now - 5001, now + HOUR, 'past'],
      ['no time at all', now + HOUR, now + HOUR, 'empty'],
      ['an end before its beginning', now + HOUR, now, 'empty'],
    ];
  for (const [why, from, to, expected] of rows) {
    it(`says ${expected ?? 'nothing'} about ${why}`, () => {
      expect(maintenanceProblem({ from, to }, now)).to.equal(expected);
    });
  }
});

describe('isAhead', () => {
  it('holds until the end and not for a cancelled window', () => {
    expect(isAhead(window, FROM + HOUR - 1)).to.equal(true);
    expect(isAhead(window, FROM + HOUR)).to.equal(false);
    expect(isAhead({ ...window, cancelledAt: FROM - 1 }, FROM - 1)).to.equal(false);
  });
});
