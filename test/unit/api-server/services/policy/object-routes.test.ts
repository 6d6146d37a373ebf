import { expect } from 'chai';
import { KINDS } from '../../../../../adapters/kube/kinds.ts';
import { KubeError, type KubeClient } from '../../../../../adapters/kube/port.ts';
import { createPolicyObjects } from '../../../../../api-server/policy/policy-objects.ts';
import { createPolicyRoute } from '../../../../../api-server/services/policy/create-route.ts';
import { policyListRoute } from '../../../../../api-server/services/policy/list-route.ts';
import { policyObjectRoutes } from '../../../../../api-server/services/policy/object-routes.ts';
import type { PolicyParts } from '../../../../../api-server/services/policy/policy-parts.ts';
import { SimulationRate } from '../../../../../api-server/services/policy/simulation-rate.ts';
import type { Caller } from '../../../../../core/api-key/caller.ts';
import { listAt, member } from '../../../../../core/json/members.ts';
import { policySet } from '../../../../../core/policy/decision/policy-set.ts';
import { DRAFTS_HERE } from '../../../../support/drafts.ts';
import { aCaller, startApp, type Called, type TestApp } from '../../../../support/api-app.ts';
import { anObjectStore, type AnObjectStore } from '../../../../support/an-object-store.ts';
import { aPolicy, aRule } from '../../../../support/policies.ts';

const never = new AbortController().signal;
const RULES = [aRule('deny', 'orb.score < 70')];
const writer = (some: Partial<Caller> = {}): Caller =>
  aCaller({ scopes: new Set(['policies:read', 'policies:write']), ...some });

const unasked = (): Promise<never> => Promise.reject(new Error('no version is read'));
const etagOf = ({ headers }: Called): string => headers.get('etag') ?? '';

