import { expect } from 'chai';
import { checksOf, type CheckFacts } from '../../../../core/run/checks.ts';

const facts: CheckFacts = {
  outcome: 'success',
  closedBy: 'runtime',
  durationMs: 100,
  sloMs: 100,
  attempts: [{ provider: 'main', outcome: 'success', http_status: 200, duration_ms: 99 }],
  caller: 'valid',
  hasInputs: true,
  hasOutputs: true,
  outputsComplete: true,
  exception: false,
  clockStepped: false,
  manifest: 'pass',
  standing: 'fail',
  policy: 'pass',
};

describe('checksOf (trust.md §4)', () => {
  const rows: readonly [string, Partial<CheckFacts>, object][] = [
    [
      'a clean run',
      {},
      { slo: 'pass', isolation: 'pass', output_schema: 'pass', caller_auth: 'pass', standing: 'fail' },
    ],
    ['an enforced rule that failed and is ignored', { policy: 'unknown' }, { policy: 'unknown' }],
    ['one ms over the SLO', { durationMs: 101 }, { slo: 'fail' }],
    ['a failed run inside the SLO', { outcome: 'orb_error' }, { slo: 'fail' }],
    ['a clock that stepped', { clockStepped: true }, { slo: 'unknown' }],
    ['an exception of the dialer', { exception: true }, { isolation: 'unknown' }],
    [
      'a blocked attempt, exception or not',
      { exception: true, attempts: [{ provider: 'main', outcome: 'blocked', http_status: null, duration_ms: 1 }] },
      { isolation: 'fail' },
    ],
    ['no inputs declared', { hasInputs: false }, { input_schema: 'not_applicable' }],
    ['no outputs declared', { hasOutputs: false }, { output_schema: 'not_applicable' }],
    ['an output that is nowhere', { outputsComplete: false }, { output_schema: 'fail' }],
    ['a key revoked during the run', { caller: 'revoked-or-expired' }, { caller_auth: 'fail' }],
    ['an identity store that is away', { caller: 'unknown' }, { caller_auth: 'unknown' }],
    ['a call without key', { caller: 'anonymous' }, { caller_auth: 'not_applicable' }],
    [
      'a run closed by the sweeper',
      { closedBy: 'sweeper', outcome: 'platform_error', attempts: [], outputsComplete: false },
      { output_schema: 'unknown', isolation: 'unknown', slo: 'unknown', manifest: 'pass' },
    ],
    ['another manifest than the published one', { manifest: 'fail' }, { manifest: 'fail' }],
    ['a certified version', { standing: 'pass' }, { standing: 'pass' }],
    [
      'a denied run',
      { outcome: 'policy_denied', policy: 'fail', attempts: [], outputsComplete: false },
      { policy: 'fail', output_schema: 'not_applicable', slo: 'not_applicable', isolation: 'pass' },
    ],
  ];
  for (const [why, change, expected] of rows) {
    it(`${why}: ${JSON.stringify(expected)}`, () => expect(checksOf({ ...facts, ...change })).to.include(expected));
  }
});
