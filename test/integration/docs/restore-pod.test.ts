import { expect } from 'chai';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command } from '../../../hack/control-plane/command.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { at, objectsIn, openHelm, textAt, titleOf, type Helm } from '../../support/cluster/platform-chart.ts';
import { blocksOf } from './fenced-blocks.ts';

const API = 'Deployment orb-system/orb-api';
const TAINT = { key: 'dedicated', operator: 'Equal', value: 'orbs', effect: 'NoSchedule' };
const VALUES = `global: { imageRegistry: registry.example.com, imagePullSecrets: [registry, mirror] }
api: { tolerations: [${JSON.stringify(TAINT)}] }
`;

// No kubelet runs the pod: the API server says what it would be. Nothing is attached to a pod that is not made.
const KUBECTL = `#!/bin/bash
[[ $1 == run ]] || exec "$REAL" "$@"
for word in "$@"; do [[ $word == --rm || $word == -i ]] || words+=("$word"); done
exec "$REAL" "\${words[@]}" --dry-run=server -o json > "$POD"
`;

describe('the pod that restores a ledger, in backup-and-restore.md', function suite() {
  this.timeout(120_000);
  let plane: ControlPlane;
  let helm: Helm;
  let folder: string;
  const restore = blocksOf('backup-and-restore.md').find(({ text }) => text.includes('kubectl run orb-restore'));

  before(async () => {
    plane = await sharedControlPlane();
    helm = await openHelm();
    folder = mkdtempSync(join(tmpdir(), 'orb-restore-'));
    writeFileSync(join(folder, 'kubectl'), KUBECTL);
    chmodSync(join(folder, 'kubectl'), 0o755);
    writeFileSync(join(folder, 'ledger-backup.sqlite'), '');
  });
  after(async () => {
    await kubectlOk(plane, ['delete', 'deployment', 'orb-api', '-n', 'orb-system', '--ignore-not-found']);
    helm.remove();
    rmSync(folder, { recursive: true });
  });

  /** Types the block beside the API of such an install. @returns what the API server makes of the pod */
  async function podFor(values: string): Promise<ReturnType<typeof objectsIn>[number]> {
    const file = join(folder, 'values.yaml');
    writeFileSync(file, values);
    const api = objectsIn(await helm.render(['-f', file])).find((object) => titleOf(object) === API);
    await kubectlOk(plane, ['apply', '--server-side', '--force-conflicts', '-f', '-'], JSON.stringify(api));
    const text = restore?.text.replaceAll(/^\$ /gm, '') ?? 'exit 1';
    const { code, stdout, stderr } = await command('bash', ['-euo', 'pipefail', '-c', text], {
      cwd: folder,
      env: {
        PATH: `${folder}:${process.env['PATH'] ?? ''}`,
        REAL: plane.kubectlPath,
        POD: join(folder, 'pod.json'),
        KUBECONFIG: plane.users.admin.kubeconfig,
      },
    });
    expect(code, `${stderr}${stdout}`).to.equal(0);
    return objectsIn(readFileSync(join(folder, 'pod.json'), 'utf8'))[0] ?? {};
  }

  it('is pulled and placed as the API is', async () => {
    const pod = await podFor(VALUES);
    expect(at(pod, 'spec', 'imagePullSecrets')).to.deep.equal([{ name: 'registry' }, { name: 'mirror' }]);
    expect(at(pod, 'spec', 'tolerations')).to.deep.include(TAINT);
    expect(JSON.stringify(at(pod, 'spec', 'containers'))).to.include('"image":"registry.example.com/orb-platform:');
  });

  it('is made where the API names neither', async () => {
    const pod = await podFor('{}');
    expect(textAt(pod, 'metadata', 'name')).to.equal('orb-restore');
    expect(at(pod, 'spec', 'imagePullSecrets')).to.equal(undefined);
    expect(at(pod, 'spec', 'tolerations')).not.to.deep.include(TAINT);
  });
});
