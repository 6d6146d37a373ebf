import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { member } from '../../../../../core/json/members.ts';
import { factSchema, type FactDefinition } from '../../../../../core/policy/facts/fact-schema.ts';
import { ORB_FACTS } from '../../../../../core/policy/facts/orb-facts.ts';
import { CEL_ENGINE } from '../../../../../core/policy/language/cel-engine.ts';
import type { CompiledPolicy, PolicySource } from '../../../../../core/policy/language/port.ts';
import { aPolicySource, denyWhen } from '../../../../support/policy-sources.ts';

const FACTS = {
  orb: { tier_rank: 0, score: 70, hosts: ['api.example'], labels: { tier: 'prod' }, age_days: 3, name: 'aaa' },
  caller: { scopes: ['runs:execute'], runs_today: 3 },
  run: { started_at: '2026-11-20T10:30:00Z', has_idempotency_key: false },
  request: { fields: ['user.name', 'amount'] },
  inputs: { recipient: 'bob', amount: 12, rate: 0.5 },
};

function compiled(source: PolicySource): CompiledPolicy {
  const result = CEL_ENGINE.compile(source, ORB_FACTS);
  if (!result.ok) throw new TypeError(JSON.stringify(result.findings));
  return result.policy;
}

const valueOf = (when: string, parts: Partial<PolicySource> = {}): unknown =>
  compiled(aPolicySource(when, parts)).evaluate(FACTS)[0]?.value;

/** Code and place of every finding. */
const findingsOf = (when: string, parts: Partial<PolicySource> = {}): readonly string[] =>
  CEL_ENGINE.compile(aPolicySource(when, parts), ORB_FACTS).findings.map(
    ({ severity, code, line, column }) => `${severity} ${code}${line === undefined ? '' : ` ${line}:${column}`}`,
  );

const INPUTS = { inputFacts: { recipient: 'string', amount: 'int', rate: 'string', other: 'bool' } } as const;

describe('the engine', () => {
  it('names the version of the package that evaluates, and the schema of facts', () => {
    const text = readFileSync(new URL('../../../../../package.json', import.meta.url), 'utf8');
    const version = member(member(JSON.parse(text), 'dependencies'), '@bufbuild/cel');
    expect(CEL_ENGINE.id.split('+')).to.deep.equal([
      `cel/${typeof version === 'string' ? version : ''}`,
      'orb-facts/1',
    ]);
  });
});

