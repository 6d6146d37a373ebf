import { expect } from 'chai';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { startApi, type ApiProcess } from '../../support/api-process.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { apiKeySecret } from '../../support/cluster-objects.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { objectAt } from '../../support/members.ts';
import { jsonOf } from '../../support/suites.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const NAMESPACE = 'h16-policies';
const RULES = [{ name: 'rule', effect: 'deny', when: 'orb.score < 50' }];

interface Said {
  readonly status: number;
  readonly etag: string;
  readonly body: unknown;
}

const policy = (name: string, spec: object): object => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'OrbPolicy',
  metadata: { name },
  spec,
});

const binding = (verbs: readonly string[]): readonly object[] => [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'policies' },
    rules: [{ apiGroups: ['orbs.dev'], resources: ['orbpolicies'], resourceNames: ['limits'], verbs }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'policies' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'policies' },
    subjects: [{ kind: 'ServiceAccount', name: 'app', namespace: NAMESPACE }],
  },
];

const specIn = ({ body }: Said): unknown => objectAt(jsonOf(body), 'spec');

describe('policies over HTTP on a cluster (policy.md §5)', function suite() {
  this.timeout(60_000);
  let plane: ControlPlane;
  let api: ApiProcess;
  let team: TestNamespace;
  const owner = apiKeySecret([NAMESPACE], ['policies:read', 'policies:write']);

  const call = async (method: string, path: string, body?: object, headers: object = {}): Promise<Said> => {
    const response = await fetch(`${api.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status } = response;
    return { status, etag: response.headers.get('etag') ?? '', body: text === '' ? undefined : JSON.parse(text) };
  };
  const path = (name: string): string => `/policies/${NAMESPACE}/${name}`;
  const put = (name: string, spec: object, etag: string): Promise<Said> =>
    call('PUT', path(name), { spec }, { 'if-match': etag });

  before(async () => {
    plane = await sharedControlPlane();
    team = await testNamespace(plane, NAMESPACE);
    await kubectlOk(plane, ['apply', '-f', '-'], JSON.stringify(owner.document));
    api = await startApi(plane);
    await lastAnswer(
      () => call('GET', '/policies'),
      ({ status }) => status === 200,
      10_000,
      100,
    );
  });
  after(async () => {
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'secret', owner.name, '--ignore-not-found']);
    await team.remove();
    await api.stop();
  });

  it('are created, replaced, refused with an older ETag, and deleted', async () => {
    const made = await call('POST', '/policies', { metadata: { name: 'own' }, spec: { rules: RULES, priority: 5 } });
    expect([made.status, (await call('POST', '/policies', policy('own', {}))).status]).to.deep.equal([201, 409]);
    const changed = await put('own', { rules: RULES }, made.etag);
    expect([changed.status, specIn(changed)]).to.deep.equal([200, { rules: RULES }]);
    expect((await put('own', {}, made.etag)).status).to.equal(412);
    expect((await call('DELETE', path('own'), undefined, { 'if-match': made.etag })).status).to.equal(412);
    expect((await call('DELETE', path('own'), undefined, { 'if-match': changed.etag })).status).to.equal(204);
    expect((await call('GET', path('own'))).status).to.equal(404);
  });

  it('keep their ETag while their status is written', async () => {
    const made = await call('POST', '/policies', policy('status', { rules: RULES }));
    const patch = JSON.stringify({ status: { observedGeneration: 1 } });
    await team.kubectl('patch', 'orbpolicy/status', '--subresource=status', '--type=merge', '-p', patch);
    expect((await call('GET', path('status'))).etag).to.equal(made.etag);
    const emptied = await put('status', {}, made.etag);
    expect([emptied.status, emptied.body]).to.have.nested.property('[1].spec').that.deep.equals({ engine: 'cel' });
  });

  it('of kubectl stay as they are: the answer says who, and what to commit', async () => {
    await team.apply(policy('limits', { mode: 'Audit', rules: RULES }));
    const { etag } = await call('GET', path('limits'));
    const answers = [
      await put('limits', { mode: 'Enforce', rules: RULES }, etag),
      await call('POST', `${path('limits')}/promote`, {}),
      await call('DELETE', path('limits'), undefined, { 'if-match': etag }),
    ];
    const managed = answers.map(({ status, body }) => [status, objectAt({ body: jsonOf(body) }, 'body')['patch']]);
    const enforce = { spec: { mode: 'Enforce' } };
    expect(managed).to.deep.equal([
      [409, enforce],
      [409, enforce],
      [409, null],
    ]);
    expect(answers[0]?.body)
      .to.have.property('manager')
      .that.matches(/^kubectl/);
  });

  it('of kubectl are promoted when nobody owns the mode, and kubectl goes on with the rest', async () => {
    await team.apply(policy('shared', { rules: RULES }));
    const promoted = await call('POST', `${path('shared')}/promote`, {});
    expect([promoted.status, specIn(promoted)]).to.deep.equal([200, { mode: 'Enforce', rules: RULES }]);
    await team.apply(policy('shared', { rules: [{ ...RULES[0], when: 'orb.score < 60' }] }));
    const after = specIn(await call('GET', path('shared')));
    expect(after).to.deep.equal({ mode: 'Enforce', rules: [{ ...RULES[0], when: 'orb.score < 60' }] });
  });

  it('are written by a ServiceAccount with all rights on the policy of the path, and by no other', async () => {
    await team.kubectl('create', 'serviceaccount', 'app');
    const token = (await team.kubectl('create', 'token', 'app', '--audience=orb-api')).trim();
    const asApp = { authorization: `Bearer ${token}`, 'if-match': '"other.1"' };
    const statuses = async (): Promise<readonly number[]> => [
      (await call('GET', path('limits'), undefined, asApp)).status,
      (await call('PUT', path('limits'), { spec: {} }, asApp)).status,
      (await call('PUT', path('shared'), { spec: {} }, asApp)).status,
    ];
    expect(await statuses()).to.deep.equal([403, 403, 403]);
    await team.apply(...binding(['get', 'list']));
    const reads = await lastAnswer(statuses, ([read]) => read === 200, 15_000, 500);
    expect(reads).to.deep.equal([200, 403, 403]);
    await team.apply(...binding(['get', 'list', 'create', 'patch', 'delete']));
    const writes = await lastAnswer(statuses, ([, write]) => write === 412, 15_000, 500);
    expect(writes).to.deep.equal([200, 412, 403]);
  });
});
