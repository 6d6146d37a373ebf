import { expect } from 'chai';
import {
  attemptOutcome,
  decisiveAttempt,
  isTenantRefusal,
  runEnd,
  type ProviderExchange,
} from '../../../../core/attempts/classify.ts';

const answered = (status: number, outputsPresent = true): ProviderExchange => ({
  kind: 'answered',
  status,
  outputsPresent,
});
const failed = (cause: Extract<ProviderExchange, { kind: 'failed' }>['cause']): ProviderExchange => ({
  kind: 'failed',
  cause,
});

describe('attemptOutcome (failover.md §2)', () => {
  const rows: readonly [string, ProviderExchange, string][] = [
    ['the lowest 2xx', answered(200), 'success'],
    ['the highest 2xx', answered(299), 'success'],
    ['a 2xx without an output that has a from', answered(200, false), 'error'],
    ['a redirect that is not followed', answered(307), 'error'],
    ['a stray 1xx', answered(199), 'error'],
    ['400', answered(400), 'client_error'],
    ['404', answered(404), 'client_error'],
    ['request timeout', answered(408), 'error'],
    ['too early', answered(425), 'error'],
    ['rate limited', answered(429), 'rate_limited'],
    ['500', answered(500), 'error'],
    ['599', answered(599), 'error'],
    ['refused by the dialer', failed('blocked'), 'blocked'],
    ['no connection', failed('transport'), 'error'],
    ['an answer that can not be read', failed('response'), 'error'],
    ['a deadline', failed('timeout'), 'timeout'],
    ['stopped by the platform', failed('cancelled'), 'cancelled'],
  ];
  for (const [why, exchange, expected] of rows) {
    it(`${why} is ${expected}`, () => expect(attemptOutcome(exchange)).to.equal(expected));
  }
});

describe('runEnd (design.md §3)', () => {
  const rows: readonly [string, ProviderExchange, boolean, string, string | undefined][] = [
    ['success', answered(200), true, 'success', undefined],
    ['5xx', answered(503), true, 'orb_error', 'provider-failed'],
    ['3xx', answered(302), false, 'orb_error', 'provider-failed'],
    ['bad output', answered(200, false), false, 'orb_error', 'provider-failed'],
    ['blocked', failed('blocked'), true, 'orb_error', 'provider-failed'],
    ['other 4xx', answered(422), true, 'orb_error', 'provider-rejected'],
    ['401 without a secret', answered(401), false, 'orb_error', 'provider-rejected'],
    ['429 without a secret', answered(429), false, 'orb_error', 'provider-rate-limited'],
    ['401 with a secret', answered(401), true, 'caller_error', 'provider-refused-credential'],
    ['402 with a secret', answered(402), true, 'caller_error', 'provider-refused-credential'],
    ['403 with a secret', answered(403), true, 'caller_error', 'provider-refused-credential'],
    ['429 with a secret', answered(429), true, 'caller_error', 'provider-rate-limited'],
    ['deadline', failed('timeout'), true, 'timeout', 'provider-timeout'],
  ];
  for (const [why, exchange, usedSecret, outcome, code] of rows) {
    it(`${why} ends as ${outcome} with ${code ?? 'no problem'}`, () => {
      const end = runEnd(exchange, usedSecret);
      expect(end.outcome).to.equal(outcome);
      expect(end.outcome === 'success' ? undefined : end.problem).to.equal(code);
    });
  }

  it('calls 400 no refusal of a credential', () => expect(isTenantRefusal(answered(400), true)).to.equal(false));
});

describe('decisiveAttempt (failover.md §12.2)', () => {
  type Row = readonly [provider: string, exchange: ProviderExchange, usedSecret?: boolean];
  const rows: readonly [why: string, attempts: readonly Row[], expected: number | undefined][] = [
    ['no attempt', [], undefined],
    [
      'the last one',
      [
        ['a', answered(500)],
        ['b', failed('timeout')],
      ],
      1,
    ],
    [
      'the last one, a success after a used-up quota',
      [
        ['a', answered(429), true],
        ['b', answered(200)],
      ],
      1,
    ],
    [
      'an answer of another provider after a used-up quota',
      [
        ['a', answered(429), true],
        ['b', answered(500)],
      ],
      1,
    ],
    [
      'an answer of another provider before a used-up quota',
      [
        ['a', answered(500)],
        ['b', answered(429), true],
      ],
      0,
    ],
    [
      'a used-up quota when no other provider answered',
      [
        ['a', answered(429), true],
        ['b', failed('transport')],
      ],
      0,
    ],
    [
      'an answer of another provider before a 429 without a secret',
      [
        ['a', answered(500)],
        ['b', answered(429)],
      ],
      0,
    ],
    [
      'a 429 without a secret when no other provider answered',
      [
        ['a', answered(429)],
        ['b', failed('transport')],
      ],
      0,
    ],
    ['a used-up quota alone', [['a', answered(429), true]], 0],
    [
      'the last of two used-up quotas',
      [
        ['a', answered(429), true],
        ['b', answered(429), true],
      ],
      1,
    ],
    [
      'the second answer of a provider that had refused',
      [
        ['a', answered(429), true],
        ['a', answered(500), true],
      ],
      1,
    ],
    [
      'a refused credential, whoever answered before',
      [
        ['a', answered(500)],
        ['b', answered(401), true],
      ],
      1,
    ],
  ];
  for (const [why, attempts, expected] of rows) {
    it(`takes ${why}`, () => {
      const all = attempts.map(([provider, exchange, usedSecret = false]) => ({ provider, exchange, usedSecret }));
      const found = decisiveAttempt(all);
      expect(found === undefined ? undefined : all.indexOf(found)).to.equal(expected);
    });
  }
});
