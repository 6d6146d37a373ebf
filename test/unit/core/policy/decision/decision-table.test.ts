import { expect } from 'chai';
import type { OrbPolicySpec } from '../../../../../crds/orbpolicy.ts';
import { isInRollout } from '../../../../../core/policy/decision/policy-set.ts';
import { aPolicy, aRule, decideWith } from '../../../../support/policies.ts';

const WHEN = { true: 'run.has_idempotency_key', false: '!run.has_idempotency_key', error: 'orb.score / 0 == 1' };
const UNTIL = { valid: '2026-12-01T00:00:00Z', expired: '2026-11-01T00:00:00Z' };

type Outcome = 'denied' | 'failed' | 'allowed' | 'bound' | 'default';

/** policy.md §3.2 for one rule: effect, result, failurePolicy, whether a valid exception names the rule. */
const OUTCOMES: Readonly<Record<string, Outcome>> = {
  'deny true Fail': 'denied',
  'deny true Ignore': 'denied',
  'deny true Fail excepted': 'default',
  'deny true Ignore excepted': 'default',
  'deny error Fail': 'failed',
  'deny error Ignore': 'default',
  'deny error Fail excepted': 'default',
  'deny error Ignore excepted': 'default',
  'allow true Fail': 'allowed',
  'allow true Ignore': 'allowed',
  'allow error Fail': 'failed',
  'allow error Ignore': 'default',
  'require true Fail': 'bound',
  'require true Ignore': 'bound',
  'require error Fail': 'failed',
  'require error Ignore': 'bound',
};

interface Row {
  readonly effect: 'deny' | 'allow' | 'require';
  readonly result: keyof typeof WHEN;
  readonly mode: 'Enforce' | 'Audit';
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly percent: 0 | 100;
  readonly exception: 'none' | keyof typeof UNTIL;
  readonly defaultEffect: 'allow' | 'deny';
  readonly orbisetEffect: 'allow' | 'deny';
}

const EFFECTS = ['allow', 'deny'] as const;

/** Each row with each of the members. */
const crossed = <Before extends object, Member extends object>(
  before: readonly Before[],
  members: readonly Member[],
): readonly (Before & Member)[] => before.flatMap((row) => members.map((member) => ({ ...row, ...member })));

type Values<Name extends keyof Row> = readonly Row[Name][];
const EFFECT: Values<'effect'> = ['deny', 'allow', 'require'];
const RESULT: Values<'result'> = ['true', 'false', 'error'];
const MODE: Values<'mode'> = ['Enforce', 'Audit'];
const FAILURE: Values<'failurePolicy'> = ['Fail', 'Ignore'];
const PERCENT: Values<'percent'> = [100, 0];
const EXCEPTION: Values<'exception'> = ['none', 'valid', 'expired'];
const rules = crossed(
  EFFECT.map((effect) => ({ effect })),
  RESULT.map((result) => ({ result })),
);
const policies = crossed(
  MODE.map((mode) => ({ mode })),
  FAILURE.map((failurePolicy) => ({ failurePolicy })),
);
const shares = crossed(
  PERCENT.map((percent) => ({ percent })),
  EXCEPTION.map((exception) => ({ exception })),
);
const defaults = crossed(
  EFFECTS.map((defaultEffect) => ({ defaultEffect })),
  EFFECTS.map((orbisetEffect) => ({ orbisetEffect })),
);
/** Exceptions name deny rules alone. */
const ROWS: readonly Row[] = crossed(crossed(rules, policies), crossed(shares, defaults)).filter(
  ({ effect, exception }) => effect === 'deny' || exception === 'none',
);

function specOf({ effect, result, failurePolicy, percent, exception, defaultEffect }: Row): OrbPolicySpec {
  const spec = { failurePolicy, defaultEffect, rollout: { percent }, rules: [aRule(effect, WHEN[result])] };
  if (exception === 'none') return spec;
  return { ...spec, exceptions: [{ rule: 'rule', until: UNTIL[exception], reason: 'INC-42' }] };
}

