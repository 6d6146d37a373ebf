import { expect } from 'chai';
import { KINDS } from '../../../../../adapters/kube/kinds.ts';
import { createPolicyObjects } from '../../../../../api-server/policy/policy-objects.ts';
import { createPolicyRoute } from '../../../../../api-server/services/policy/create-route.ts';
import type { PolicyParts } from '../../../../../api-server/services/policy/policy-parts.ts';
import { promoteRoute } from '../../../../../api-server/services/policy/promote-route.ts';
import { SimulationRate } from '../../../../../api-server/services/policy/simulation-rate.ts';
import { rollbackRoute } from '../../../../../api-server/services/policy/rollback-route.ts';
import { versionRoutes } from '../../../../../api-server/services/policy/version-routes.ts';
import { definePolicy } from '../../../../../core/policy/document/definition.ts';
import type { OrbPolicySpec } from '../../../../../crds/orbpolicy.ts';
import { aCaller, startApp, type Called, type TestApp } from '../../../../support/api-app.ts';
import { anObjectStore, type AnObjectStore } from '../../../../support/an-object-store.ts';
import { LEDGER_NOW } from '../../../../support/ledger-rows.ts';
import { aRule } from '../../../../support/policies.ts';
import { DRAFTS_HERE } from '../../../../support/drafts.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../../support/sqlite-ledger.ts';

const never = new AbortController().signal;
const FIRST: OrbPolicySpec = { mode: 'Audit', rules: [aRule('deny', 'orb.score < 70')] };
const SECOND: OrbPolicySpec = { mode: 'Enforce', rules: [aRule('deny', 'orb.score < 80')] };
const GATED: OrbPolicySpec = { ...FIRST, promotion: { requireReplay: { window: '24h', minReceipts: 10 } } };

const digestOf = (spec: OrbPolicySpec): string => definePolicy('acme', 'limits', spec).digest;

