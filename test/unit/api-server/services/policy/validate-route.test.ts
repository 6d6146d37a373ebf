import { expect } from 'chai';
import type { DraftAnswer, Drafts } from '../../../../../adapters/draft-worker/port.ts';
import { SimulationRate } from '../../../../../api-server/services/policy/simulation-rate.ts';
import { validateRoute } from '../../../../../api-server/services/policy/validate-route.ts';
import type { Caller } from '../../../../../core/api-key/caller.ts';
import { policySet } from '../../../../../core/policy/decision/policy-set.ts';
import { DRAFTS_HERE } from '../../../../support/drafts.ts';
import { aCaller, aClock, startApp, type Called, type TestApp } from '../../../../support/api-app.ts';
import { objectAt } from '../../../../support/members.ts';
import { aPolicy, aRule } from '../../../../support/policies.ts';
import { jsonOf } from '../../../../support/suites.ts';

const CURRENT = policySet([aPolicy({ rules: [aRule('deny', 'orb.score < 70')] }, 'limits')], []);
const simulator = (some: Partial<Caller> = {}): Caller => aCaller({ scopes: new Set(['policies:simulate']), ...some });

interface Started {
  readonly app: TestApp;
  readonly said: unknown[];
  readonly validate: (body: unknown, query?: string) => Promise<Called>;
}

