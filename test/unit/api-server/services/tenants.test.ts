import { anIntake } from '../../../support/an-intake.ts';
import { SourceIndex } from '../../../../api-server/ingestion/source-index.ts';
import { aCompletion, aReplay } from '../../../support/policy-rows.ts';
import { REPLAY_ID, REPLAY_REQUEST } from './replay-tenant-rows.ts';
import { DRAFTS_HERE } from '../../../support/drafts.ts';
import { someReplays } from '../../../support/replays.ts';
import { aStatus } from '../../../support/a-status.ts';
import { evaluateOnce } from '../../../support/evaluate-once.ts';
import { expect } from 'chai';
import { serviceRoutes } from '../../../../api-server/services/services.ts';
import { createPolicyObjects } from '../../../../api-server/policy/policy-objects.ts';
import type { AuthResult } from '../../../../api-server/http/authorise.ts';
import type { CheckTests } from '../../../../api-server/reputation/publish-request.ts';
import { SCOPES, type Scope } from '../../../../core/api-key/scopes.ts';
import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';
import { aCaller, startApp, type Called, type TestApp } from '../../../support/api-app.ts';
import { aSignalSource } from '../../../support/a-signal-source.ts';
import { storeIngestion } from '../../../support/stored-ingestion.ts';
import { anObjectStore } from '../../../support/an-object-store.ts';
import { aReputation } from '../../../support/a-reputation.ts';
import { createTestRuntime } from '../../../support/a-runtime.ts';
import { someFacts } from '../../../support/policies.ts';
import { storeDecision } from '../../../support/stored-decisions.ts';
import { objectAt, textAt } from '../../../support/members.ts';
import { aPublication, aVersion, ORB } from '../../../support/reputation-rows.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';
import { jsonOf } from '../../../support/suites.ts';
import { vectorKeys } from '../../../support/vector-receipts.ts';
import { OTHER_VERSION, PRIVATE_DIGEST, tenantRows, type Owned } from './tenant-rows.ts';
import { COLUMNS, type Column, type Row } from './tenant-answers.ts';

const goodTests: CheckTests = async () => ({
  findings: [],
  summary: { required: 3, passed: 3, provenance: 'receipted', suiteDigest: null },
  audit: undefined,
  accepted: {
    reportSha256: '5'.repeat(64),
    report: '{}',
    suites: null,
    statement: 'e30.e30.e30',
    testedAt: '2026-11-20T09:00:00.000Z',
  },
});

type Wanted = Scope | 'authenticated';

const without = (left: Wanted): ReadonlySet<Scope> => new Set(SCOPES.filter((scope) => scope !== left));
const TENANTS = without('admin');
const EVERY = new Set(SCOPES);

type Keys = Readonly<Record<Exclude<Column, 'no key'>, (wanted: Wanted) => ReturnType<typeof aCaller>>>;

/** The keys of the table. */
const KEYS: Keys = {
  'key without the scope': (wanted) => aCaller({ scopes: without(wanted) }),
  'key of another tenant': () => aCaller({ tenants: ['globex'], scopes: TENANTS }),
  'key of the owner': () => aCaller({ scopes: TENANTS }),
  'key of several tenants': () => aCaller({ tenants: ['globex', 'acme'], scopes: TENANTS }),
  'admin by the key of a tenant': () => aCaller({ scopes: EVERY }),
  'platform admin': () => aCaller({ tenants: ['orb-system'], scopes: EVERY }),
};

const isKey = (name: string): name is keyof Keys => Object.hasOwn(KEYS, name);

function authenticate(
  header: string | undefined,
  _address: string,
  wanted: () => { readonly scope: Wanted },
): AuthResult {
  const name = (header ?? '').replace(/^Bearer /, '').replaceAll('_', ' ');
  return isKey(name) ? { kind: 'ok', caller: KEYS[name](wanted().scope) } : { kind: 'unauthenticated' };
}

const said = ({ status, code }: Called): string => (typeof code === 'string' ? `${status} ${code}` : String(status));
const isRefused = (answer: string): boolean => !answer.startsWith('2');

