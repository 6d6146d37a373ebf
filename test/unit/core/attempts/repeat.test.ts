import { expect } from 'chai';
import {
  failureOf,
  maybeExecuted,
  repeatPolicyOf,
  type AttemptEnd,
  type RetryRules,
} from '../../../../core/attempts/repeat.ts';
import type { ProviderExchange } from '../../../../core/attempts/classify.ts';

const RULES: RetryRules = {
  maxAttempts: 3,
  onStatus: new Set([408, 425, 429, 500, 502, 503, 504]),
  notExecutedStatus: new Set([429]),
};

const answered = (status: number, outputsPresent = true): AttemptEnd => ({
  exchange: { kind: 'answered', status, outputsPresent },
  sent: true,
  status,
});
const failed = (
  cause: Extract<ProviderExchange, { kind: 'failed' }>['cause'],
  sent: boolean,
  status: number | null = null,
): AttemptEnd => ({ exchange: { kind: 'failed', cause }, sent, status });

describe('failureOf: rows of the repeat table (failover.md §12.2)', () => {
  type Row = readonly [why: string, ended: AttemptEnd, expected: string, rules?: Partial<RetryRules>];
  const byStatus = (expected: string, ...all: number[]): readonly Row[] =>
    all.map((status) => [String(status), answered(status), expected]);
  const rows: readonly Row[] = [
    ['no name, no connection, no TLS', failed('transport', false), 'unsent'],
    ['a connect time-out', failed('timeout', false), 'unsent'],
    ['refused by the dialer before it was sent', failed('blocked', false), 'unsent'],
    ['429', answered(429), 'not-executed'],
    [
      '503 where the manifest says that nothing was done',
      answered(503),
      'not-executed',
      { notExecutedStatus: new Set([503]) },
    ],
    ['a cut 429', failed('transport', true, 429), 'not-executed'],
    ['429 where that is switched off', answered(429), 'uncertain', { notExecutedStatus: new Set() }],
    ['a time-out after sending', failed('timeout', true), 'uncertain'],
    ['a reset', failed('transport', true), 'uncertain'],
    ['a cut body', failed('transport', true, 200), 'uncertain'],
    ['a body that is too large', failed('response', true, 200), 'uncertain'],
    ['a redirect', answered(307), 'uncertain'],
    ['a redirect that the dialer refused', failed('blocked', true, 307), 'uncertain'],
    ['a bad output', answered(200, false), 'uncertain'],
    ...byStatus('uncertain', 408, 425, 500, 502, 503, 504),
    ['a 4xx that the manifest wants repeated', answered(404), 'uncertain', { onStatus: new Set([404]) }],
    ...byStatus('final', 400, 401, 402, 403, 404, 409, 422),
    ['501', answered(501), 'final'],
    ['500 where the manifest wants no repeat', answered(500), 'final', { onStatus: new Set() }],
    ['429 in neither list', answered(429), 'final', { onStatus: new Set(), notExecutedStatus: new Set() }],
    ['a stop by the platform', failed('cancelled', true), 'final'],
    ['a stop by the platform before sending', failed('cancelled', false), 'final'],
  ];
  for (const [why, ended, expected, rules = {}] of rows) {
    it(`${why}: ${expected}`, () => expect(failureOf(ended, { ...RULES, ...rules })).to.equal(expected));
  }
});

describe('repeatPolicyOf: columns of the repeat table', () => {
  const rows: readonly [
    method: string,
    idempotent: boolean,
    header: string | undefined,
    expected: readonly boolean[],
  ][] = [
    ['GET', false, undefined, [true, false]],
    ['HEAD', false, undefined, [true, false]],
    ['OPTIONS', false, undefined, [true, false]],
    ['POST', true, undefined, [true, false]],
    ['PATCH', true, undefined, [true, false]],
    ['PUT', false, undefined, [false, true]],
    ['DELETE', false, undefined, [false, true]],
    ['POST', false, 'Idempotency-Key', [false, true]],
    ['PATCH', false, 'Idempotency-Key', [false, true]],
    ['PUT', true, undefined, [true, true]],
    ['POST', false, undefined, [false, false]],
    ['PATCH', false, undefined, [false, false]],
  ];
  for (const [method, idempotent, idempotencyHeader, expected] of rows) {
    it(`${method}, idempotent ${idempotent}, key ${idempotencyHeader ?? 'none'}`, () => {
      const { anywhere, there } = repeatPolicyOf({ method, idempotent, idempotencyHeader });
      expect([anywhere, there]).to.deep.equal(expected);
    });
  }
});

describe('maybeExecuted (failover.md §12.2)', () => {
  const NEITHER = { anywhere: false, there: false };
  const rows: readonly [string, AttemptEnd, { anywhere: boolean; there: boolean }, boolean][] = [
    ['a POST that timed out after it was sent', failed('timeout', true), NEITHER, true],
    ['a POST with a cut answer', failed('response', true, 200), NEITHER, true],
    ['a POST answered by 500', answered(500), NEITHER, true],
    ['a POST answered by 501, which is not repeated', answered(501), NEITHER, true],
    ['a POST with a bad output', answered(200, false), NEITHER, true],
    ['a POST that the platform stopped', failed('cancelled', true), NEITHER, true],
    ['a POST whose redirect was refused', failed('blocked', true, 307), NEITHER, true],
    ['a PUT that timed out', failed('timeout', true), { anywhere: false, there: true }, true],
    ['a POST that was never sent', failed('timeout', false), NEITHER, false],
    ['a repeatable request', failed('timeout', true), { anywhere: true, there: false }, false],
    ['a POST answered by 429', answered(429), NEITHER, false],
    ['a POST answered by 400', answered(400), NEITHER, false],
    ['a POST that succeeded', answered(200), NEITHER, false],
  ];
  for (const [why, ended, repeats, expected] of rows) {
    it(`${why}: ${expected}`, () => expect(maybeExecuted(ended, repeats, RULES)).to.equal(expected));
  }

  it('does not take a 429 for a promise that nothing was done, where the manifest does not', () => {
    expect(maybeExecuted(answered(429), NEITHER, { ...RULES, notExecutedStatus: new Set() })).to.equal(true);
  });
});