async function start(caller = simulator(), drafts: Pick<Drafts, 'validate'> = DRAFTS_HERE): Promise<Started> {
  const said: unknown[] = [];
  const route = validateRoute({
    clock: aClock(),
    logger: { info: (message, fields) => void said.push([message, fields]) },
    rate: new SimulationRate(aClock()),
    platformNamespace: 'orb-system',
    drafts,
    policies: { of: (namespace) => (namespace === 'acme' ? CURRENT : undefined) },
  });
  const app = await startApp([route], { caller });
  const validate = (body: unknown, query = ''): Promise<Called> =>
    app.call('POST', `/policies/validate${query}`, {
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return { app, said, validate };
}

const policyOf = (spec: unknown, metadata: object = { name: 'draft' }): object => ({ policy: { metadata, spec } });

describe('POST /policies/validate', () => {
  let started: Started;
  beforeEach(async () => (started = await start()));
  afterEach(() => started.app.close());

  it('answers digest, facts, cost, budget and tests of a policy that would take force', async () => {
    const rules = [aRule('deny', 'caller.runs_today >= 10')];
    const tests = [{ name: 'many', input: { caller: { runs_today: 10 } }, expect: { decision: 'deny' } }];
    const { status, value } = await started.validate(policyOf({ rules, tests }));
    expect(status).to.equal(200);
    expect(value).to.deep.include({
      valid: true,
      reads_facts: ['caller.runs_today'],
      tests: [{ name: 'many', passed: true }],
    });
    expect(value)
      .to.have.property('policy_digest')
      .that.matches(/^sha256:[0-9a-f]{64}$/);
    expect(value).to.have.nested.property('budget_after.PreFlight.max', 50_000);
  });

  it('counts the current policies into the budget, and the one that it replaces once', async () => {
    const rules = [aRule('deny', 'orb.score < 70')];
    const [other, same] = await Promise.all(
      ['other', 'limits'].map(async (name) => {
        const { value } = await started.validate(policyOf({ rules }, { name }));
        return objectAt(objectAt(jsonOf(value), 'budget_after'), 'PreFlight')['used'];
      }),
    );
    expect(other).to.equal(2 * Number(same));
  });

  const undone: readonly (readonly [
    answer: Exclude<DraftAnswer<never>, { kind: 'done' }>,
    status: number,
    code: string,
  ])[] = [
    [{ kind: 'too-expensive', detail: 'it takes longer than 10000 ms' }, 422, 'policy-invalid'],
    [{ kind: 'busy', of: 'tenant' }, 429, 'rate-limited'],
    [{ kind: 'busy', of: 'all' }, 503, 'overloaded'],
    [{ kind: 'unavailable' }, 503, 'overloaded'],
  ];
  for (const [answer, status, code] of undone)
    it(`answers ${status} ${code} when the thread of drafts says ${Object.values(answer).join(' ')}`, async () => {
      const other = await start(simulator(), { validate: () => Promise.resolve(answer) });
      const refused = await other.validate(policyOf({}));
      await other.app.close();
      expect([refused.status, refused.code]).to.deep.equal([status, code]);
      if (status === 422)
        expect(refused.value).to.have.deep.nested.property('errors[0]', {
          pointer: '/policy/spec',
          code: 'too-expensive',
          detail: 'it takes longer than 10000 ms: divide the policy, or write fewer and shorter tests',
        });
      else expect(refused.headers.get('retry-after')).to.equal('1');
    });

  const invalid: readonly [why: string, body: object, finding: object][] = [
    [
      'a policy that does not compile',
      policyOf({ rules: [aRule('deny', 'caller.run_today > 1')] }),
      { level: 'error', pointer: '/spec/rules/0/when', code: 'unknown-fact' },
    ],
    [
      'a policy that does not fit the schema',
      policyOf({ mode: 'enforce' }),
      { level: 'error', pointer: '/spec/mode', code: 'schema-enum' },
    ],
    ['no object', { policy: 'limits' }, { level: 'error', pointer: '', code: 'schema-type' }],
    [
      'scope Platform in the namespace of a tenant',
      policyOf({ scope: 'Platform' }),
      { level: 'error', pointer: '/spec/scope', code: 'scope-not-allowed' },
    ],
  ];
  for (const [why, body, finding] of invalid)
    it(`says of ${why} what to write`, async () => {
      const { status, value } = await started.validate(body);
      expect([status, value]).to.have.nested.property('[1].valid', false);
      expect(value).to.have.nested.property('findings[0]').that.deep.includes(finding);
      expect(value).to.have.nested.property('findings[0].detail').that.is.not.equal('');
    });

  const refused: readonly [why: string, body: unknown, query: string, status: number, code: string][] = [
    ['no JSON', '{', '', 400, 'invalid-json'],
    [
      'half of a character',
      policyOf({ rules: [aRule('deny', 'true', { message: '\ud800' })] }),
      '',
      400,
      'invalid-json',
    ],
    ['no policy', {}, '', 400, 'invalid-parameter'],
    ['an unknown member', { ...policyOf({}), policies: [] }, '', 422, 'unknown-member'],
    ['a policy of another tenant', policyOf({}, { name: 'x', namespace: 'globex' }), '', 404, 'namespace-not-found'],
    ['another tenant', policyOf({}), '?namespace=globex', 404, 'namespace-not-found'],
    ['two namespaces', policyOf({}, { name: 'x', namespace: 'acme' }), '?namespace=globex', 404, 'namespace-not-found'],
    ['more than 256 KiB', JSON.stringify(policyOf({})).padEnd(262_145), '', 413, 'body-too-large'],
  ];
  for (const [why, body, query, status, code] of refused)
    it(`refuses ${why} with ${status} ${code}`, async () => {
      const answer = await started.validate(body, query);
      expect([answer.status, answer.code]).to.deep.equal([status, code]);
    });

  it('logs who simulated what', async () => {
    await started.validate(policyOf({}));
    expect(started.said).to.deep.equal([
      ['a policy is validated', { caller: 'key:abcdefgh', tenant: 'acme', policy: 'draft' }],
    ]);
  });

  it('takes 60 requests of a key in a minute, and tells the next one when to come back', async () => {
    for (let count = 0; count < 60; count += 1) await started.validate({});
    const { status, code, headers } = await started.validate(policyOf({}));
    expect([status, code, headers.get('retry-after')]).to.deep.equal([429, 'rate-limited', '1']);
  });
});
