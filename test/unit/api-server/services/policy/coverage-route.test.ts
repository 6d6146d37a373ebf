import { expect } from 'chai';
import { coverageRoute } from '../../../../../api-server/services/policy/coverage-route.ts';
import { SimulationRate } from '../../../../../api-server/services/policy/simulation-rate.ts';
import { policySet } from '../../../../../core/policy/decision/policy-set.ts';
import { aCaller, startApp, type Called } from '../../../../support/api-app.ts';
import { LEDGER_NOW } from '../../../../support/ledger-rows.ts';
import { aPolicy, aRule } from '../../../../support/policies.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../../support/sqlite-ledger.ts';
import { ruleOf, storeDecision } from '../../../../support/stored-decisions.ts';

const DAY_MS = 86_400_000;
const POLICY = aPolicy(
  { rules: ['always', 'never', 'sometimes'].map((name) => aRule('deny', 'true', { name })) },
  'limits',
);

describe('GET /policies/coverage', () => {
  let fixture: SqliteFixture;
  beforeEach(async () => {
    fixture = await openSqliteFixture();
    const { ledger } = fixture;
    const [always, sometimes] = [ruleOf(POLICY, 'always'), ruleOf(POLICY, 'sometimes')];
    await storeDecision(ledger, 1, { decision: { at: LEDGER_NOW - 40 * DAY_MS } });
    await storeDecision(ledger, 2, { record: { rules: [always, sometimes] } });
    await storeDecision(ledger, 3, { record: { rules: [always] } });
  });
  afterEach(() => fixture.dispose());

  async function covered(query = ''): Promise<Called> {
    const { ledger, clock } = fixture;
    const route = coverageRoute({
      rate: new SimulationRate(clock),
      ledger,
      clock,
      policies: { of: () => policySet([POLICY], []) },
    });
    const app = await startApp([route], { caller: aCaller({ scopes: new Set(['policies:read']) }) });
    const answer = await app.call('GET', `/policies/coverage${query}`);
    await app.close();
    return answer;
  }

  it('names the rules that never or always matched in the last 30 days', async () => {
    expect((await covered()).value).to.deep.equal({
      days: 30,
      decisions: 2,
      complete: true,
      rules: [
        { policy: 'acme/limits', rule: 'always', coverage: 'always', matched: 2, failed: 0 },
        { policy: 'acme/limits', rule: 'never', coverage: 'never', matched: 0, failed: 0 },
      ],
    });
  });

  it('is read at a rate: 429 with Retry-After beyond it', async () => {
    const { ledger, clock } = fixture;
    const parts = { rate: new SimulationRate(clock), ledger, clock, policies: { of: () => undefined } };
    const app = await startApp([coverageRoute(parts)], { caller: aCaller({ scopes: new Set(['policies:read']) }) });
    const codes: unknown[] = [];
    for (let time = 0; time < 8; time += 1) {
      const answer = await app.call('GET', '/policies/coverage');
      codes.push(answer.code ?? answer.status);
    }
    await app.close();
    expect(codes).to.deep.equal([...Array.from({ length: 7 }, () => 200), 'rate-limited']);
  });

  it('lets other work go on while it reads many decisions', async () => {
    const { ledger, clock } = fixture;
    const page = await ledger.decisions('acme', { limit: 200 });
    let turns = 0;
    const seen: number[] = [];
    const decisions: typeof ledger.decisions = () => {
      seen.push(turns);
      setImmediate(() => (turns += 1));
      return Promise.resolve({ ...page, nextCursor: seen.length < 4 ? 'next' : null });
    };
    const route = coverageRoute({
      rate: new SimulationRate(clock),
      ledger: { decisions },
      clock,
      policies: { of: () => undefined },
    });
    const app = await startApp([route], { caller: aCaller({ scopes: new Set(['policies:read']) }) });
    await app.call('GET', '/policies/coverage');
    await app.close();
    expect([seen.length, new Set(seen).size]).to.deep.equal([4, 4]);
  });

  it('looks further back when it is asked to', async () => {
    expect((await covered('?days=60')).value).to.deep.include({ days: 60, decisions: 3 });
  });

  for (const [query, status, code] of [
    ['?days=0', 400, 'invalid-parameter'],
    ['?days=91', 400, 'invalid-parameter'],
    ['?namespace=globex', 404, 'namespace-not-found'],
  ] as const)
    it(`refuses ${query} with ${status} ${code}`, async () => {
      const answer = await covered(query);
      expect([answer.status, answer.code]).to.deep.equal([status, code]);
    });
});