describe('policies as objects', () => {
  let store: AnObjectStore;
  let app: TestApp;
  let said: unknown[];

  async function start(client: PolicyClient, caller = writer()): Promise<TestApp> {
    said = [];
    const parts: PolicyParts = {
      objects: createPolicyObjects({ client, clock: store.clock }),
      ledger: { policyVersion: unasked, policyVersions: unasked, replayTotals: unasked },
      clock: store.clock,
      logger: { info: (message, fields) => void said.push([message, fields]) },
      rate: new SimulationRate(store.clock),
      drafts: DRAFTS_HERE,
      policies: { of: () => policySet([aPolicy({ rules: RULES }, 'limits')], []) },
      platformNamespace: 'orb-system',
    };
    const routes = [policyListRoute(parts), createPolicyRoute(parts), ...policyObjectRoutes(parts)];
    return startApp(routes, { caller });
  }
  type PolicyClient = Pick<KubeClient, 'get' | 'list' | 'apply' | 'delete'>;

  beforeEach(async () => {
    store = await anObjectStore();
    app = await start(store.client);
  });
  afterEach(() => app.close());

  const send = (method: string, path: string, body: unknown, etag?: string): Promise<Called> =>
    app.call(method, path, {
      headers: { 'content-type': 'application/json', ...(etag === undefined ? {} : { 'if-match': etag }) },
      body: JSON.stringify(body),
    });
  it('are written at a rate: a long body counts as several, beyond it comes 429 with Retry-After', async () => {
    const body = { metadata: { name: 'limits', labels: { padding: 'x'.repeat(250_000) } }, spec: {} };
    const first = await send('POST', '/policies', body);
    const refused = [await send('POST', '/policies', body), await send('PUT', '/policies/acme/limits', body, '*')];
    expect(first.code).to.not.equal('rate-limited');
    expect(refused.map(({ status, code }) => [status, code])).to.deep.equal([
      [429, 'rate-limited'],
      [429, 'rate-limited'],
    ]);
    expect(Number(refused[0]?.headers.get('retry-after'))).to.be.within(1, 60);
  });

  const drop = (path: string, etag: string): Promise<Called> =>
    app.call('DELETE', path, { headers: { 'if-match': etag } });
  const create = (spec: object = { rules: RULES }, name = 'limits'): Promise<Called> =>
    send('POST', '/policies', { metadata: { name }, spec });

  /** Stores a policy as another field manager. */
  const applied = (
    manager: string,
    some: { spec?: object; namespace?: string; name?: string; annotations?: object },
  ): Promise<unknown> =>
    store.client.apply(
      KINDS.orbpolicy,
      {
        apiVersion: 'orbs.dev/v1alpha1',
        kind: 'OrbPolicy',
        metadata: {
          name: some.name ?? 'limits',
          namespace: some.namespace ?? 'acme',
          annotations: some.annotations ?? {},
        },
        spec: some.spec ?? { rules: RULES },
      },
      { fieldManager: manager, force: true },
      never,
    );

  it('are created, read, replaced and deleted, each version with its ETag', async () => {
    const made = await create();
    expect([made.status, made.headers.get('location')]).to.deep.equal([201, '/policies/acme/limits']);
    const read = await app.call('GET', '/policies/acme/limits');
    expect([read.status, etagOf(read), read.value]).to.deep.equal([200, etagOf(made), made.value]);
    const changed = await send(
      'PUT',
      '/policies/acme/limits',
      { spec: { mode: 'Enforce', rules: RULES } },
      etagOf(made),
    );
    expect([changed.status, changed.value]).to.have.nested.property('[1].spec.mode', 'Enforce');
    expect(etagOf(changed)).to.not.equal(etagOf(made));
    expect((await drop('/policies/acme/limits', etagOf(changed))).status).to.equal(204);
    expect((await app.call('GET', '/policies/acme/limits')).code).to.equal('policy-not-found');
    expect(said.map((line) => listAt({ line }, 'line')[0])).to.deep.equal([
      'a policy is created',
      'a policy is replaced',
      'a policy is deleted',
    ]);
  });

  it('lose what a replacement leaves out, and keep labels that it does not name', async () => {
    const first = await send('POST', '/policies', {
      metadata: { name: 'limits', labels: { team: 'a' } },
      spec: { rules: RULES, priority: 5 },
    });
    const second = await send('PUT', '/policies/acme/limits', { spec: { rules: RULES } }, etagOf(first));
    expect(member(second.value, 'spec')).to.deep.equal({ rules: RULES });
    expect(second.value).to.have.nested.property('metadata.labels.team', 'a');
  });

  it('keep their ETag while only their status changes, and are still written', async () => {
    const made = await create();
    const status = {
      apiVersion: 'orbs.dev/v1alpha1',
      kind: 'OrbPolicy',
      metadata: { name: 'limits', namespace: 'acme' },
    };
    const asOperator = { fieldManager: 'orb-operator', force: true, subresource: 'status' } as const;
    await store.client.apply(KINDS.orbpolicy, { ...status, status: { observedGeneration: 1 } }, asOperator, never);
    const changed = await send('PUT', '/policies/acme/limits', { spec: {} }, etagOf(made));
    expect([changed.status, changed.value]).to.have.nested.property('[1].status.observedGeneration', 1);
  });

  it('are written although a status changes between read and write, three times at most', async () => {
    const made = await create();
    let conflicts = 2;
    const conflict = new KubeError('conflict', { status: 409, reason: 'Conflict', causes: [] });
    const busy: PolicyClient = {
      ...store.client,
      apply: (...call) => (conflicts-- > 0 ? Promise.reject(conflict) : store.client.apply(...call)),
    };
    await app.close();
    app = await start(busy);
    expect((await send('PUT', '/policies/acme/limits', { spec: {} }, etagOf(made))).status).to.equal(200);
    conflicts = 3;
    const read = await app.call('GET', '/policies/acme/limits');
    expect((await send('PUT', '/policies/acme/limits', { spec: {} }, etagOf(read))).code).to.equal(
      'precondition-failed',
    );
  });

  it('are refused without If-Match, and with an older one', async () => {
    const made = await create();
    expect((await send('PUT', '/policies/acme/limits', { spec: {} })).code).to.equal('precondition-required');
    expect((await app.call('DELETE', '/policies/acme/limits')).code).to.equal('precondition-required');
    await send('PUT', '/policies/acme/limits', { spec: {} }, etagOf(made));
    expect((await send('PUT', '/policies/acme/limits', { spec: {} }, etagOf(made))).code).to.equal(
      'precondition-failed',
    );
    expect((await drop('/policies/acme/limits', etagOf(made))).code).to.equal('precondition-failed');
  });

  it('are made once by two requests at the same time', async () => {
    const answers = await Promise.all([create(), create({ priority: 7 })]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).to.deep.equal([201, 409]);
    const [item] = listAt((await app.call('GET', '/policies')).value, 'items');
    expect(member(member(item, 'metadata'), 'generation')).to.equal(1);
  });

  it('of a file stay as the file says: the answer names it, and the change to make there', async () => {
    await applied('orb-files', { annotations: { 'orbs.dev/file': 'limits.yaml' } });
    const read = await app.call('GET', '/policies/acme/limits');
    const changed = await send(
      'PUT',
      '/policies/acme/limits',
      { spec: { mode: 'Enforce', rules: RULES } },
      etagOf(read),
    );
    expect([changed.status, changed.code]).to.deep.equal([409, 'managed-elsewhere']);
    expect(changed.value).to.deep.include({ manager: 'file:limits.yaml', patch: { spec: { mode: 'Enforce' } } });
    expect(changed.value).to.have.property('detail').that.includes('limits.yaml');
    const dropped = await drop('/policies/acme/limits', etagOf(read));
    expect(dropped.value).to.deep.include({ code: 'managed-elsewhere', manager: 'file:limits.yaml', patch: null });
    expect((await app.call('GET', '/policies/acme/limits')).status).to.equal(200);
  });

  it('list those of the tenant and of the platform for every tenant, page by page', async () => {
    for (const name of ['c', 'a', 'b']) await create({}, name);
    await applied('kubectl', { namespace: 'orb-system', name: 'all', spec: { scope: 'Platform', mode: 'Enforce' } });
    await applied('kubectl', { namespace: 'orb-system', name: 'own', spec: {} });
    await applied('kubectl', { namespace: 'globex', name: 'other' });
    const names = async (query: string): Promise<unknown> => {
      const { value } = await app.call('GET', `/policies${query}`);
      return [
        listAt(value, 'items').map((item) => member(member(item, 'metadata'), 'name')),
        member(value, 'next_cursor'),
      ];
    };
    expect(await names('')).to.deep.equal([['a', 'b', 'c', 'all'], null]);
    expect(await names('?limit=2')).to.deep.equal([['a', 'b'], 'acme/b']);
    expect(await names('?limit=2&cursor=acme/b')).to.deep.equal([['c', 'all'], null]);
    expect(await names('?mode=Enforce')).to.deep.equal([['all'], null]);
    expect((await app.call('GET', '/policies/orb-system/all')).status).to.equal(200);
    expect((await app.call('GET', '/policies/orb-system/own')).code).to.equal('policy-not-found');
    const write = await send('PUT', '/policies/orb-system/all', { spec: {} }, '*');
    expect([write.status, write.code]).to.deep.equal([404, 'policy-not-found']);
  });

  const invalid: readonly [why: string, method: string, body: object, pointer: string][] = [
    [
      'a rule that does not compile',
      'POST',
      { metadata: { name: 'x' }, spec: { rules: [aRule('deny', 'orb.scores < 1')] } },
      '/spec/rules/0/when',
    ],
    [
      'a test that fails',
      'POST',
      { metadata: { name: 'x' }, spec: { rules: RULES, tests: [{ name: 't', expect: { decision: 'allow' } }] } },
      '/spec/tests/0',
    ],
    ['no name', 'POST', { metadata: {}, spec: {} }, '/metadata/name'],
    ['no spec', 'POST', { metadata: { name: 'x' } }, '/spec'],
    ['scope Platform', 'POST', { metadata: { name: 'x' }, spec: { scope: 'Platform' } }, '/spec/scope'],
    ['an unknown member', 'PUT', { spec: { rule: [] } }, '/spec/rule'],
    ['another name than in the path', 'PUT', { metadata: { name: 'other' }, spec: {} }, '/metadata/name'],
    [
      'another namespace than in the path',
      'PUT',
      { metadata: { namespace: 'globex' }, spec: {} },
      '/metadata/namespace',
    ],
  ];
  for (const [why, method, body, pointer] of invalid)
    it(`${method} with ${why}: 422 policy-invalid at ${pointer}, and nothing is written`, async () => {
      const answer = await send(method, method === 'PUT' ? '/policies/acme/limits' : '/policies', body, '*');
      expect([answer.status, answer.code]).to.deep.equal([422, 'policy-invalid']);
      expect(answer.value).to.have.nested.property('errors[0].pointer', pointer);
      expect((await store.client.list(KINDS.orbpolicy, {}, never)).items).to.deep.equal([]);
    });

  const refused: readonly [why: string, method: string, path: string, status: number, code: string][] = [
    ['a policy that is not there', 'PUT', '/policies/acme/none', 404, 'policy-not-found'],
    ['one of another tenant', 'PUT', '/policies/globex/other', 404, 'policy-not-found'],
    ['a name that can not exist', 'PUT', '/policies/acme/..%2fx', 404, 'policy-not-found'],
    ['another tenant', 'POST', '/policies?namespace=globex', 404, 'namespace-not-found'],
  ];
  for (const [why, method, path, status, code] of refused)
    it(`${method} of ${why}: ${status} ${code}`, async () => {
      await applied('kubectl', { namespace: 'globex', name: 'other' });
      const answer = await send(method, path, { metadata: method === 'POST' ? { name: 'x' } : {}, spec: {} }, '*');
      expect([answer.status, answer.code]).to.deep.equal([status, code]);
    });

  it('answer 503 while the Kubernetes API does not', async () => {
    const fault = new KubeError('no answer', { status: 0, reason: '', causes: [] });
    const away = (): Promise<never> => Promise.reject(fault);
    await app.close();
    app = await start({ get: away, list: away, apply: away, delete: away });
    const answers = [
      await app.call('GET', '/policies'),
      await app.call('GET', '/policies/acme/limits'),
      await create(),
      await send('PUT', '/policies/acme/limits', { spec: {} }, '*'),
      await drop('/policies/acme/limits', '*'),
    ];
    expect(answers.map(({ status, code }) => [status, code])).to.deep.equal(
      answers.map(() => [503, 'control-plane-unavailable']),
    );
  });

  it('answer 409 with the manager when the server finds another one in between', async () => {
    await create();
    const conflict = new KubeError('conflict', {
      status: 409,
      reason: 'Conflict',
      causes: ['FieldManagerConflict'],
      managers: ['argocd-controller'],
    });
    await app.close();
    app = await start({ ...store.client, apply: () => Promise.reject(conflict) });
    const { status, code, value } = await send('PUT', '/policies/acme/limits', { spec: { mode: 'Enforce' } }, '*');
    expect([status, code]).to.deep.equal([409, 'managed-elsewhere']);
    expect(value).to.deep.include({
      manager: 'argocd-controller',
      patch: { spec: { rules: null, mode: 'Enforce' } },
    });
  });
});
