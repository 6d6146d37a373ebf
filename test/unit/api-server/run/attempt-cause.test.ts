import { expect } from 'chai';
import { attemptCause } from '../../../../api-server/run/attempt-cause.ts';
import { causeOf } from '../../../../core/attempts/cause.ts';
import { createRedactor } from '../../../../core/redaction/create-redactor.ts';
import { answered } from '../../../support/a-runtime.ts';

const UNUSED = (): never => {
  throw new TypeError('an answer has no limits');
};

describe('attemptCause', () => {
  for (const [status, reason] of [
    [200, 'not-json'],
    [299, 'not-json'],
    [300, 'redirected'],
    [400, 'request-rejected'],
  ] as const)
    it(`is ${reason} for an answer ${status} that is no JSON`, () => {
      const failed = { result: answered(null, { status }), reading: causeOf('not-json'), retryAfterMs: undefined };
      expect(attemptCause(failed, UNUSED, createRedactor([])).reason).to.equal(reason);
    });
});
