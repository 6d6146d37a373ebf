import { expect } from 'chai';
import type { JsonObject } from '../../../core/json/json-value.ts';
import { ORB_FACTS } from '../../../core/policy/facts/orb-facts.ts';
import { CEL_ENGINE } from '../../../core/policy/language/cel-engine.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { asRule, definitionWith, NAME, PLURAL, VERSION, type Rule } from '../../support/crds/policy-expressions-crd.ts';
import { randomCondition } from '../../support/policy-expressions.ts';
import { aPolicySource } from '../../support/policy-sources.ts';
import { someRequestFacts } from '../../support/policies.ts';
import { seeded } from '../../support/seeded.ts';
import { lastAnswer } from '../../support/wait-for.ts';
import { ask, askOk, MERGE, type Reply } from '../rbac/request.ts';

// `npm run fuzz -- kubernetes` compares 10 000.
const COUNT = Number(process.env['ORB_CEL_EXPRESSIONS'] ?? '100');
const SEED = Number(process.env['ORB_SEED'] ?? '20261120');
/** Expressions in one version of the definition; each stands there twice. */
const AT_ONCE = 100;
const NAMESPACE = 'tenant-a';
const DEFINITION = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${NAME}`;
const FACTS = someRequestFacts();

type Value = boolean | 'error';

/** An expression that the platform accepts, and its value. */
interface Expression {
  readonly when: string;
  readonly own: Value | undefined;
}

function* expressions(): Generator<Expression, never> {
  const random = seeded(SEED);
  for (;;) {
    const when = randomCondition(random, ORB_FACTS, 1 + Math.floor(random() * 4));
    const compiled = CEL_ENGINE.compile(aPolicySource(when, { phases: ['Request'] }), ORB_FACTS);
    if (compiled.ok) yield { when, own: compiled.policy.evaluate(FACTS)[0]?.value };
  }
}

/** The next ones. A helper of iterators would end the generator. */
function take(source: Generator<Expression, never>, count: number): readonly Expression[] {
  return Array.from({ length: count }, () => source.next().value);
}

/** Why the server does not take a rule that the platform accepts. */
const REASONS: readonly (readonly [says: RegExp, why: string])[] = [
  [
    /exceeds budget|exceeding cost limit/,
    'its estimate of costs is higher: it knows no shorter texts than the schema allows',
  ],
  [/program instantiation failed: (type conversion error|strconv)/, 'it converts constants when it compiles'],
  [/invalid (timestamp|duration) argument/, 'it converts constants when it compiles'],
];

/** By position of the rule, what the server says against it. */
const refusedRules = (message: string): ReadonlyMap<number, string> =>
  new Map(
    message
      .split('x-kubernetes-validations[')
      .slice(1)
      .map((part) => [Number.parseInt(part), part] as const),
  );

/** The rules of some expressions: each stands there as it is and negated, and where both fail it is an error. */
const rulesOf = (some: readonly Expression[], mark: string): readonly Rule[] => [
  { rule: 'self.orb.score < 0', message: mark },
  ...some.flatMap(({ when }, index) => [
    { rule: asRule(when), message: `<${index} is false>` },
    { rule: `!(${asRule(when)})`, message: `<${index} is true>` },
  ]),
];

function valueIn(said: string, index: number): Value {
  const [isFalse, isTrue] = ['false', 'true'].map((value) => said.includes(`<${index} is ${value}>`));
  return isTrue === isFalse ? 'error' : isTrue === true;
}

describe('conditions of policies, as Kubernetes evaluates them', function suite() {
  this.timeout(3_600_000);
  let plane: ControlPlane;
  const object: JsonObject = {
    apiVersion: VERSION,
    kind: 'Condition',
    metadata: { name: 'facts' },
    spec: FACTS,
  };
  const create = (): Promise<Reply> =>
    ask(plane, {
      as: 'admin',
      method: 'POST',
      path: `/apis/${VERSION}/namespaces/${NAMESPACE}/${PLURAL}?dryRun=All`,
      body: object,
    });

  before(async () => {
    plane = await sharedControlPlane();
    await askOk(plane, {
      method: 'POST',
      path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      body: definitionWith([]),
    });
  });
  after(() => askOk(plane, { method: 'DELETE', path: DEFINITION }));

  /** Puts the rules into the definition. @returns what the server says against them; '' when it took them */
  async function put(rules: readonly Rule[]): Promise<string> {
    const { status, message } = await ask(plane, {
      as: 'admin',
      method: 'PATCH',
      path: DEFINITION,
      type: MERGE,
      body: { spec: definitionWith(rules)['spec'] ?? null },
    });
    return status === 200 ? '' : message;
  }

  /** Messages of the rules that do not hold, once the server has the version with this mark. */
  async function verdicts(mark: string): Promise<string> {
    const found = await lastAnswer(create, ({ message }) => message.includes(mark));
    if (!found.message.includes(mark)) throw new Error(`the server never had ${mark}: ${found.message}`);
    return found.message;
  }

  /** Puts as many of the expressions as the server takes into the definition. @returns those, and faults of the rest */
  async function putTaken(
    batch: readonly Expression[],
    mark: string,
  ): Promise<{ readonly taken: readonly Expression[]; readonly faults: readonly string[] }> {
    const faults: string[] = [];
    let taken = batch;
    for (let said = await put(rulesOf(taken, mark)); said !== ''; said = await put(rulesOf(taken, mark))) {
      const refused = refusedRules(said);
      if (refused.size === 0) throw new Error(said);
      faults.push(...[...refused.values()].filter((text) => !REASONS.some(([says]) => says.test(text))));
      taken = taken.filter((_, index) => !refused.has(2 * index + 1) && !refused.has(2 * index + 2));
    }
    return { taken, faults };
  }

  it(`have the same value there (${COUNT}, seed ${SEED})`, async () => {
    const source = expressions();
    const differences: string[] = [];
    let compared = 0;
    for (let round = 0; compared < COUNT; round += 1) {
      const mark = `version ${round} of the rules`;
      const { taken, faults } = await putTaken(take(source, Math.min(AT_ONCE, COUNT - compared)), mark);
      differences.push(...faults);
      const said = await verdicts(mark);
      for (const [index, { when, own }] of taken.entries()) {
        const theirs = valueIn(said, index);
        if (theirs !== own) differences.push(`ours ${String(own)}, theirs ${String(theirs)}: ${when}`);
      }
      compared += taken.length;
    }
    expect(differences).to.deep.equal([]);
  });
});
