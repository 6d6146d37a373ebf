import { expect } from 'chai';
import { MemoryCatalog } from '../../../../../adapters/catalog/memory-catalog.ts';
import { decisionRoutes } from '../../../../../api-server/services/policy/decision-routes.ts';
import type { Caller } from '../../../../../core/api-key/caller.ts';
import { listAt, member } from '../../../../../core/json/members.ts';
import { aCaller, startApp, type Called, type TestApp } from '../../../../support/api-app.ts';
import { receiptIdOf } from '../../../../support/ledger-rows.ts';
import { textAt } from '../../../../support/members.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../../support/sqlite-ledger.ts';
import { decisionIdOf, storeDecision } from '../../../../support/stored-decisions.ts';
import { createTestRuntime, SECRET } from '../../../../support/a-runtime.ts';
import { jsonOf } from '../../../../support/suites.ts';

const reader = (some: Partial<Caller> = {}): Caller => aCaller({ scopes: new Set(['decisions:read']), ...some });

const idsIn = ({ value }: Called): readonly unknown[] =>
  listAt(value, 'items').map((item) => member(item, 'decision_id'));

const ids = (...numbers: readonly number[]): readonly string[] => numbers.map(decisionIdOf);

describe('decisions of policies', () => {
  let fixture: SqliteFixture;
  let app: TestApp;
  before(async () => {
    fixture = await openSqliteFixture();
    const { ledger, clock } = fixture;
    const { runtime } = createTestRuntime({ ledger, clock });
    await storeDecision(ledger, 1, { decision: { policies: ['acme/limits'] } });
    await storeDecision(ledger, 2, { decision: { decision: 'allow', shadow: 'would_deny', shadowDiffers: true } });
    await storeDecision(ledger, 3, { decision: { orbId: 'acme.other@1.0.0', decision: 'allow' }, isFinished: false });
    await storeDecision(ledger, 4, {
      decision: { approvals: ['incidents:write'] },
      record: { denials: [{ policy: 'acme/limits', rule: 'r', severity: 'low', message: `no ${SECRET}` }] },
    });
    app = await startApp(decisionRoutes({ ledger, catalog: runtime.catalog }), { caller: reader() });
  });
  after(async () => {
    await app.close();
    await fixture.dispose();
  });

  const lists: readonly [query: string, expected: readonly string[]][] = [
    ['', ids(4, 3, 2, 1)],
    ['?decision=deny', ids(4, 1)],
    ['?decision=allow&shadow=would_deny', ids(2)],
    ['?shadow_differs=true', ids(2)],
    ['?shadow_differs=false&decision=allow', ids(3)],
    ['?policy=acme/limits', ids(1)],
    ['?orb_id=acme.other%401.0.0', ids(3)],
    ['?limit=2', ids(4, 3)],
    ['?since=2026-11-20T10:00:00.003Z', ids(4, 3)],
    ['?until=2026-11-20T10:00:00.003Z', ids(2, 1)],
    ['?namespace=acme&limit=1', ids(4)],
  ];
  for (const [query, expected] of lists)
    it(`GET /decisions${query} lists ${expected.length}, newest first`, async () => {
      expect(idsIn(await app.call('GET', `/decisions${query}`))).to.deep.equal(expected);
    });

  it('pages', async () => {
    const cursor = textAt(jsonOf((await app.call('GET', '/decisions?limit=3')).value), 'next_cursor');
    expect(idsIn(await app.call('GET', `/decisions?limit=3&cursor=${encodeURIComponent(cursor)}`))).to.deep.equal(
      ids(1),
    );
  });

  const refused: readonly [query: string, status: number, code: string][] = [
    ['?decision=denied', 400, 'invalid-parameter'],
    ['?shadow=deny', 400, 'invalid-parameter'],
    ['?shadow_differs=yes', 400, 'invalid-parameter'],
    ['?policy=limits', 400, 'invalid-parameter'],
    ['?policy=acme/limits/rule', 400, 'invalid-parameter'],
    ['?orb=acme.echo', 400, 'invalid-parameter'],
    ['?cursor=foreign', 400, 'invalid-parameter'],
    ['?limit=201', 400, 'invalid-parameter'],
    ['?namespace=globex', 404, 'namespace-not-found'],
  ];
  for (const [query, status, code] of refused)
    it(`GET /decisions${query} is refused with ${status} ${code}`, async () => {
      const answer = await app.call('GET', `/decisions${query}`);
      expect([answer.status, answer.code]).to.deep.equal([status, code]);
    });

  it('shows one decision with its receipt, which is null while the run is open', async () => {
    const [closed, open] = await Promise.all(
      [1, 3].map(async (number) => (await app.call('GET', `/decisions/${decisionIdOf(number)}`)).value),
    );
    expect(closed).to.include({ decision_id: decisionIdOf(1), receipt_id: receiptIdOf(1), decision: 'deny' });
    expect(open).to.include({ decision_id: decisionIdOf(3), receipt_id: null, decision: 'allow' });
  });

  it('names the scopes that must approve, and hides what is in the vault by now', async () => {
    const { value } = await app.call('GET', `/decisions/${decisionIdOf(4)}`);
    expect(value).to.deep.include({ approvals: ['incidents:write'] });
    expect(JSON.stringify(value)).to.include('[redacted:').and.not.include(SECRET);
  });

  it('of another tenant, unknown ones and malformed ids are not there', async () => {
    const other = await startApp(decisionRoutes({ ledger: fixture.ledger, catalog: new MemoryCatalog() }), {
      caller: reader({ tenants: ['globex'] }),
    });
    const answers = await Promise.all([
      other.call('GET', `/decisions/${decisionIdOf(1)}`),
      app.call('GET', `/decisions/${decisionIdOf(99)}`),
      app.call('GET', '/decisions/dec_x'),
    ]);
    await other.close();
    expect(answers.map(({ status, code }) => [status, code])).to.deep.equal(
      answers.map(() => [404, 'decision-not-found']),
    );
  });
});