const outcomeOf = ({ effect, result, failurePolicy, exception }: Row): Outcome =>
  OUTCOMES[`${effect} ${result} ${failurePolicy}${exception === 'valid' ? ' excepted' : ''}`] ?? 'default';

/** The decision of an outcome, and the code of its denial. */
function expectedOf(outcome: Outcome, isDenyByDefault: boolean): readonly [string, string | undefined] {
  if (outcome === 'denied') return ['deny', 'policy-denied'];
  if (outcome === 'failed') return ['deny', 'policy-error'];
  return outcome !== 'allowed' && isDenyByDefault ? ['deny', 'default-deny'] : ['allow', undefined];
}

/** What a decision must be whose only policy has one rule. */
function check(row: Row): void {
  const decision = decideWith([aPolicy(specOf(row), 'policy', row.mode)], {
    options: { orbiset: { defaultEffect: row.orbisetEffect, requireReady: false } },
  });
  const outcome = outcomeOf(row);
  const isEnforced = row.mode === 'Enforce' && row.percent === 100;
  const whole = expectedOf(outcome, row.defaultEffect === 'deny' || row.orbisetEffect === 'deny');
  const expected = isEnforced ? whole : expectedOf('default', row.orbisetEffect === 'deny');
  expect([decision.decision, decision.denials[0]?.code]).to.deep.equal(expected);
  expect(decision.shadow).to.deep.equal({ decision: `would_${whole[0]}`, differs: whole[0] !== expected[0] });
  expect(decision.obligations).to.deep.equal(isEnforced && outcome === 'bound' ? { noStore: true } : {});
}

/** What is recorded of the rule. */
function checkRecord(row: Row): void {
  const { violations, rules: recorded, exceptionsUsed } = decideWith([aPolicy(specOf(row), 'policy', row.mode)]);
  const isEnforced = row.mode === 'Enforce' && row.percent === 100;
  const isViolation = isEnforced && row.effect === 'deny' && row.result === 'true';
  const isUsed = isEnforced && row.exception === 'valid' && row.result !== 'false';
  expect(violations.map(({ rule }) => rule)).to.deep.equal(isViolation ? ['acme/policy/rule'] : []);
  expect(exceptionsUsed.map(({ policy }) => policy)).to.deep.equal(isUsed ? ['acme/policy'] : []);
  const expected = row.result === 'false' ? [] : [[row.result, isEnforced]];
  expect(recorded.map(({ result, enforced }) => [result, enforced])).to.deep.equal(expected);
}

describe('the decision about every combination of one rule', () => {
  it('has all of them', () => expect(ROWS).to.have.length(480));

  for (const row of ROWS)
    it(Object.values(row).join(' '), () => {
      check(row);
      checkRecord(row);
    });
});

describe('the rollout', () => {
  it('takes the same share of pairs for every generation, and all of them at 100', () => {
    const pairs = Array.from({ length: 10_000 }, (_, index) => [`key:k${index % 100}`, `acme.orb${index}@1.0.0`]);
    const inside = pairs.filter(([caller = '', orb = '']) => isInRollout('acme/policy', 10, caller, orb));
    expect(inside.length).to.be.within(900, 1100);
    expect(isInRollout('acme/policy', 100, 'key:k1', 'acme.mailer@1.2.0')).to.equal(true);
    expect(isInRollout('acme/policy', 0, 'key:k1', 'acme.mailer@1.2.0')).to.equal(false);
    // sha256("acme/policy:key:k1:acme.mailer@1.2.0") begins with the bucket below.
    expect(isInRollout('acme/policy', BUCKET / 100, 'key:k1', 'acme.mailer@1.2.0')).to.equal(false);
    expect(isInRollout('acme/policy', (BUCKET + 1) / 100, 'key:k1', 'acme.mailer@1.2.0')).to.equal(true);
  });
});

/** First four bytes of the digest, modulo 10 000. */
const BUCKET = 7636;
