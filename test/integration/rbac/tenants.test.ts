import { expect } from 'chai';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import type { JsonObject } from '../../../core/json/json-value.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { exampleOrb } from './an-orb.ts';
import { ask, askOk, untilAggregated } from './request.ts';

const GROUP = '/apis/orbs.dev/v1alpha1';
const KINDS = ['orbs', 'orbisets', 'orbpublications'];

describe('tenants', () => {
  let plane: ControlPlane;
  before(async () => {
    plane = await sharedControlPlane();
    await untilAggregated(plane);
    for (const tenant of ['tenant-a', 'tenant-b'] as const) {
      const path = `${GROUP}/namespaces/${tenant}/orbs`;
      const made = await ask(plane, { as: tenant, method: 'POST', path, body: exampleOrb('isolation') });
      expect(made.status, made.message).to.equal(201);
    }
  });
  after(async () => {
    for (const tenant of ['tenant-a', 'tenant-b'])
      await askOk(plane, { method: 'DELETE', path: `${GROUP}/namespaces/${tenant}/orbs/isolation` });
  });

  it('see their own resources', async () => {
    for (const kind of KINDS)
      expect(
        (await ask(plane, { as: 'tenant-a', method: 'GET', path: `${GROUP}/namespaces/tenant-a/${kind}` })).status,
      ).to.equal(200);
  });

  const reads = KINDS.flatMap((kind) => [
    `${GROUP}/${kind}`,
    `${GROUP}/${kind}?watch=true&timeoutSeconds=1`,
    `${GROUP}/namespaces/tenant-b/${kind}`,
    `${GROUP}/namespaces/tenant-b/${kind}/isolation`,
    `${GROUP}/namespaces/tenant-b/${kind}/isolation/status`,
    `${GROUP}/namespaces/orb-system/${kind}`,
  ]);
  for (const path of [...reads, '/api/v1/namespaces/tenant-b/secrets', '/api/v1/namespaces/orb-system/secrets'])
    it(`are refused GET ${path}`, async () => {
      expect((await ask(plane, { as: 'tenant-a', method: 'GET', path })).status).to.equal(403);
    });

  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const)
    it(`are refused ${method} in the namespace of another tenant`, async () => {
      const path = `${GROUP}/namespaces/tenant-b/orbs${method === 'POST' ? '' : '/isolation'}`;
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const body: JsonObject = exampleOrb('isolation');
      expect((await ask(plane, { as: 'tenant-a', method, path, type, body })).status).to.equal(403);
    });

  it('are refused the status of their own Orbs: the platform writes it', async () => {
    const path = `${GROUP}/namespaces/tenant-a/orbs/isolation/status`;
    const type = 'application/merge-patch+json';
    expect((await ask(plane, { as: 'tenant-a', method: 'PATCH', path, type, body: { status: {} } })).status).to.equal(
      403,
    );
  });
});
