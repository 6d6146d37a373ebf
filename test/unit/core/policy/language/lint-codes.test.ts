import { expect } from 'chai';
import type { OrbPolicySpec } from '../../../../../crds/orbpolicy.ts';
import { CEL_ENGINE } from '../../../../../core/policy/language/cel-engine.ts';
import { LINT_CODES, type PolicyLintCode } from '../../../../../core/policy/language/lint-codes.ts';
import { checkPolicy } from '../../../../../core/policy/simulation/check-policy.ts';
import { aRule, STARTED_AT } from '../../../../support/policies.ts';

const LISTS = 'orb.hosts.all(a, orb.hosts.all(b, orb.hosts.all(c, a == b)))';
const EXCEPTION = { orb: '*', caller: '', rule: 'rule', reason: 'a row of this table' };
const second = { name: 'second' };

const denies = (when: string): OrbPolicySpec => ({ rules: [aRule('deny', when)] });
const excepted = (until: string, rule = 'rule'): OrbPolicySpec => ({
  ...denies('orb.score < 1'),
  exceptions: [{ ...EXCEPTION, rule, until }],
});
const requires = (type: string): OrbPolicySpec => ({
  rules: [aRule('require', 'orb.score < 1', { obligations: [{ type }] })],
});

/** A policy that gives the finding. */
const POLICIES: Readonly<Record<PolicyLintCode, OrbPolicySpec>> = {
  'parse-error': denies('orb.score <'),
  'type-error': denies('orb.score < "1"'),
  'not-boolean': denies('orb.score'),
  'unknown-fact': denies('orb.scor < 1'),
  'wrong-phase': denies('request.host == "a"'),
  'too-expensive': denies('request.fields.all(a, request.fields.all(b, a == b))'),
  'too-deep': denies(LISTS),
  'too-large': denies(`orb.name == "${'a'.repeat(4096)}"`),
  'regex-not-literal': denies('orb.name.matches(orb.org)'),
  'bad-regex': denies('orb.name.matches("(?=a)")'),
  'unknown-obligation': requires('wipeDisk'),
  'bad-obligation': requires('timeoutMs'),
  'duplicate-name': { rules: [aRule('deny', 'orb.score < 1'), aRule('deny', 'orb.score < 2')] },
  'unknown-rule': excepted('2026-12-01T00:00:00Z', 'other'),
  'exception-too-long': excepted('2027-12-01T00:00:00Z'),
  'exception-expired': excepted('2026-01-01T00:00:00Z'),
  'needs-has': denies('orb.age_days < 1'),
  'always-true': denies('orb.score >= 0'),
  'always-false': denies('orb.score < 0'),
  shadowed: { rules: [aRule('deny', 'orb.score < 2'), aRule('deny', 'orb.score < 2', second)] },
  unreachable: { rules: [aRule('deny', 'orb.score < 2'), aRule('allow', 'orb.score < 2', second)] },
  'match-is-writable': { ...denies('orb.score < 1'), match: { orbs: { ids: ['acme.*'] } } },
  'counts-from-now': denies('caller.runs_today > 9'),
};

describe('codes of findings about policies', () => {
  for (const [code, { level }] of Object.entries(LINT_CODES))
    it(`${code} is found as ${level}`, () => {
      const spec = Object.entries(POLICIES).find(([name]) => name === code)?.[1] ?? {};
      const { findings, compiled } = checkPolicy({ namespace: 'acme', name: 'policy', spec }, STARTED_AT, CEL_ENGINE);
      const found = findings.filter((finding) => finding.code === code);
      expect(found.map(({ severity }) => severity)).to.deep.equal(found.map(() => level));
      expect(findings.map((finding) => finding.code)).to.include(code);
      expect(compiled === undefined).to.equal(level === 'error');
    });
});
