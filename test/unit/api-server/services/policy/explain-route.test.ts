import { expect } from 'chai';
import { explainRoute } from '../../../../../api-server/services/policy/explain-route.ts';
import { SimulationRate } from '../../../../../api-server/services/policy/simulation-rate.ts';
import type { JsonObject } from '../../../../../core/json/json-value.ts';
import { policySet, type PolicyInForce, type PolicySet } from '../../../../../core/policy/decision/policy-set.ts';
import { aCaller, startApp, type Called } from '../../../../support/api-app.ts';
import { createTestRuntime, SECRET } from '../../../../support/a-runtime.ts';
import { LEDGER_NOW } from '../../../../support/ledger-rows.ts';
import { aPolicy, aRule, someFacts } from '../../../../support/policies.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../../support/sqlite-ledger.ts';
import { decisionIdOf, ruleOf, storeDecision } from '../../../../support/stored-decisions.ts';

const LIMIT = aPolicy({ rules: [aRule('deny', 'orbiset.runs_today >= 25')] }, 'limits');
const OTHER = aPolicy({ rules: [aRule('deny', 'orb.score > 5')] }, 'other');

const setOf = (...policies: readonly PolicyInForce[]): PolicySet => policySet(policies, []);

/** What a record says of the set and the rules that decided. */
const decidedBy = (set: PolicySet, ...rules: readonly JsonObject[]): JsonObject => ({
  policy_set_digest: set.digest,
  rules,
});

describe('POST /decisions/{decision_id}/explain', () => {
  let fixture: SqliteFixture;
  beforeEach(async () => (fixture = await openSqliteFixture()));
  afterEach(() => fixture.dispose());

  async function explained(number: number, set: PolicySet | undefined): Promise<Called> {
    const { ledger, clock } = fixture;
    const { runtime } = createTestRuntime({ ledger, clock });
    const { catalog, logger } = runtime;
    const policies = { of: () => set };
    const route = explainRoute({ ledger, catalog, logger, policies, rate: new SimulationRate(clock) });
    const app = await startApp([route], { caller: aCaller({ scopes: new Set(['decisions:read']) }) });
    const answer = await app.call('POST', `/decisions/${decisionIdOf(number)}/explain`);
    await app.close();
    return answer;
  }

  it('shows the values of the rule that denied, and the smallest change that allows', async () => {
    await storeDecision(fixture.ledger, 1, { record: decidedBy(setOf(LIMIT), ruleOf(LIMIT)), facts: someFacts() });
    const { status, value } = await explained(1, setOf(LIMIT));
    expect([status, value]).to.have.nested.property('[1].policies', 'recorded');
    expect(value).to.have.nested.property('because[0].trace.expr', 'orbiset.runs_today >= 25');
    expect(value).to.have.nested.property('because[0].trace.args[0].value', '30');
    expect(value).to.deep.include({
      decision: 'deny',
      smallest_flips: [{ fact: 'orbiset.runs_today', from: 30, to: 24, decision: 'allow' }],
      approvals: [],
    });
  });

  it('takes the stored version of then when the policies have changed', async () => {
    const { definition } = LIMIT;
    const { namespace, name, digest, spec } = definition;
    const text = JSON.stringify({ rules: spec.rules });
    const about = { generation: 1, uid: 'u1', at: LEDGER_NOW, by: 'key:k1', mode: 'Enforce' as const };
    await fixture.ledger.putPolicyVersion(
      { namespace, name, digest, ...about, spec: text, tests: '[]' },
      { inForce: true },
    );
    await storeDecision(fixture.ledger, 1, { record: decidedBy(setOf(LIMIT), ruleOf(LIMIT)), facts: someFacts() });
    const { value } = await explained(1, setOf(OTHER));
    expect(value).to.deep.include({ policies: 'recorded', decision: 'deny' });
    expect(value).to.have.nested.property('because[0].policy', 'acme/limits');
  });

  it('takes the policies of today when those of then are not stored, and says so', async () => {
    await storeDecision(fixture.ledger, 1, { record: decidedBy(setOf(LIMIT), ruleOf(LIMIT)), facts: someFacts() });
    const { value } = await explained(1, setOf(OTHER));
    expect(value).to.deep.include({ policies: 'current', decision: 'deny' });
    expect(value).to.have.nested.property('because[0].policy', 'acme/other');
  });

  it('says that an approval alone was missing', async () => {
    const approval = { type: 'requireApproval', by: 'incidents:write' };
    const held = aPolicy({ rules: [aRule('require', 'orb.irreversible', { obligations: [approval] })] });
    await storeDecision(fixture.ledger, 1, {
      decision: { approvals: ['incidents:write'] },
      record: decidedBy(setOf(held)),
      facts: someFacts(),
    });
    expect((await explained(1, setOf(held))).value).to.deep.include({
      decision: 'deny',
      smallest_flips: [],
      approvals: ['incidents:write'],
    });
  });

  it('hides values of the vault in traces', async () => {
    const echo = aPolicy({
      inputFacts: { note: 'string' },
      rules: [aRule('deny', "inputs.note != 'x'", { name: 'echo' })],
    });
    const facts = someFacts({ inputs: { note: SECRET }, inputNames: ['note'] });
    await storeDecision(fixture.ledger, 1, { record: decidedBy(setOf(echo)), facts });
    const { status, value } = await explained(1, setOf(echo));
    expect(status).to.equal(200);
    expect(JSON.stringify(value)).to.include('[redacted:').and.not.include(SECRET);
  });

  it('answers 409 when no facts are stored, and 404 for another decision', async () => {
    await storeDecision(fixture.ledger, 1);
    const answers = [await explained(1, setOf(LIMIT)), await explained(2, setOf(LIMIT))];
    expect(answers.map(({ status, code }) => [status, code])).to.deep.equal([
      [409, 'facts-not-recorded'],
      [404, 'decision-not-found'],
    ]);
  });
});