describe('a policy in CEL', () => {
  const values: readonly (readonly [string, unknown, Partial<PolicySource>?])[] = [
    ['orb.tier_rank < 1', true],
    ['orb.score + 1 == 71', true],
    ['orb.labels.tier == "prod"', true],
    ['orb.labels["tier"] in ["prod", "test"]', true],
    ['has(orb.labels.region)', false],
    ['orb.labels["region"] == "eu"', 'error'],
    ['orb.score / 0 == 1', 'error'],
    ['orb.score * 9223372036854775807 > 0', 'error'],
    ['orb.confidence == "high"', 'error'],
    ['orb.confidence == "high" && false', false],
    ['orb.confidence == "high" || true', true],
    ['"runs:execute" in caller.scopes', true],
    ['orb.name.matches("^a+$")', true],
    ['request.fields.exists(f, f.startsWith("user."))', true],
    ['request.fields.all(f, f.contains("user"))', false],
    ['request.fields.exists_one(f, f == "amount")', true],
    ['orb.hosts.filter(f, f.contains(".")).map(f, f + "!") == ["api.example!"]', true],
    ['caller.scopes.filter(f, f.size() > 20).map(f, f + "!").size() == 0', true],
    ['run.started_at > timestamp("2026-01-01T00:00:00Z")', true],
    ['run.started_at.getHours() == 10', true],
    ['run.started_at.getHours("Europe/Berlin") == 11', true],
    ['run.started_at - timestamp("2026-11-20T10:00:00Z") == duration("30m")', true],
    ['inputs.recipient == "bob"', true, INPUTS],
    ['inputs.amount == 12', true, INPUTS],
    ['inputs.rate == "0.5"', true, INPUTS],
    ['has(inputs.other)', false, INPUTS],
  ];
  for (const [when, value, parts] of values)
    it(`gives ${String(value)} for ${when}`, () => expect(valueOf(when, parts)).to.equal(value));

  const findings: readonly (readonly [string, readonly string[], Partial<PolicySource>?])[] = [
    ['caller.run_today > 3', ['error unknown-fact 1:8']],
    ['nothing', ['error unknown-fact 1:1']],
    ['orb.score', ['error not-boolean 1:1']],
    ['orb.', ['error parse-error 1:5']],
    ['true\n&& "a', ['error parse-error 2:4']],
    ['true && .orb.publisher_verified', ['error parse-error 1:9']],
    ['orb == "x"', ['error type-error 1:1']],
    ['orb.score == "x"', ['error type-error 1:11']],
    ['orb.score > 1.5', ['error type-error 1:13']],
    ['orb.score > 1u', ['error type-error 1:13']],
    ['orb.name == null', ['error type-error 1:13']],
    ['dyn(1) == 1', ['error type-error 1:1']],
    ['type(1) == int', ['error type-error 1:1', 'error unknown-fact 1:12']],
    ['orb.name.lowerAscii() == "a"', ['error type-error 1:9']],
    ['orb.hosts.all(orb, true)', ['error type-error 1:10']],
    ['orb.score == 99999999999999999999', ['error type-error 1:14']],
    ['request.host == "x"', ['error wrong-phase 1:9']],
    ['request.host == "x"', ['error wrong-phase 1:9'], { phases: ['Request', 'PreFlight'] }],
    ['request.host == "x"', [], { phases: ['Response', 'Request'] }],
    ['orb.name.matches(orb.org)', ['error regex-not-literal 1:22']],
    ['orb.name.matches("(?=a)")', ['error bad-regex 1:18']],
    ['request.fields.all(f, request.fields.all(g, f != g))', ['error too-expensive 1:1']],
    ['[1].all(a, [1].all(b, [1].all(c, true)))', ['error too-deep 1:26']],
    [`${'('.repeat(30)}true${')'.repeat(30)}`, ['error too-deep 1:30']],
    [Array.from({ length: 200 }, () => 'true').join(' && '), ['error too-large 1:1']],
    [`"${'a'.repeat(4096)}" == ""`, ['error too-large 1:1']],
    ['request.fields.map(f, f+f+f+f+f+f+f+f+f).size() > 1', ['error too-large 1:15']],
    ['orb.age_days < 7', ['warning needs-has 1:5']],
    ['has(orb.age_days) && orb.age_days < 7', []],
    ['orb.age_days < 7 && has(orb.age_days)', []],
    ['!has(orb.age_days) || orb.age_days < 7', []],
    ['has(orb.age_days) ? orb.age_days < 7 : true', []],
    ['has(orb.age_days) || orb.age_days < 7', ['warning needs-has 1:26']],
    ['1 + 1 == 2', ['warning always-true']],
    ['orb.score > 100', ['warning always-false']],
    ['orb.score >= 0 || orb.publisher_verified', ['warning always-true']],
    ['caller.runs_today >= 10', ['warning counts-from-now']],
  ];
  for (const [when, expected, parts] of findings)
    it(`finds ${expected.join(', ') || 'nothing'} in ${when.slice(0, 60)}`, () =>
      expect(findingsOf(when, parts)).to.deep.equal(expected));

  it('names the nearest fact, and says where it stands', () => {
    const [finding] = CEL_ENGINE.compile(aPolicySource('caller.run_today > 3'), ORB_FACTS).findings;
    expect(finding).to.deep.include({
      pointer: '/spec/rules/0/when',
      detail: 'caller.run_today: did you mean caller.runs_today?',
      suggestion: 'caller.runs_today',
    });
  });

  it('finds rules that change nothing', () => {
    const rules = [
      denyWhen('orb.score < 50', 'low'),
      denyWhen('orb.score < 50 && caller.kind == "anonymous"', 'needless'),
      { name: 'never', effect: 'allow', when: 'orb.score < 50 && orb.publisher_verified' },
    ] as const;
    expect(findingsOf('', { rules })).to.deep.equal(['warning shadowed', 'warning unreachable']);
    expect(findingsOf('', { rules, exceptedRules: ['low'] })).to.deep.equal([]);
  });

  it('evaluates variables in order, and gives a rule an error when its variable fails', () => {
    const variables = [
      { name: 'broken', expression: 'orb.score / 0' },
      { name: 'spent', expression: 'caller.runs_today * 850' },
      { name: 'left', expression: '10000 - variables.spent' },
    ];
    const rules = [denyWhen('variables.left == 7450', 'left'), denyWhen('variables.broken == 1', 'broken')];
    const policy = compiled(aPolicySource('', { variables, rules }));
    expect(policy.evaluate(FACTS).map(({ value }) => value)).to.deep.equal([true, 'error']);
    expect(policy.evaluate(FACTS, [1]).map(({ rule }) => rule)).to.deep.equal(['broken']);
    expect(policy.readsFacts).to.deep.equal(['caller.runs_today', 'orb.score']);
    expect(policy.rules.map(({ readsFacts, isStable }) => [readsFacts, isStable])).to.deep.equal([
      [['caller.runs_today'], false],
      [['orb.score'], true],
    ]);
  });

  it('refuses a variable that is used before it stands', () => {
    const variables = [
      { name: 'first', expression: 'variables.second + 1' },
      { name: 'second', expression: '1' },
    ];
    expect(findingsOf('variables.first == 1', { variables })).to.deep.equal(['error unknown-fact 1:11']);
  });

  it('shows the message that an expression makes, and the fixed one when it fails or is too long', () => {
    const rule = { ...denyWhen('true'), message: 'fixed' };
    const messageOf = (messageExpression: string): unknown =>
      compiled(aPolicySource('', { rules: [{ ...rule, messageExpression }] })).evaluate(FACTS)[0]?.message;
    expect(messageOf('"score " + string(orb.score)')).to.equal('score 70');
    expect(messageOf('orb.confidence')).to.equal('fixed');
    expect(messageOf(`"${'a'.repeat(513)}"`)).to.equal('fixed');
    expect(compiled(aPolicySource('true')).evaluate(FACTS)[0]?.message).to.equal('denied by rule rule');
  });
});

