import { expect } from 'chai';
import type { OrbPolicySpec } from '../../../../../crds/orbpolicy.ts';
import { compileDocument } from '../../../../../core/policy/document/compile-document.ts';
import { definePolicy } from '../../../../../core/policy/document/definition.ts';
import { CEL_ENGINE } from '../../../../../core/policy/language/cel-engine.ts';
import { aRule, STARTED_AT } from '../../../../support/policies.ts';

const DENY = aRule('deny', 'orb.score < 50');

const findingsOf = (spec: OrbPolicySpec): readonly string[] =>
  compileDocument({ namespace: 'acme', name: 'policy', spec }, STARTED_AT, CEL_ENGINE).findings.map(
    ({ severity, code, pointer }) => `${severity} ${code} ${pointer}`,
  );

const exception = (until: string, rule = 'rule'): OrbPolicySpec => ({
  rules: [DENY],
  exceptions: [{ rule, until, reason: 'INC-42' }],
});

describe('compileDocument', () => {
  const rows: readonly (readonly [string, OrbPolicySpec, readonly string[]])[] = [
    ['accepts a policy without rules', {}, []],
    ['accepts an exception of 90 days', exception('2027-02-18T10:00:00Z'), []],
    ['refuses a longer one', exception('2027-02-18T10:00:01Z'), ['error exception-too-long /spec/exceptions/0/until']],
    [
      'shows one that is past',
      exception('2026-11-20T10:00:00Z'),
      ['warning exception-expired /spec/exceptions/0/until'],
    ],
    [
      'refuses an exception of no rule',
      exception('2026-12-01T00:00:00Z', 'other'),
      ['error unknown-rule /spec/exceptions/0/rule'],
    ],
    [
      'refuses a name twice',
      { rules: [DENY, aRule('allow', 'orb.score > 90')] },
      ['error duplicate-name /spec/rules/1/name'],
    ],
    [
      'refuses an unknown obligation',
      { rules: [aRule('require', 'orb.irreversible', { obligations: [{ type: 'encrypt' }] })] },
      ['error unknown-obligation /spec/rules/0/obligations/0'],
    ],
    [
      'refuses parameters of another obligation',
      { rules: [aRule('require', 'orb.irreversible', { obligations: [{ type: 'timeoutMs', hosts: ['a.example'] }] })] },
      ['error bad-obligation /spec/rules/0/obligations/0'],
    ],
    [
      'refuses an obligation that a phase can not keep',
      {
        match: { phases: ['PreFlight', 'Response'] },
        rules: [aRule('require', 'orb.irreversible', { obligations: [{ type: 'timeoutMs', value: 5 }] })],
      },
      ['error bad-obligation /spec/rules/0/obligations/0'],
    ],
    [
      'refuses obligations of a rule that denies',
      { rules: [{ ...DENY, obligations: [{ type: 'noStore' }] }] },
      ['error bad-obligation /spec/rules/0/obligations'],
    ],
    [
      'refuses a requirement without obligations',
      { rules: [aRule('require', 'orb.irreversible', { obligations: [] })] },
      ['error bad-obligation /spec/rules/0/obligations'],
    ],
    [
      'says how each part of match can be left',
      {
        match: {
          orbs: { ids: ['acme.*'], selector: { matchLabels: { tier: 'prod' } } },
          orbisets: { names: ['prod'] },
          callers: { kinds: ['api_key'], scopes: ['x'] },
        },
        rules: [aRule('deny', 'orb.labels["region"] == "eu"')],
      },
      [
        'warning match-is-writable /spec/match/orbs/ids',
        'warning match-is-writable /spec/match/orbs/selector',
        'warning match-is-writable /spec/match/orbisets',
        'warning match-is-writable /spec/match/callers',
        'warning match-is-writable /spec/match/callers/scopes',
        'warning match-is-writable /spec/rules/0/when',
      ],
    ],
    [
      'collects errors of the document and of its expressions',
      { rules: [aRule('deny', 'orb.scor < 1'), DENY] },
      ['error duplicate-name /spec/rules/1/name', 'error unknown-fact /spec/rules/0/when'],
    ],
  ];
  for (const [why, spec, findings] of rows) it(why, () => expect(findingsOf(spec)).to.deep.equal(findings));
});

const digestOf = (spec: OrbPolicySpec): string => definePolicy('acme', 'policy', spec).digest;

describe('the digest of a policy', () => {
  const BASE: OrbPolicySpec = { rules: [DENY] };
  const same: readonly (readonly [string, OrbPolicySpec])[] = [
    ['mode', { ...BASE, mode: 'Enforce' }],
    ['priority', { ...BASE, priority: 7 }],
    ['tests', { ...BASE, tests: [{ name: 'test', expect: { decision: 'none' } }] }],
    ['promotion', { ...BASE, promotion: { requireReplay: {} } }],
    ['a default that is written out', { ...BASE, failurePolicy: 'Fail', variables: [] }],
  ];
  for (const [why, spec] of same) it(`stays with ${why}`, () => expect(digestOf(spec)).to.equal(digestOf(BASE)));

  const others: readonly (readonly [string, OrbPolicySpec])[] = [
    ['a message', { rules: [{ ...DENY, message: 'no' }] }],
    ['failurePolicy', { ...BASE, failurePolicy: 'Ignore' }],
    ['the rollout', { ...BASE, rollout: { percent: 50 } }],
    ['match', { ...BASE, match: { phases: ['Request'] } }],
    ['requireReady', { ...BASE, requireReady: true }],
  ];
  for (const [why, spec] of others)
    it(`changes with ${why}`, () => expect(digestOf(spec)).to.not.equal(digestOf(BASE)));
});
