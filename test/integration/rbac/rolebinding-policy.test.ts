import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../core/json/json-value.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { PLATFORM_NAMESPACE } from '../../../hack/control-plane/install.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { APPLY, ask, askOk, makeNamespace, MERGE, untilInForce, type Ask, type Reply } from './request.ts';

const NAMESPACE = 'rbac-binding';
const BINDINGS = `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}/rolebindings`;
const NAME = 'orb-vault-reader';
const API = { kind: 'ServiceAccount', name: 'orb-api', namespace: PLATFORM_NAMESPACE };
const ROLE = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: NAME };
// Everything that RBAC alone would refuse is allowed here, so that only the policy is left to say no.
const WIDE = 'rbac-test-wide-operator';

const binding = (changes: JsonObject = {}): JsonObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: NAME },
  roleRef: ROLE,
  subjects: [API],
  ...changes,
});

describe('orb-rolebindings', () => {
  let plane: ControlPlane;
  let cleanUp: () => Promise<void>;
  const asOperator = (what: Omit<Ask, 'as'>): Promise<Reply> => ask(plane, { ...what, as: 'operator' });
  const apply = (body: JsonObject, name = NAME): Promise<Reply> =>
    asOperator({
      method: 'PATCH',
      path: `${BINDINGS}/${name}?fieldManager=orb-operator-rbac&force=true`,
      type: APPLY,
      body,
    });
  const remove = (name: string): Promise<Reply> =>
    ask(plane, { as: 'admin', method: 'DELETE', path: `${BINDINGS}/${name}` });

  before(async () => {
    plane = await sharedControlPlane();
    cleanUp = await makeNamespace(plane, NAMESPACE);
    const path = `${BINDINGS}/${NAME}?fieldManager=orb-operator-rbac&dryRun=All`;
    const body = binding({ subjects: [{ ...API, name: 'default' }] });
    await untilInForce(plane, 'orb-rolebindings', { as: 'operator', method: 'PATCH', path, type: APPLY, body });
  });
  after(() => cleanUp());
  afterEach(() => remove(NAME));

  const wrong: readonly (readonly [string, JsonObject])[] = [
    ['another role', { roleRef: { ...ROLE, name: 'cluster-admin' } }],
    ['a Role of the namespace', { roleRef: { ...ROLE, kind: 'Role' } }],
    ['another ServiceAccount', { subjects: [{ ...API, name: 'default' }] }],
    ['a ServiceAccount of another namespace', { subjects: [{ ...API, namespace: NAMESPACE }] }],
    ['a ServiceAccount without a namespace', { subjects: [{ kind: 'ServiceAccount', name: 'orb-api' }] }],
    ['a user', { subjects: [{ apiGroup: ROLE.apiGroup, kind: 'User', name: 'orb-api' }] }],
    ['a group', { subjects: [{ apiGroup: ROLE.apiGroup, kind: 'Group', name: 'system:authenticated' }] }],
    ['one more subject', { subjects: [API, { ...API, name: 'orb-operator' }] }],
    ['no subject', { subjects: [] }],
  ];

  describe('with the rules that ship', () => {
    for (const [what, changes] of wrong)
      it(`refuses the operator ${what}`, async () => {
        const reply = await apply(binding(changes));
        expect(reply.status, reply.message).to.be.oneOf([403, 404, 422]);
        expect((await ask(plane, { as: 'admin', method: 'GET', path: `${BINDINGS}/${NAME}` })).status).to.equal(404);
      });

    it('refuses the operator another name, by apply and by create', async () => {
      const body = binding({ metadata: { name: 'another' } });
      expect((await apply(body, 'another')).status).to.equal(403);
      expect((await asOperator({ method: 'POST', path: BINDINGS, body })).status).to.equal(403);
    });

    it('lets the operator make, mend and delete the right one', async () => {
      expect((await apply(binding())).status).to.equal(201);
      const subjects: JsonValue = [API, { ...API, name: 'default' }];
      await askOk(plane, { method: 'PATCH', path: `${BINDINGS}/${NAME}`, type: MERGE, body: { subjects } });
      const mended = await apply(binding());
      expect([mended.status, mended.body['subjects']]).to.deep.equal([200, [API]]);
      expect((await asOperator({ method: 'DELETE', path: `${BINDINGS}/${NAME}` })).status).to.equal(200);
    });
  });

  describe('when RBAC would allow the operator everything', () => {
    before(async () => {
      const metadata = { name: WIDE };
      await askOk(plane, {
        method: 'POST',
        path: BINDINGS,
        body: {
          ...binding({ metadata, roleRef: { ...ROLE, name: 'cluster-admin' } }),
          subjects: [{ ...API, name: 'orb-operator' }],
        },
      });
    });
    after(() => remove(WIDE));

    for (const [what, changes] of wrong)
      it(`refuses ${what}`, async () => {
        for (const reply of [
          await apply(binding(changes)),
          await asOperator({ method: 'POST', path: BINDINGS, body: binding(changes) }),
        ]) {
          expect(reply.status, reply.message).to.equal(403);
          expect(reply.message).to.match(/ValidatingAdmissionPolicy 'orb-rolebindings'/);
        }
      });

    it('refuses every wrong change of the right one', async () => {
      await apply(binding());
      for (const [what, { subjects }] of wrong) {
        if (subjects === undefined) continue;
        const reply = await asOperator({
          method: 'PATCH',
          path: `${BINDINGS}/${NAME}`,
          type: MERGE,
          body: { subjects },
        });
        expect(reply.message, what).to.match(/ValidatingAdmissionPolicy 'orb-rolebindings'/);
      }
    });

    it('refuses to make, change and delete a binding of another name', async () => {
      const other = 'tenants-own';
      const body = binding({ metadata: { name: other } });
      expect((await apply(body, other)).status).to.equal(403);
      await askOk(plane, { method: 'POST', path: BINDINGS, body });
      const label = { metadata: { labels: { a: 'b' } } };
      const replies = [
        await asOperator({ method: 'PATCH', path: `${BINDINGS}/${other}`, type: MERGE, body: label }),
        await asOperator({ method: 'DELETE', path: `${BINDINGS}/${other}` }),
        await asOperator({ method: 'DELETE', path: BINDINGS }),
      ];
      for (const reply of replies) expect(reply.status, reply.message).to.equal(403);
      await remove(other);
    });

    it('refuses to delete a binding of the right name to another role', async () => {
      const reader = binding({ roleRef: { ...ROLE, name: 'view' } });
      await askOk(plane, { method: 'POST', path: BINDINGS, body: reader });
      const reply = await asOperator({ method: 'DELETE', path: `${BINDINGS}/${NAME}` });
      expect(reply.message).to.match(/ValidatingAdmissionPolicy 'orb-rolebindings'/);
    });
  });

  it('lets everybody else bind what they may', async () => {
    const body = binding({
      metadata: { name: 'free' },
      roleRef: { ...ROLE, name: 'view' },
      subjects: [{ ...API, name: 'x' }],
    });
    expect((await ask(plane, { as: 'admin', method: 'POST', path: BINDINGS, body })).status).to.equal(201);
    expect((await remove('free')).status).to.equal(200);
  });
});
