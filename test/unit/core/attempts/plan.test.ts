import { expect } from 'chai';
import {
  nextStep,
  type Candidate,
  type FailedAttempt,
  type AttemptState,
  type Availability,
} from '../../../../core/attempts/plan.ts';
import type { Failure, RepeatPolicy } from '../../../../core/attempts/repeat.ts';

const FREE: Availability = { kind: 'free' };
const ANYWHERE: RepeatPolicy = { anywhere: true, there: false };
const THERE: RepeatPolicy = { anywhere: false, there: true };
const BOTH: RepeatPolicy = { anywhere: true, there: true };
const NOWHERE: RepeatPolicy = { anywhere: false, there: false };
const NOW = 1000;

const standing = (kind: Exclude<Availability['kind'], 'free'>, ms: number): Availability => ({ kind, until: NOW + ms });

const candidates = (standings: Readonly<Record<string, Availability>>): readonly Candidate[] =>
  Object.entries(standings).map(([provider, one]) => ({ provider, standing: one }));

const situation = (change: Partial<AttemptState> = {}): AttemptState => ({
  candidates: candidates({ a: FREE, b: FREE }),
  failed: [],
  maxAttempts: 3,
  budget: true,
  now: NOW,
  deadline: NOW + 30_000,
  random: 0.5,
  ...change,
});

const failure = (provider: string, what: Failure, repeats: RepeatPolicy = NOWHERE): FailedAttempt => ({
  provider,
  failure: what,
  repeats,
});

function shown(some: AttemptState): string {
  const step = nextStep(some);
  if (step.kind === 'stop')
    return `stop ${step.reason}${step.retryAfterMs === undefined ? '' : ` ${step.retryAfterMs}`}`;
  return `${step.provider}${step.waitMs === 0 ? '' : ` after ${step.waitMs}`}`;
}

const again = (times: number, random: number): string => {
  const failed = Array.from({ length: times }, () => failure('a', 'uncertain', THERE));
  return shown(situation({ failed, maxAttempts: 20, random }));
};

const charged = (change: Partial<AttemptState>): unknown => {
  const step = nextStep(situation(change));
  return step.kind === 'call' ? step.charged : undefined;
};

describe('nextStep: the first attempt', () => {
  const rows: readonly [
    why: string,
    standings: Readonly<Record<string, Availability>>,
    expected: string,
    deadlineMs?: number,
  ][] = [
    ['the first in order', { a: FREE, b: FREE }, 'a'],
    ['the next one while a breaker is open', { a: standing('breaker', 9000), b: FREE }, 'b'],
    ['the next one while the first cools', { a: standing('cooling', 9000), b: FREE }, 'b'],
    ['the next one after a refused credential', { a: standing('credential', 9000), b: FREE }, 'b'],
    ['the next one after a used-up quota', { a: standing('quota', 9000), b: FREE }, 'b'],
    [
      'none, with the next slot, when all breakers are open',
      { a: standing('breaker', 9000), b: standing('breaker', 4000) },
      'stop unavailable 4000',
    ],
    ['the one that cools, when that ends in time', { a: standing('cooling', 9000) }, 'a after 9000'],
    [
      'the one that cools for the shortest time',
      { a: standing('cooling', 9000), b: standing('cooling', 2000) },
      'b after 2000',
    ],
    ['none when it cools beyond the deadline', { a: standing('cooling', 9000) }, 'stop unavailable 9000', 9000],
    [
      'the one that cools before a breaker that is open',
      { a: standing('breaker', 10), b: standing('cooling', 2000) },
      'b after 2000',
    ],
    ['a quota that is back in time', { a: standing('quota', 2000) }, 'a after 2000'],
    ['none when the quota is not back in time', { a: standing('quota', 9000) }, 'stop quota 9000', 9000],
    ['none when nobody knows when the quota is back', { a: standing('quota-unannounced', 2000) }, 'stop quota 2000'],
    [
      'none, and not only for the quota',
      { a: standing('quota-unannounced', 2000), b: standing('breaker', 900) },
      'stop unavailable 900',
    ],
    ['the one that refused the credential, when it is the only one', { a: standing('credential', 9000) }, 'a'],
    [
      'the one that refused the credential, when no other can be called',
      { a: standing('breaker', 9000), b: standing('credential', 9000) },
      'b',
    ],
  ];
  for (const [why, standings, expected, deadlineMs = 30_000] of rows) {
    it(`takes ${why}: ${expected}`, () => {
      const some = situation({ candidates: candidates(standings), deadline: NOW + deadlineMs });
      expect(shown(some)).to.equal(expected);
    });
  }
});

