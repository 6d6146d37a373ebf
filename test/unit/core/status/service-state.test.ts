import { expect } from 'chai';
import { stateOfChecks, type CheckResult } from '../../../../core/status/service-state.ts';
import type { ServiceState } from '../../../../core/status/service.ts';

const good = (ms = 10): CheckResult => ({ kind: 'good', id: 'execute', ms, code: null });
const failed = (code: Extract<CheckResult, { kind: 'failed' }>['code']): CheckResult => ({
  kind: 'failed',
  id: 'execute',
  ms: 10,
  code,
});
const leftOut: CheckResult = { kind: 'left-out', id: 'execute' };

describe('stateOfChecks', () => {
  const rows: readonly (readonly [why: string, results: readonly CheckResult[], expected: ServiceState])[] = [
    ['all are good', [good(), good()], 'operational'],
    ['one takes exactly twice its target', [good(2000)], 'operational'],
    ['one takes longer than twice its target', [good(), good(2001)], 'degraded_performance'],
    ['some fail', [good(), failed('timeout')], 'partial_outage'],
    ['all fail', [failed('unreachable'), failed('needs-failed-check')], 'major_outage'],
    ['one fails and the others are left out', [failed('timeout'), leftOut], 'major_outage'],
    ['none could be made', [leftOut, leftOut], 'unknown'],
    ['tokens are not reviewed', [failed('authentication-unavailable'), failed('needs-failed-check')], 'partial_outage'],
    [
      'tokens are not reviewed and one is out',
      [failed('authentication-unavailable'), failed('timeout')],
      'major_outage',
    ],
  ];
  for (const [why, results, expected] of rows) {
    it(`is ${expected} when ${why}`, () => {
      expect(stateOfChecks('runtime', results)).to.equal(expected);
    });
  }
});
