import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOperator, type Part } from '../../../hack/cluster/parts.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { waitFor } from '../../support/wait-for.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { aManifest } from '../../unit/core/manifest/a-manifest.ts';
import { NAMESPACE } from './a-loader.ts';

describe('an operator with --manifests', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orb-manifests-'));
  let plane: ControlPlane;
  let operator: Part;

  before(async () => {
    plane = await sharedControlPlane();
    writeFileSync(join(folder, 'good.json'), JSON.stringify(aManifest()));
    writeFileSync(join(folder, 'bad.yaml'), 'orb_id: acme.bad@1.0.0\nprovider: yes\n');
    operator = await startOperator({ plane, flags: ['--manifests', folder], instance: 'operator-with-manifests' });
  });
  after(async () => {
    await operator.process.stop();
    rmSync(folder, { recursive: true });
    await kubectlOk(plane, ['delete', 'orbs', '--all', '-n', NAMESPACE]);
  });

  it('makes the Orb of a good file, which becomes Ready', async () => {
    const ready = await waitFor(async () => {
      const path = 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].reason}';
      return (await kubectlOk(plane, ['get', 'orbs', '-n', NAMESPACE, '-o', path])) === 'Ready' ? true : undefined;
    }, 30_000);
    expect(ready, operator.process.tail()).to.equal(true);
  });

  it('reports a bad file by an Event on its Lease, having no Pod, and in its metrics', async () => {
    const path = 'jsonpath={range .items[?(@.reason=="ManifestRefused")]}{.involvedObject.kind} {.message}{"\\n"}{end}';
    const event = await waitFor(async () => {
      const found = await kubectlOk(plane, ['get', 'events', '-n', NAMESPACE, '-o', path]);
      return found.includes('Lease') ? found : undefined;
    }, 30_000);
    expect(event).to.match(/^Lease bad\.yaml:2 \/provider: /m);
    const metrics = await (await fetch(operator.metricsUrl)).text();
    expect(metrics).to.include('orb_manifest_loader_files{state="refused"} 1');
    expect(metrics).to.include('orb_manifest_loader_writes_total{verb="apply",result="success"} 1');
  });
});
