import { expect } from 'chai';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { PLATFORM_NAMESPACE } from '../../../hack/control-plane/install.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { APPLY, ask, askOk, makeNamespace } from './request.ts';

const BOUND = 'rbac-bound';
const UNBOUND = 'rbac-unbound';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

const paths = (namespace: string): readonly string[] => [
  `/api/v1/namespaces/${namespace}/secrets/mail`,
  `/api/v1/namespaces/${namespace}/secrets`,
  `/api/v1/namespaces/${namespace}/secrets?watch=true&timeoutSeconds=1`,
  `/api/v1/namespaces/${namespace}/secrets?fieldSelector=metadata.name%3Dmail`,
];

describe('who can read Secrets', () => {
  let plane: ControlPlane;
  const cleanUps: (() => Promise<void>)[] = [];

  before(async () => {
    plane = await sharedControlPlane();
    for (const namespace of [BOUND, UNBOUND]) {
      cleanUps.push(await makeNamespace(plane, namespace));
      await askOk(plane, {
        method: 'POST',
        path: `/api/v1/namespaces/${namespace}/secrets`,
        body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'mail' }, stringData: { TOKEN: 'one' } },
      });
    }
    // As the operator makes it: by server-side apply, the only way that its rules allow.
    const made = await ask(plane, {
      as: 'operator',
      method: 'PATCH',
      type: APPLY,
      path: `${RBAC}/namespaces/${BOUND}/rolebindings/orb-vault-reader?fieldManager=orb-operator-rbac&force=true`,
      body: {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'orb-vault-reader' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'orb-vault-reader' },
        subjects: [{ kind: 'ServiceAccount', name: 'orb-api', namespace: PLATFORM_NAMESPACE }],
      },
    });
    expect([made.status, made.message]).to.deep.equal([201, '']);
  });
  after(async () => {
    for (const cleanUp of cleanUps) await cleanUp();
  });

  for (const path of ['/api/v1/secrets', ...[BOUND, UNBOUND, PLATFORM_NAMESPACE, 'kube-system'].flatMap(paths)])
    it(`the operator is refused ${path}`, async () => {
      expect((await ask(plane, { as: 'operator', method: 'GET', path })).status).to.equal(403);
    });

  for (const path of ['/api/v1/secrets', ...paths(UNBOUND), ...paths('kube-system')])
    it(`the API is refused ${path}, which no RoleBinding gives it`, async () => {
      expect((await ask(plane, { as: 'api', method: 'GET', path })).status).to.equal(403);
    });

  it('the API reads the Secrets of a namespace with the RoleBinding, and of its own', async () => {
    const [own = '', all = '', , one = ''] = paths(BOUND);
    for (const path of [own, all, one, `/api/v1/namespaces/${PLATFORM_NAMESPACE}/secrets`])
      expect((await ask(plane, { as: 'api', method: 'GET', path })).status, path).to.equal(200);
  });

  for (const namespace of [BOUND, PLATFORM_NAMESPACE])
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const)
      it(`the API is refused ${method} of Secrets in ${namespace}`, async () => {
        const path = `/api/v1/namespaces/${namespace}/secrets${method === 'POST' ? '' : '/mail'}`;
        const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'mail' } };
        const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
        expect((await ask(plane, { as: 'api', method, path, type, body })).status).to.equal(403);
      });
});