describe('nextStep: the repeat table, every row and column (failover.md §12.2)', () => {
  const columns = { anywhere: ANYWHERE, 'the same provider': THERE, both: BOTH, neither: NOWHERE };
  const table: Readonly<Record<Failure, Readonly<Record<keyof typeof columns, string>>>> = {
    unsent: { anywhere: 'b', 'the same provider': 'b', both: 'b', neither: 'b' },
    'not-executed': { anywhere: 'b', 'the same provider': 'b', both: 'b', neither: 'b' },
    uncertain: { anywhere: 'b', 'the same provider': 'a after 50', both: 'b', neither: 'stop failed' },
    final: { anywhere: 'stop failed', 'the same provider': 'stop failed', both: 'stop failed', neither: 'stop failed' },
  };
  const failures = ['unsent', 'not-executed', 'uncertain', 'final'] as const;
  const names = ['anywhere', 'the same provider', 'both', 'neither'] as const;
  for (const what of failures) {
    for (const column of names) {
      it(`${what}, repeatable: ${column}`, () => {
        expect(shown(situation({ failed: [failure('a', what, columns[column])] }))).to.equal(table[what][column]);
      });
    }
  }

  const alone: Readonly<Record<Failure, Readonly<Record<keyof typeof columns, string>>>> = {
    unsent: {
      anywhere: 'stop failed',
      'the same provider': 'stop failed',
      both: 'stop failed',
      neither: 'stop failed',
    },
    'not-executed': {
      anywhere: 'stop failed',
      'the same provider': 'stop failed',
      both: 'stop failed',
      neither: 'stop failed',
    },
    uncertain: {
      anywhere: 'stop failed',
      'the same provider': 'a after 50',
      both: 'a after 50',
      neither: 'stop failed',
    },
    final: table.final,
  };
  for (const what of failures) {
    for (const column of names) {
      it(`${what}, repeatable: ${column}, no other provider`, () => {
        const only = candidates({ a: FREE });
        const step = shown(situation({ candidates: only, failed: [failure('a', what, columns[column])] }));
        expect(step).to.equal(alone[what][column]);
      });
    }
  }
});

describe('nextStep: after a failure', () => {
  const rows: readonly [why: string, change: Partial<AttemptState>, expected: string][] = [
    ['tries none twice', { failed: [failure('a', 'unsent'), failure('b', 'unsent')] }, 'stop failed'],
    [
      'skips a breaker that is open',
      { candidates: candidates({ a: FREE, b: standing('breaker', 100), c: FREE }), failed: [failure('a', 'unsent')] },
      'c',
    ],
    [
      'skips one that cools',
      { candidates: candidates({ a: FREE, b: standing('cooling', 100), c: FREE }), failed: [failure('a', 'unsent')] },
      'c',
    ],
    [
      'never moves a request that may have done its work, whatever failed after it',
      { failed: [failure('a', 'uncertain', THERE), failure('a', 'unsent', THERE)] },
      'a after 100',
    ],
    [
      'nor when the provider then says that it did nothing',
      {
        candidates: candidates({ a: standing('cooling', 2000), b: FREE }),
        failed: [failure('a', 'uncertain', THERE), failure('a', 'not-executed', THERE)],
      },
      'a after 2000',
    ],
    [
      'stops at the same provider when its breaker opened',
      { candidates: candidates({ a: standing('breaker', 5000), b: FREE }), failed: [failure('a', 'uncertain', THERE)] },
      'stop failed',
    ],
    [
      'waits no less than the provider asks for',
      { candidates: candidates({ a: standing('cooling', 10) }), failed: [failure('a', 'uncertain', THERE)] },
      'a after 50',
    ],
    [
      'goes to another provider at once while the first cools (S8)',
      { candidates: candidates({ a: standing('cooling', 2000), b: FREE }), failed: [failure('a', 'not-executed')] },
      'b',
    ],
    [
      'waits alone until Retry-After is over (S8)',
      { candidates: candidates({ a: standing('cooling', 2000) }), failed: [failure('a', 'not-executed')] },
      'a after 2000',
    ],
    [
      'tells when to come back if the deadline is earlier (S8)',
      {
        candidates: candidates({ a: standing('cooling', 2000) }),
        failed: [failure('a', 'not-executed')],
        deadline: NOW + 2000,
      },
      'stop failed 2000',
    ],
    [
      'does not wait for a quota of which nobody knows when it is back',
      { candidates: candidates({ a: standing('quota-unannounced', 30) }), failed: [failure('a', 'not-executed')] },
      'stop failed 30',
    ],
    [
      'does not ask one that refused the credential before',
      { candidates: candidates({ a: FREE, b: standing('credential', 10) }), failed: [failure('a', 'unsent')] },
      'stop failed',
    ],
    [
      'stops after the last attempt that is allowed',
      { maxAttempts: 1, failed: [failure('a', 'unsent')] },
      'stop failed',
    ],
    [
      'stops when the budget is spent, so that an outage is not amplified',
      { budget: false, failed: [failure('a', 'uncertain', ANYWHERE)] },
      'stop failed',
    ],
    ['moves what was not sent without the budget', { budget: false, failed: [failure('a', 'unsent')] }, 'b'],
    ['stops at the deadline', { deadline: NOW, failed: [failure('a', 'unsent')] }, 'stop failed'],
    [
      'does not wait beyond the deadline',
      { deadline: NOW + 50, failed: [failure('a', 'uncertain', THERE)] },
      'stop failed',
    ],
  ];
  for (const [why, change, expected] of rows) {
    it(`${why}: ${expected}`, () => expect(shown(situation(change))).to.equal(expected));
  }

  it('waits with full jitter from 100 ms, doubling', () => {
    expect([1, 2, 3, 5, 6, 9].map((times) => again(times, 1))).to.deep.equal(
      [100, 200, 400, 1600, 2000, 2000].map((ms) => `a after ${ms}`),
    );
    expect(again(3, 0.25)).to.equal('a after 100');
    expect(again(3, 0)).to.equal('a');
  });

  it('charges repeats to the budget, and nothing else', () => {
    expect(charged({})).to.equal(false);
    expect(charged({ candidates: candidates({ a: standing('breaker', 1), b: FREE }) })).to.equal(false);
    expect(charged({ failed: [failure('a', 'unsent')] })).to.equal(false);
    expect(charged({ failed: [failure('a', 'not-executed')] })).to.equal(true);
    expect(charged({ failed: [failure('a', 'uncertain', ANYWHERE)] })).to.equal(true);
  });
});