describe('versions of a policy', () => {
  let fixture: SqliteFixture;
  let store: AnObjectStore;
  let app: TestApp;

  beforeEach(async () => {
    fixture = await openSqliteFixture();
    store = await anObjectStore();
    const parts: PolicyParts = {
      objects: createPolicyObjects({ client: store.client, clock: store.clock }),
      ledger: fixture.ledger,
      clock: store.clock,
      logger: { info: () => undefined },
      rate: new SimulationRate(store.clock),
      drafts: DRAFTS_HERE,
      policies: { of: () => undefined },
      platformNamespace: 'orb-system',
    };
    const routes = [createPolicyRoute(parts), ...versionRoutes(parts), rollbackRoute(parts), promoteRoute(parts)];
    const caller = aCaller({ scopes: new Set(['policies:read', 'policies:write']) });
    app = await startApp(routes, { caller });
  });
  afterEach(async () => {
    await app.close();
    await fixture.dispose();
  });

  const post = (path: string, body: unknown): Promise<Called> =>
    app.call('POST', path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const create = (spec: OrbPolicySpec): Promise<Called> => post('/policies', { metadata: { name: 'limits' }, spec });
  const keep = (spec: OrbPolicySpec, at: number, name = 'limits', namespace = 'acme'): Promise<void> =>
    fixture.ledger.putPolicyVersion(
      {
        namespace,
        name,
        digest: digestOf(spec),
        generation: 1,
        uid: 'u1',
        at,
        by: 'orb-api',
        mode: spec.mode ?? 'Audit',
        spec: JSON.stringify(spec),
        tests: '{"passed":2,"failed":0}',
      },
      { inForce: true },
    );

  /** Stores a finished replay of a version over 48 hours. */
  async function replay(spec: OrbPolicySpec, newDenies: number, number = 1): Promise<string> {
    const { ledger } = fixture;
    const replayId = `rpl_019aa000-0000-7000-8000-${String(number).padStart(12, '0')}`;
    const about = { tenant: 'acme', namespace: 'acme', name: 'limits', policyDigest: digestOf(spec) };
    await ledger.addReplay({ replayId, ...about, startedAt: LEDGER_NOW, owner: 'test', request: '{}' }, 2);
    await ledger.updateReplay(replayId, {
      status: 'completed',
      endedAt: LEDGER_NOW + number,
      result: '{}',
      totals: { windowMs: 48 * 3_600_000, evaluated: 100, indeterminate: 0, newDenies },
    });
    return replayId;
  }

  it('are listed newest first, with tests and replays', async () => {
    await keep(FIRST, LEDGER_NOW);
    await keep(SECOND, LEDGER_NOW + 1);
    const replayId = await replay(FIRST, 0);
    const common = { generation: 1, by: 'orb-api', tests: { passed: 2, failed: 0 } };
    expect((await app.call('GET', '/policies/acme/limits/versions')).value).to.deep.equal({
      items: [
        { ...common, digest: digestOf(SECOND), at: '2026-11-20T10:00:00.001Z', mode: 'Enforce', replays: [] },
        { ...common, digest: digestOf(FIRST), at: '2026-11-20T10:00:00.000Z', mode: 'Audit', replays: [replayId] },
      ],
    });
    const { value } = await app.call('GET', `/policies/acme/limits/versions/${digestOf(FIRST)}`);
    expect(value).to.deep.include({ digest: digestOf(FIRST), spec: FIRST });
  });

  it('are not there for another tenant, another digest, or a policy that never was', async () => {
    await keep(FIRST, LEDGER_NOW, 'limits', 'globex');
    await keep(FIRST, LEDGER_NOW, 'own', 'orb-system');
    const paths = [
      '/policies/globex/limits/versions',
      `/policies/globex/limits/versions/${digestOf(FIRST)}`,
      '/policies/orb-system/own/versions',
      '/policies/acme/none/versions',
      `/policies/acme/limits/versions/${digestOf(SECOND)}`,
      '/policies/acme/limits/versions/latest',
    ];
    const answers = await Promise.all(paths.map((path) => app.call('GET', path)));
    expect(answers.map(({ status, code }) => [status, code])).to.deep.equal(paths.map(() => [404, 'policy-not-found']));
  });

  it('are promoted and rolled back at a rate: 429 with Retry-After beyond it', async () => {
    const answers: Called[] = [];
    for (let time = 0; time < 8; time += 1)
      answers.push(await post(`/policies/acme/none/${time % 2 === 0 ? 'promote' : 'rollback'}`, {}));
    expect(answers.map(({ code }) => code).slice(6)).to.deep.equal(['policy-not-found', 'rate-limited']);
    expect(Number(answers.at(-1)?.headers.get('retry-after'))).to.be.within(1, 60);
  });

  it('of the platform are shown while its policy meets every tenant', async () => {
    const metadata = { name: 'all', namespace: 'orb-system' };
    const object = { apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbPolicy', metadata, spec: { scope: 'Platform' } };
    await store.client.apply(KINDS.orbpolicy, object, { fieldManager: 'kubectl' }, never);
    const platform: OrbPolicySpec = { ...FIRST, scope: 'Platform' };
    await keep(FIRST, LEDGER_NOW, 'all', 'orb-system');
    await keep(platform, LEDGER_NOW + 1, 'all', 'orb-system');
    const listed = await app.call('GET', '/policies/orb-system/all/versions');
    expect([listed.status, listed.value]).to.have.nested.property('[1].items').with.length(1);
    expect(listed.value).to.have.nested.property('items[0].digest', digestOf(platform));
    const read = (spec: OrbPolicySpec): Promise<Called> =>
      app.call('GET', `/policies/orb-system/all/versions/${digestOf(spec)}`);
    const [shown, own] = [await read(platform), await read(FIRST)];
    expect([shown.status, own.status, own.code]).to.deep.equal([200, 404, 'policy-not-found']);
    const rolled = await post('/policies/orb-system/all/rollback', { digest: digestOf(FIRST) });
    expect([rolled.status, rolled.code]).to.deep.equal([404, 'policy-not-found']);
  });

  it('come back by a rollback, in the mode that the policy has', async () => {
    await keep(FIRST, LEDGER_NOW);
    await create(SECOND);
    const { status, value } = await post('/policies/acme/limits/rollback', { digest: digestOf(FIRST) });
    expect(status).to.equal(200);
    expect(value).to.deep.nested.include({ 'spec.mode': 'Enforce', 'spec.rules': FIRST.rules });
  });

  it('do not come back when they were never in force, or compile no more', async () => {
    await create(SECOND);
    const unknown = await post('/policies/acme/limits/rollback', { digest: digestOf(FIRST) });
    expect([unknown.status, unknown.code]).to.deep.equal([404, 'policy-not-found']);
    const broken = { rules: [aRule('deny', 'orb.scores < 1')] };
    await keep(broken, LEDGER_NOW);
    const refused = await post('/policies/acme/limits/rollback', { digest: digestOf(broken) });
    expect([refused.status, refused.code]).to.deep.equal([422, 'policy-invalid']);
  });

  it('are enforced by a promotion at once when no gate is asked for', async () => {
    await create(FIRST);
    const { status, value } = await post('/policies/acme/limits/promote', {});
    expect([status, value]).to.have.nested.property('[1].spec.mode', 'Enforce');
    expect((await post('/policies/acme/none/promote', {})).code).to.equal('policy-not-found');
  });

  it('are enforced when a replay meets the gate, and not by one of another version', async () => {
    await create(GATED);
    await replay(SECOND, 0, 1);
    const none = await post('/policies/acme/limits/promote', {});
    expect([none.status, none.code]).to.deep.equal([409, 'replay-gate-not-met']);
    const replayId = await replay(GATED, 0, 2);
    expect((await post('/policies/acme/limits/promote', { replay_id: 'rpl_other' })).code).to.equal(
      'replay-gate-not-met',
    );
    expect((await post('/policies/acme/limits/promote', { replay_id: replayId })).status).to.equal(200);
  });

  it('stay audited when the gate is not met: the answer names the limits', async () => {
    await create(GATED);
    await replay(GATED, 3);
    const { status, value } = await post('/policies/acme/limits/promote', {});
    expect(status).to.equal(409);
    expect(value).to.deep.include({
      code: 'replay-gate-not-met',
      gate: { passed: false, failing: [{ limit: 'maxNewDenies', allowed: 0, actual: 3 }] },
    });
    const stored = await store.client.get(KINDS.orbpolicy, { namespace: 'acme', name: 'limits' }, never);
    expect(stored?.spec).to.have.property('mode', 'Audit');
  });

  it('are promoted where the file says it, when a file has the policy', async () => {
    const metadata = { name: 'limits', namespace: 'acme', annotations: { 'orbs.dev/file': 'limits.yaml' } };
    const object = { apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbPolicy', metadata, spec: FIRST };
    await store.client.apply(KINDS.orbpolicy, object, { fieldManager: 'orb-files' }, never);
    const { status, value } = await post('/policies/acme/limits/promote', {});
    expect(status).to.equal(409);
    expect(value).to.deep.include({
      code: 'managed-elsewhere',
      manager: 'file:limits.yaml',
      patch: { spec: { mode: 'Enforce' } },
    });
  });
});
