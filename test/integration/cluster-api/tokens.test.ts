import { expect } from 'chai';
import { listAt, member } from '../../../core/json/members.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { startApi, type ApiProcess, type ApiReply } from '../../support/api-process.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import { orb, orbiset } from '../../support/cluster-objects.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';

const ECHO = 'acme.echo@1.0.0';

const bound = (subject: string, role = 'runs-orbs'): object => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: role },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: role },
  subjects: [{ kind: 'ServiceAccount', name: subject, namespace: 'h5-tokens' }],
});

describe('ServiceAccount tokens (security.md S12)', function suite() {
  this.timeout(60_000);
  let plane: ControlPlane;
  let api: ApiProcess;
  let provider: TestProvider;
  let team: TestNamespace;
  let other: TestNamespace;
  let token = '';
  const execute = (bearer = token, set = 'support'): Promise<ApiReply> => api.execute(bearer, set, ECHO);
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'runs-orbs' },
    rules: [
      { apiGroups: ['orbs.dev'], resources: ['orbisets/execute'], resourceNames: ['support'], verbs: ['create'] },
      { apiGroups: ['orbs.dev'], resources: ['orbisets/receipts'], verbs: ['get'] },
    ],
  };
  /** The right on every Orbiset of its namespace, which a list of Orbs needs. */
  const listing = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'lists-orbs' },
    rules: [{ apiGroups: ['orbs.dev'], resources: ['orbisets/execute'], verbs: ['create'] }],
  };
  const createToken = (audience: string, account = 'app'): Promise<string> =>
    team.kubectl('create', 'token', account, `--audience=${audience}`).then((text) => text.trim());
  const until = (wanted: (reply: ApiReply) => boolean, ms: number): Promise<ApiReply | undefined> =>
    waitFor(async () => {
      const reply = await execute();
      return wanted(reply) ? reply : undefined;
    }, ms);

  const reviews = (): number =>
    api.proxy.journal.requests.filter(({ resource }) => resource.endsWith('reviews')).length;

  before(async () => {
    plane = await sharedControlPlane();
    provider = await startProvider();
    team = await testNamespace(plane, 'h5-tokens');
    other = await testNamespace(plane, 'h5-tokens-other');
    const echo = orb('echo', ECHO, { url: `http://127.0.0.1:${provider.port}/ok` });
    for (const namespace of [team, other])
      await namespace.apply(echo, orbiset('support', []), orbiset('private', []), role, listing);
    for (const account of ['app', 'lister']) await team.kubectl('create', 'serviceaccount', account);
    token = await createToken('orb-api');
    api = await startApi(plane, ['--egress-allow', `http://127.0.0.1:${provider.port}`]);
  });
  after(async () => {
    await team.remove();
    await other.remove();
    await provider.close();
    await api.stop();
  });

  it('are refused without a binding, which the answer names', async () => {
    const { status, code, body } = await execute();
    expect([status, code]).to.deep.equal([403, 'forbidden']);
    expect(JSON.stringify(body)).to.contain('create orbisets/execute (group orbs.dev) in h5-tokens');
  });

  it('run Orbs once they are bound, in the named Orbiset of their namespace only', async () => {
    await team.apply(bound('app'));
    expect((await until(({ status }) => status === 200, 5000))?.status).to.equal(200);
    expect((await execute(token, 'h5-tokens.support')).status).to.equal(200);
    expect((await execute(token, 'private')).status).to.equal(403);
    expect((await api.get(token, '/receipts')).status).to.equal(200);
  });

  it('learn nothing of another namespace', async () => {
    for (const set of ['h5-tokens-other.support', 'h5-tokens-other.missing', 'a.b.c']) {
      const { status, code } = await execute(token, set);
      expect([set, status, code]).to.deep.equal([set, 404, 'orbiset-not-found']);
    }
    expect((await api.get(token, '/receipts?namespace=h5-tokens-other')).status).to.equal(404);
  });

  it('run Orbs of another namespace that binds them', async () => {
    await other.apply(bound('app'));
    const reply = await waitFor(async () => {
      const got = await execute(token, 'h5-tokens-other.support');
      return got.status === 200 ? got : undefined;
    }, 5000);
    expect(reply?.status).to.equal(200);
  });

  describe('ask for the Orbs of a namespace', () => {
    let lister = '';
    const list = (query = ''): Promise<ApiReply> => api.get(lister, `/orbs${query}`);
    const show = (query = ''): Promise<ApiReply> => api.get(lister, `/orbs/${ECHO}${query}`);
    const untilListed = (query = ''): Promise<ApiReply | undefined> =>
      waitFor(async () => {
        const reply = await list(query);
        return reply.status === 200 ? reply : undefined;
      }, 5000);

    before(async () => {
      lister = await createToken('orb-api', 'lister');
    });

    it('in vain without the right, which the answer names; a right on one Orbiset is not enough', async () => {
      for (const bearer of [lister, token])
        for (const path of ['/orbs', `/orbs/${ECHO}`]) {
          const { status, code, body } = await api.get(bearer, path);
          expect([path, status, code]).to.deep.equal([path, 403, 'forbidden']);
          expect(JSON.stringify(body)).to.contain('create orbisets/execute (group orbs.dev) in h5-tokens');
        }
    });

    it('and see them with the right in their namespace', async () => {
      await team.apply(bound('lister', 'lists-orbs'));
      const listed = await untilListed();
      const ids = listAt(listed?.body ?? null, 'items').map((item) => member(item, 'orb_id'));
      expect([listed?.status, ids]).to.deep.equal([200, [ECHO]]);
      const { status, body } = await show();
      expect([status, member(body, 'orb_id'), member(body, 'ready')]).to.deep.equal([200, ECHO, true]);
      const missing = await api.get(lister, '/orbs/acme.ehco@1.0.0');
      expect([missing.status, missing.code]).to.deep.equal([404, 'orb-not-found']);
      expect(JSON.stringify(missing.body)).to.contain(ECHO);
    });

    it('and learn nothing of another namespace, until it binds them', async () => {
      const query = '?namespace=h5-tokens-other';
      const [all, one] = [await list(query), await show(query)];
      expect([all.status, all.code]).to.deep.equal([404, 'namespace-not-found']);
      expect([one.status, one.code]).to.deep.equal([404, 'orb-not-found']);
      await other.apply(bound('lister', 'lists-orbs'));
      expect((await untilListed(query))?.status).to.equal(200);
      expect((await show(query)).status).to.equal(200);
    });
  });

  it('are refused when made for another audience, and when nobody made them', async () => {
    const foreign = await createToken('https://kubernetes.default.svc');
    const [head = '', body = ''] = token.split('.');
    for (const bearer of [foreign, `${head}.${body}.c2lnbmF0dXJl`]) {
      expect((await execute(bearer)).code).to.equal('unauthenticated');
    }
  });

  it('cost two reviews for many requests within some seconds', async () => {
    await execute();
    const before = reviews();
    await Promise.all(Array.from({ length: 20 }, () => execute()));
    expect(reviews() - before).to.be.at.most(2);
  });

  it('are refused within 10 s after the binding is gone', async () => {
    await team.kubectl('delete', 'rolebinding/runs-orbs');
    const over = AbortSignal.timeout(10_000);
    while (!over.aborted) await execute();
    expect((await execute()).code).to.equal('forbidden');
  });

  it('get 503 while nobody can be asked', async () => {
    api.proxy.partition();
    try {
      const fresh = await createToken('orb-api');
      const { status, code } = await execute(fresh);
      expect([status, code]).to.deep.equal([503, 'authentication-unavailable']);
    } finally {
      api.proxy.heal();
    }
  });
});
