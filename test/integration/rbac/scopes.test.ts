import { expect } from 'chai';
import { SCOPE_TABLE, type Rights } from '../../../core/api-key/scopes.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { isJsonObject } from '../../../core/json/json-value.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { askOk, untilAggregated } from './request.ts';

const ROLES = ['view', 'edit', 'admin'] as const;
const NAMESPACE = 'tenant-a';

/** The first of Kubernetes' roles that gives each scope to a caller with a Kubernetes token. */
const expected: Readonly<Record<keyof typeof SCOPE_TABLE, string>> = {
  'orbs:execute': 'edit',
  'receipts:read': 'view',
  'receipts:erase': 'admin',
  'providers:read': 'view',
  'providers:swap': 'edit',
  'reputation:read': 'view',
  'marketplace:read': 'view',
  'marketplace:publish': 'edit',
  'policies:read': 'view',
  'policies:write': 'admin',
  'policies:simulate': 'edit',
  'policies:approve': 'admin',
  'decisions:read': 'view',
  'ingest:read': 'view',
  'ingest:admin': 'admin',
  'incidents:write': 'admin',
  'status:report': 'none',
  admin: 'none',
};

describe('view, edit and admin', () => {
  let plane: ControlPlane;
  before(async () => {
    plane = await sharedControlPlane();
    await untilAggregated(plane);
    for (const role of ROLES) {
      const args = ['create', 'rolebinding', `scopes-${role}`, `--clusterrole=${role}`, `--user=scopes-${role}`];
      await plane.kubectl([...args, '-n', NAMESPACE]);
    }
  });
  after(async () => {
    await plane.kubectl(['delete', 'rolebinding', ...ROLES.map((role) => `scopes-${role}`), '-n', NAMESPACE]);
  });

  async function gives(role: string, { verbs, resource, subresource }: Rights): Promise<boolean> {
    for (const verb of verbs) {
      const place = { namespace: NAMESPACE, group: 'orbs.dev', verb, resource };
      const resourceAttributes = subresource === undefined ? place : { ...place, subresource };
      const { status } = await askOk(plane, {
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: { user: `scopes-${role}`, resourceAttributes },
        },
      });
      if (!isJsonObject(status) || status['allowed'] !== true) return false;
    }
    return true;
  }

  for (const [scope, rights] of Object.entries(SCOPE_TABLE))
    it(`give ${scope} from the documented role on`, async () => {
      const given: string[] = [];
      for (const role of ROLES) if (await gives(role, rights)) given.push(role);
      expect(given[0] ?? 'none').to.equal(Object.entries(expected).find(([name]) => name === scope)?.[1]);
      expect(given).to.deep.equal(given.length === 0 ? [] : ROLES.slice(-given.length));
    });
});
