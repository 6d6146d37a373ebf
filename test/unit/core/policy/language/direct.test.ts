import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../../../core/json/json-value.ts';
import { ORB_FACTS } from '../../../../../core/policy/facts/orb-facts.ts';
import { CEL_ENGINE } from '../../../../../core/policy/language/cel-engine.ts';
import { isJsonObject } from '../../../../../core/json/json-value.ts';
import type { CompiledPolicy, Facts } from '../../../../../core/policy/language/port.ts';
import { someRequestFacts } from '../../../../support/policies.ts';
import { randomCondition } from '../../../../support/policy-expressions.ts';
import { aPolicySource } from '../../../../support/policy-sources.ts';
import { seeded } from '../../../../support/seeded.ts';

const RUNS = Number(process.env['ORB_PROPERTY_RUNS'] ?? '500');
const SEED = Number(process.env['ORB_SEED'] ?? '20261120');

function compiled(when: string, variables: Readonly<Record<string, string>> = {}): CompiledPolicy | undefined {
  const parts = { name: 'p', phases: ['Request'] as const };
  const listed = Object.entries(variables).map(([name, expression]) => ({ name, expression }));
  const result = CEL_ENGINE.compile(aPolicySource(when, { ...parts, variables: listed }), ORB_FACTS);
  return result.ok ? result.policy : undefined;
}

/** What the evaluator alone says: traces are its values. */
function evaluated(policy: CompiledPolicy, facts: Facts): boolean | string {
  const value = policy.trace(facts, 0)?.value;
  return typeof value === 'boolean' ? value : 'error';
}

const ODD: readonly JsonValue[] = [null, 1, 0.5, -1, 'text', true, [], ['a', 1], {}, '2026-02-30T10:00:00Z', 2 ** 53];

type Random = () => number;

/** Facts of which some are absent, or no value of their type. */
function damaged(facts: Facts, random: Random): Facts {
  const part = (values: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(values).flatMap(([name, value]): readonly (readonly [string, JsonValue])[] => {
        const chance = random();
        if (chance < 0.1) return [];
        return [[name, chance < 0.2 ? (ODD[Math.floor(random() * ODD.length)] ?? null) : value]];
      }),
    );
  return Object.fromEntries(
    Object.entries(facts).flatMap(([root, values]) =>
      random() < 0.05 || !isJsonObject(values) ? [] : [[root, part(values)]],
    ),
  );
}

describe('conditions without the evaluator', function directConditions() {
  this.timeout(3_600_000);

  const CONDITIONS = [
    'orb.tier_rank < 1',
    'orb.score + 1 == 71 || orb.score - 1 >= 3',
    'orb.score * 9007199254740991 > 0',
    'orbiset.orb_runs_today * 850 >= 100000000',
    '!orb.publisher_verified && !(orb.irreversible || has(orb.age_days))',
    'has(orb.age_days) && orb.age_days < 3',
    'orb.org == "acme" && orb.name != "x"',
    '"runs:execute" in caller.scopes',
    'caller.kind in ["api_key", "anonymous"]',
    'request.fields.size() > 1 && size(request.fields) < 100',
    'request.fields.exists(f, f.startsWith("user.")) && request.fields.all(f, f != "" && !f.endsWith("x"))',
    'orb.hosts.exists(h, h == orb.name || h.contains("example"))',
    'run.started_at.getHours() >= 9 && run.started_at.getDayOfWeek() in [1, 2]',
    'run.started_at.getFullYear() == 2026 && run.started_at.getMonth() == 10 && run.started_at.getDate() == 20',
    'run.started_at.getMinutes() == 0',
  ];

  const TIMES = ['2026-11-20T23:59:59.999Z', '2026-02-30T10:00:00Z', '2026-11-20T24:00:00Z', '0000-01-01T00:00:00Z'];
  const MORE_TIMES = ['2026-11-20T10:00:00+14:00', '2026-11-20T10:00:00.123456789Z', '2026-11-20', ''];

  for (const when of CONDITIONS)
    it(`say the same: ${when}`, () => {
      const policy = compiled(when);
      if (policy === undefined) throw new TypeError(`${when} does not compile`);
      const facts = someRequestFacts();
      const random = seeded(SEED);
      const times = [...TIMES, ...MORE_TIMES].map((started_at) => ({
        ...facts,
        run: { started_at, has_idempotency_key: true },
      }));
      const all = [facts, ...times, ...Array.from({ length: RUNS / 10 }, () => damaged(facts, random))];
      const differing = all.filter((one) => policy.evaluate(one)[0]?.value !== evaluated(policy, one));
      expect(differing).to.deep.equal([]);
    });

  it('say the same with variables that need the evaluator, and with others', () => {
    const policy = compiled('variables.spent > 10 && variables.name != "x" && variables.late == false', {
      spent: 'orbiset.orb_runs_today * 850',
      name: 'orb.name.matches("^m") ? "y" : orb.name',
      late: 'run.started_at.getHours() > 20',
    });
    const random = seeded(SEED);
    const all = Array.from({ length: RUNS / 10 }, () => damaged(someRequestFacts(), random));
    const differing = all.filter((one) => policy?.evaluate(one)[0]?.value !== (policy && evaluated(policy, one)));
    expect(differing).to.deep.equal([]);
  });

  it('say the same for any condition and any facts', () => {
    const random = seeded(SEED);
    const facts = someRequestFacts();
    const differing: string[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const when = randomCondition(random, ORB_FACTS, 1 + Math.floor(random() * 4));
      const policy = compiled(when);
      const all = [facts, damaged(facts, random), damaged(facts, random)];
      for (const one of policy === undefined ? [] : all)
        if (policy?.evaluate(one)[0]?.value !== (policy && evaluated(policy, one))) differing.push(when);
    }
    expect(differing).to.deep.equal([]);
  });
});
