import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { anOrbProcess, type OrbEnded, type OrbProcess } from '../../support/orb-process.ts';

describe('orb with a kubeconfig that acts as somebody else', function impersonation() {
  this.timeout(120_000);
  let plane: ControlPlane;
  let orb: OrbProcess;
  const list = (user: object): Promise<OrbEnded> => {
    const file = join(orb.folder, 'kubeconfig');
    const config = {
      'current-context': 'one',
      clusters: [{ name: 'one', cluster: { server: plane.server.url, 'certificate-authority': plane.caFile } }],
      contexts: [{ name: 'one', context: { cluster: 'one', user: 'one' } }],
      users: [{ name: 'one', user: { token: plane.users.admin.token, ...user } }],
    };
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...config }));
    return orb.run(['secrets', 'list', '-A', '--kubeconfig', file]);
  };
  before(async () => {
    plane = await sharedControlPlane();
    orb = anOrbProcess();
  });
  after(() => rmSync(orb.folder, { recursive: true }));

  it('is judged by all its groups', async () => {
    for (const more of [{}, { 'as-groups': ['dev', 'ops'] }])
      expect((await list({ as: 'jane', ...more })).err)
        .to.include('403 Forbidden')
        .and.to.include('"jane"');
    for (const groups of [
      ['dev', 'system:masters'],
      ['system:masters', 'dev'],
    ]) {
      const { status, err } = await list({ as: 'jane', 'as-uid': 'u-1', 'as-groups': groups });
      expect(status, err).to.equal(0);
    }
  });
});
