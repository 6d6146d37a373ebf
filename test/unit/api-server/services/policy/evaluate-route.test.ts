import { expect } from 'chai';
import { evaluateRoute } from '../../../../../api-server/services/policy/evaluate-route.ts';
import { SimulationRate } from '../../../../../api-server/services/policy/simulation-rate.ts';
import { policySet, type PolicySet } from '../../../../../core/policy/decision/policy-set.ts';
import { aCaller, startApp, type Called } from '../../../../support/api-app.ts';
import { createTestRuntime, SECRET, type TestRuntime } from '../../../../support/a-runtime.ts';
import { aPolicy, aRule } from '../../../../support/policies.ts';
import { DRAFTS_HERE } from '../../../../support/drafts.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../../support/sqlite-ledger.ts';

const LIMIT = aPolicy({ rules: [aRule('deny', 'orbiset.runs_today >= 25')] }, 'limits');
const DRAFT = { metadata: { name: 'limits' }, spec: { rules: [aRule('deny', 'orbiset.runs_today >= 10')] } };
const ASKED = { orbiset: 'support', orb_id: 'acme.echo@1.0.0' };

describe('POST /policies/evaluate', () => {
  let fixture: SqliteFixture;
  let tested: TestRuntime;
  beforeEach(async () => (fixture = await openSqliteFixture()));
  afterEach(() => fixture.dispose());

  async function evaluate(body: object, set?: PolicySet, caller = aCaller()): Promise<Called> {
    const { ledger, clock } = fixture;
    tested = createTestRuntime({ ledger, clock, parts: { policies: { of: () => set } } });
    tested.runtime.policyState.dayCounts.load(clock.now(), []);
    const route = evaluateRoute({ runtime: tested.runtime, rate: new SimulationRate(clock), drafts: DRAFTS_HERE });
    const app = await startApp([route], { caller: { ...caller, scopes: new Set(['policies:simulate']) } });
    const answer = await app.call('POST', '/policies/evaluate', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...ASKED, ...body }),
    });
    await app.close();
    return answer;
  }

  const given = { facts: { orbiset: { runs_today: 12 } } };
  const included: readonly [include: string | undefined, decision: string, changes: unknown][] = [
    [undefined, 'deny', [{ kind: 'new_deny', rule: 'acme/limits/rule' }]],
    ['current+draft', 'deny', [{ kind: 'new_deny', rule: 'acme/limits/rule' }]],
    ['draft', 'deny', [{ kind: 'new_deny', rule: 'acme/limits/rule' }]],
    ['current', 'allow', []],
  ];
  for (const [include, decision, changes] of included)
    it(`include ${include}: ${decision}`, async () => {
      const body = { ...given, policies: [DRAFT], ...(include === undefined ? {} : { include }) };
      const { value } = await evaluate(body, policySet([LIMIT], []));
      expect(value).to.deep.include({ decision, changes });
      expect(value).to.have.nested.property('current.decision', 'allow');
    });

  it('keeps the other policies beside a draft, and leaves them out for drafts alone', async () => {
    const other = aPolicy({ rules: [aRule('deny', 'caller.runs_today == 0')] }, 'other');
    const set = policySet([other], []);
    const both = await evaluate({ policies: [DRAFT], include: 'current+draft' }, set);
    const alone = await evaluate({ policies: [DRAFT], include: 'draft' }, set);
    expect(
      [both, alone].map(({ value }) => Object.entries(value ?? {}).find(([name]) => name === 'decision')),
    ).to.deep.equal([
      ['decision', 'deny'],
      ['decision', 'allow'],
    ]);
  });

  it('refuses inputs with half of a character', async () => {
    const { status, code } = await evaluate({ inputs: { text: '\ud800' } });
    expect([status, code]).to.deep.equal([400, 'invalid-json']);
  });

  it('takes facts from the caches of this process, and says where each comes from', async () => {
    const rules = [
      aRule(
        'deny',
        "orb.name == 'echo' && caller.id == 'key:abcdefgh' && orbiset.runs_today > 1 && request.fields == ['text']",
      ),
    ];
    const body = {
      ...given,
      inputs: { text: 'hi' },
      policies: [{ metadata: { name: 'draft' }, spec: { rules } }],
      trace: true,
    };
    const { value } = await evaluate(body);
    expect(value).to.deep.include({
      decision: 'deny',
      facts_used: {
        'caller.id': 'live',
        'orb.name': 'live',
        'orbiset.runs_today': 'given',
        'request.fields': 'live',
      },
      missing_facts: [],
    });
    expect(value).to.have.nested.property('rules[0].trace.value', true);
  });

  it('decides about later phases with the facts that are given', async () => {
    const spec = { match: { phases: ['Request'] }, rules: [aRule('deny', "request.host == 'api.example.com'")] };
    const body = { phase: 'Request', policies: [{ metadata: { name: 'hosts' }, spec }] };
    const { value } = await evaluate({ ...body, facts: { request: { host: 'api.example.com' } } });
    expect(value).to.deep.include({ decision: 'deny', facts_used: { 'request.host': 'given' } });
    expect((await evaluate(body)).value).to.deep.include({
      decision: 'allow',
      facts_used: { 'request.host': 'default' },
    });
  });

  it('shows no value of the vault, also when it is an input or a given fact', async () => {
    const spec = {
      inputFacts: { text: 'string' },
      rules: [
        aRule('deny', "inputs.text != 'x' && orbiset.labels.note != 'x'", {
          messageExpression: 'inputs.text + orbiset.labels.note',
        }),
      ],
    };
    const { status, value } = await evaluate({
      inputs: { text: SECRET },
      facts: { orbiset: { labels: { note: SECRET } } },
      policies: [{ metadata: { name: 'echo' }, spec }],
      trace: true,
    });
    expect([status, value]).to.have.nested.property('[1].decision', 'deny');
    expect(JSON.stringify(value)).to.include('[redacted:').and.not.include(SECRET);
  });

  it('runs nothing, stores nothing and counts nothing, and logs who tried what', async () => {
    const { ledger, clock } = fixture;
    await evaluate({ ...given, policies: [DRAFT] }, policySet([LIMIT], []));
    expect(tested.sent).to.deep.equal([]);
    expect((await ledger.decisions('acme', { limit: 10 })).items).to.deep.equal([]);
    const counted = { tenant: 'acme', orbiset: 'acme.support', orbId: ASKED.orb_id, caller: 'key:abcdefgh' };
    expect(tested.runtime.policyState.dayCounts.of(counted, clock.now())).to.deep.equal({
      caller: 0,
      orbiset: 0,
      orb: 0,
    });
    expect(tested.logged.map(({ message }) => message)).to.deep.equal(['policies are tried on a request']);
  });

  const invalid = { metadata: { name: 'draft' }, spec: { rules: [aRule('deny', 'orb.scores < 1')] } };
  const refused: readonly [why: string, body: object, status: number, code: string, pointer: string | undefined][] = [
    [
      'a draft that does not compile',
      { policies: [DRAFT, invalid] },
      422,
      'policy-invalid',
      '/policies/1/spec/rules/0/when',
    ],
    ['a draft that is no object', { policies: ['x'] }, 422, 'policy-invalid', '/policies/0'],
    [
      'a draft of another namespace',
      { policies: [{ ...DRAFT, metadata: { name: 'limits', namespace: 'globex' } }] },
      422,
      'policy-invalid',
      '/policies/0/metadata/namespace',
    ],
    ['an unknown fact', { facts: { orb: { scores: 1 } } }, 400, 'invalid-parameter', '/facts/orb/scores'],
    ['a fact of another type', { facts: { orb: { score: '1' } } }, 400, 'invalid-parameter', '/facts/orb/score'],
    [
      'a time that is none',
      { facts: { run: { started_at: 'yesterday' } } },
      400,
      'invalid-parameter',
      '/facts/run/started_at',
    ],
    ['facts that are no object', { facts: { orb: 7 } }, 400, 'invalid-parameter', '/facts/orb'],
    ['an unknown phase', { phase: 'preflight' }, 400, 'invalid-parameter', '/phase'],
    ['an unknown include', { include: 'all' }, 400, 'invalid-parameter', '/include'],
    ['21 drafts', { policies: Array.from({ length: 21 }, () => DRAFT) }, 400, 'invalid-parameter', '/policies'],
    ['an unknown member', { policy: DRAFT }, 422, 'unknown-member', '/policy'],
    ['an Orb that is not there', { orb_id: 'acme.other@1.0.0' }, 404, 'orb-not-found', undefined],
    ['an Orbiset that is not there', { orbiset: 'other' }, 404, 'orbiset-not-found', undefined],
    ['an Orbiset of another tenant', { orbiset: 'globex.support' }, 404, 'orbiset-not-found', undefined],
  ];
  for (const [why, body, status, code, pointer] of refused)
    it(`refuses ${why}: ${status} ${code}`, async () => {
      const answer = await evaluate(body);
      expect([answer.status, answer.code]).to.deep.equal([status, code]);
      if (pointer === undefined) expect(answer.value).to.not.have.property('errors');
      else expect(answer.value).to.have.nested.property('errors[0].pointer', pointer);
    });
});
