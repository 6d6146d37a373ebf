import { expect } from 'chai';
import { overallState } from '../../../../core/status/overall.ts';
import { forEachService, type ServiceState, type ServiceStates } from '../../../../core/status/service.ts';

describe('overallState', () => {
  const rows: readonly (readonly [why: string, states: Partial<ServiceStates>, expected: ServiceState])[] = [
    ['everything works', {}, 'operational'],
    ['a critical service is in maintenance', { runtime: 'under_maintenance' }, 'under_maintenance'],
    ['another service is out', { ingestion: 'major_outage' }, 'degraded_performance'],
    ['another service is unknown', { observable_engine: 'unknown' }, 'operational'],
    [
      'another is degraded and a critical one unknown',
      { ingestion: 'degraded_performance', runtime: 'unknown' },
      'unknown',
    ],
    ['half an outage beats unknown', { runtime: 'unknown', reputation_ledger: 'partial_outage' }, 'partial_outage'],
  ];
  for (const [why, states, expected] of rows) {
    it(`is ${expected} when ${why}`, () => {
      expect(overallState({ ...forEachService(() => 'operational' as const), ...states })).to.equal(expected);
    });
  }
});
