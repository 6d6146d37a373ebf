import { expect } from 'chai';
import {
  attemptOutcome,
  isTenantRefusal,
  maybeExecuted,
  runEnd,
  type Exchange,
} from '../../../../core/run/classify.ts';

const answered = (status: number, outputsPresent = true): Exchange => ({ kind: 'answered', status, outputsPresent });
const failed = (cause: Extract<Exchange, { kind: 'failed' }>['cause']): Exchange => ({ kind: 'failed', cause });

describe('attemptOutcome (failover.md §2)', () => {
  const rows: readonly [string, Exchange, string][] = [
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
  const rows: readonly [string, Exchange, boolean, string, string | undefined][] = [
    ['success', answered(200), true, 'success', undefined],
    ['5xx', answered(503), true, 'orb_error', 'provider-failed'],
    ['3xx', answered(302), false, 'orb_error', 'provider-failed'],
    ['bad output', answered(200, false), false, 'orb_error', 'provider-failed'],
    ['blocked', failed('blocked'), true, 'orb_error', 'provider-failed'],
    ['other 4xx', answered(422), true, 'orb_error', 'provider-rejected'],
    ['401 without a secret', answered(401), false, 'orb_error', 'provider-rejected'],
    ['429 without a secret', answered(429), false, 'orb_error', 'provider-failed'],
    ['401 with a secret', answered(401), true, 'caller_error', 'provider-refused-credential'],
    ['402 with a secret', answered(402), true, 'caller_error', 'provider-refused-credential'],
    ['403 with a secret', answered(403), true, 'caller_error', 'provider-refused-credential'],
    ['429 with a secret', answered(429), true, 'caller_error', 'provider-refused-credential'],
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

describe('maybeExecuted (failover.md §12.2)', () => {
  const post = { method: 'POST', idempotent: false };
  const rows: readonly [string, Exchange, boolean, { method: string; idempotent: boolean }, boolean][] = [
    ['a POST that timed out after it was sent', failed('timeout'), true, post, true],
    ['a POST with a cut answer', failed('response'), true, post, true],
    ['a POST answered by 500', answered(500), true, post, true],
    ['a DELETE that timed out', failed('timeout'), true, { method: 'DELETE', idempotent: false }, true],
    ['a POST that was never sent', failed('timeout'), false, post, false],
    ['an idempotent POST', failed('timeout'), true, { method: 'POST', idempotent: true }, false],
    ['a GET', failed('timeout'), true, { method: 'GET', idempotent: false }, false],
    ['a POST answered by 429', answered(429), true, post, false],
    ['a POST answered by 400', answered(400), true, post, false],
    ['a POST that succeeded', answered(200), true, post, false],
  ];
  for (const [why, exchange, sent, request, expected] of rows) {
    it(`${why}: ${expected}`, () => expect(maybeExecuted(exchange, sent, request)).to.equal(expected));
  }
});