const list = (maxItems: number): FactDefinition => ({
  path: 'l',
  type: 'list<string>',
  phase: 'PreFlight',
  isNullable: false,
  isStateful: false,
  changesWith: 'run',
  min: 0,
  max: 0,
  maxLength: 16,
  maxItems,
  since: 'test',
  doc: '',
});

describe('the cost of an expression', () => {
  const number: FactDefinition = { ...list(0), path: 'orb.tier_rank', type: 'int', max: 4 };
  const unitsOf = (when: string, maxItems: number): unknown => {
    const result = CEL_ENGINE.compile(aPolicySource(when), factSchema('test', [list(maxItems), number]));
    return result.ok ? result.policy.costUnits.PreFlight : result.findings[0]?.detail.split(',')[0];
  };
  // policy.md §1.2, with the 5 units of every expression; `a` is a string, whose comparison costs one unit more.
  const rows: readonly (readonly [string, number, unknown])[] = [
    ['l.all(a, 1 + 1 >= 0)', 256, 1792 + 5],
    ['l.all(a, l.all(b, 1 + 1 >= 0))', 32, 7232 + 5],
    ['l.all(a, l.all(b, 1 + 1 >= 0))', 64, '28805 units'],
    ['orb.tier_rank < 1', 0, 15],
  ];
  for (const [when, items, units] of rows)
    it(`is ${String(units)} for ${when} over ${items} items`, () => expect(unitsOf(when, items)).to.equal(units));
});
