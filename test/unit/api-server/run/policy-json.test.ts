import { expect } from 'chai';
import { denialJson, denialsJson, rulesJson } from '../../../../api-server/run/policy-json.ts';
import type { DecidedRule, Denial } from '../../../../core/policy/decision/decision.ts';
import { undecided } from '../../../../core/policy/decision/run-decision.ts';
import { digestOfText } from '../../../../core/manifest/digest.ts';

const DENIAL: Denial = { code: 'policy-denied', policy: 'acme/p', rule: 'r', severity: 'high', message: 'secret text' };
const DIGEST = digestOfText('p');

const RULE: DecidedRule = {
  policy: 'acme/p',
  policyDigest: DIGEST,
  rule: 'r',
  effect: 'deny',
  result: 'true',
  enforced: false,
  severity: 'low',
  message: 'why',
};

const of = (phase: 'PreFlight' | 'Request' | 'Response', provider: string | null) => ({
  phase,
  provider,
  decision: { ...undecided(phase), rules: [RULE] },
  tookMs: 0,
});

describe('denials as answers show them', () => {
  it('have their code when no rule denied, also in place of a rule', () => {
    expect(denialJson(DENIAL)).to.deep.equal({ policy: 'acme/p', rule: 'r', severity: 'high' });
    expect(denialJson({ ...DENIAL, code: 'policy-error' })).to.deep.equal({
      policy: 'acme/p',
      rule: 'r',
      severity: 'high',
      code: 'policy-error',
    });
    expect(denialJson({ ...DENIAL, code: 'policy-not-ready', rule: '' })).to.deep.equal({
      policy: 'acme/p',
      rule: 'policy-not-ready',
      severity: 'high',
      code: 'policy-not-ready',
    });
  });

  it('are the first 64', () => {
    const many = Array.from({ length: 70 }, (_, at) => ({ ...DENIAL, rule: `r${at}` }));
    expect(denialsJson(many).map(({ rule }) => rule)).to.deep.equal(many.slice(0, 64).map(({ rule }) => rule));
  });
});

describe('rules as answers and records show them', () => {
  const shown = {
    policy: 'acme/p',
    policy_digest: DIGEST,
    rule: 'r',
    effect: 'deny',
    result: 'true',
    enforced: false,
    severity: 'low',
    message: 'why',
  };

  it('say where they were decided, PreFlight excepted', () => {
    expect(rulesJson([of('PreFlight', null), of('Request', 'a'), of('Response', 'b')])).to.deep.equal([
      shown,
      { ...shown, phase: 'Request', provider: 'a' },
      { ...shown, phase: 'Response', provider: 'b' },
    ]);
  });
});