describe('every route and every tenant (security.md S13, S14)', () => {
  let fixture: SqliteFixture;
  let app: TestApp;
  let owned: Owned;

  before(async () => {
    fixture = await openSqliteFixture();
    const { ledger, clock } = fixture;
    const reputation = aReputation(ledger, clock, { checkTests: goodTests });
    const { runtime, execute } = createTestRuntime({ ledger, clock, settings: { standalone: false } });
    await ledger.publish(aPublication());
    await ledger.publish(aVersion(OTHER_VERSION.slice(OTHER_VERSION.indexOf('@') + 1)));
    await reputation.open();
    await evaluateOnce(reputation.evaluator, clock, [ORB]);
    await ledger.putManifest('acme', PRIVATE_DIGEST, '{"orb_id":"acme.private@1.0.0"}');
    const { body } = await execute({});
    await clock.advance(1000);
    await ledger.putState('test', 'behind-the-checkpoint', '1');
    const checkpoint = await ledger.checkpoint();
    const decisionId = await storeDecision(ledger, 9, {
      decision: { approvals: ['incidents:write'] },
      facts: someFacts(),
    });
    owned = { decisionId, receiptId: textAt(jsonOf(body), 'receipt', 'receipt_id'), size: checkpoint?.size ?? 0 };
    await ledger.addReplay(aReplay(1, { replayId: REPLAY_ID, request: REPLAY_REQUEST }), 2);
    await ledger.updateReplay(REPLAY_ID, aCompletion());
    await storeIngestion(ledger);
    const sources = new SourceIndex();
    sources.put(aSignalSource('acme/hook', { type: 'alertmanager' }));
    // All columns call by the same key, and rates are not the subject here: every request is a minute after the last.
    let elapsed = 0;
    const monotonic = (): number => (elapsed += 60_000);
    const routes = serviceRoutes({
      version: '1.0.0',
      clock: { ...clock, monotonic },
      ledger,
      keys: vectorKeys,
      runtime,
      reputation,
      drafts: DRAFTS_HERE,
      sources,
      intake: anIntake().intake,
      replays: someReplays(runtime, { runner: { run: () => Promise.reject(new Error('no replay is run here')) } }),
      status: aStatus({ ledger, clock }),
      missing: () => [],
      policyObjects: createPolicyObjects({ client: (await anObjectStore()).client, clock }),
      pins: {
        set: async () => ({ kind: 'gone' }),
        remove: async () => ({ kind: 'removed', removed: undefined, left: undefined, owners: [] }),
      },
      lastEvaluation: async () => undefined,
    });
    app = await startApp(routes, { authenticate, clock });
  });
  after(async () => {
    await app.close();
    await fixture.dispose();
  });

  const ask = (method: string, { path, body }: Row, column: Column): Promise<Called> =>
    app.call(method, path, {
      key: column === 'no key' ? null : column.replaceAll(' ', '_'),
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });

  it('has a row for every route, and no other', () => {
    const paths: JsonObject = objectAt(jsonOf(app.openapi), 'paths');
    const routes = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(isJsonObject(item) ? item : {}).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(Object.keys(tenantRows(owned))).to.have.members(routes);
  });

  // The names alone: what is asked for is made in `before`.
  for (const [route, requests] of Object.entries(tenantRows({ receiptId: '', decisionId: '', size: 0 })))
    for (const place of requests.keys())
      it(`${route}, request ${place + 1}: each gets what is its own, and a refusal writes nothing`, async () => {
        const row = tenantRows(owned)[route]?.[place];
        if (row === undefined) throw new Error(route);
        const found: [Column, string][] = [];
        for (const column of COLUMNS) {
          const size = await fixture.ledger.logSize();
          const answer = said(await ask(route.slice(0, route.indexOf(' ')), row, column));
          found.push([column, answer]);
          if (isRefused(answer)) expect(await fixture.ledger.logSize(), column).to.equal(size);
        }
        expect(Object.fromEntries(found), row.path).to.deep.equal(row.answers);
      });

  it('a receipt of a tenant is in no list of another one', async () => {
    const row = tenantRows(owned)['GET /receipts']?.[0];
    if (row === undefined) throw new Error('no row');
    const [own, foreign] = await Promise.all(
      (['key of the owner', 'key of another tenant'] as const).map(async (column) =>
        JSON.stringify((await ask('GET', row, column)).value),
      ),
    );
    expect([own?.includes(owned.receiptId), foreign]).to.deep.equal([true, '{"items":[],"next_cursor":null}']);
  });
});
