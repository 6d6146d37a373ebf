import { expect } from 'chai';
import { join, resolve } from 'node:path';
import type { JsonObject } from '../../../core/json/json-value.ts';
import { readDefinitions } from '../../../hack/charts/definitions.ts';
import { textAt as memberText } from '../../../hack/control-plane/json.ts';
import { startControlPlane, type ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk, PLATFORM_NAMESPACE } from '../../../hack/control-plane/install.ts';
import {
  at,
  CI_FILES,
  CI_FOLDER,
  objectsIn,
  openHelm,
  PLATFORM_CHART,
  textAt,
  titleOf,
  type Helm,
} from '../../support/cluster/platform-chart.ts';

const root = resolve(import.meta.dirname, '../../..');
const isOurs = (object: JsonObject): boolean => textAt(object, 'apiVersion').startsWith('orbs.dev/');
const jsonOf = (objects: readonly object[]): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });

const definitionsOf = (plane: ControlPlane): Promise<string> =>
  kubectlOk(plane, ['get', 'crd', '-o', 'jsonpath={.items[*].metadata.uid} {.items[*].spec}']);

/** Where a dry run meets nothing that is there. */
const OTHER = 'orb-dry-run';

const CANARY = [
  'Orb orb-system/orbs.canary-1.0.0',
  'Orbiset orb-system/orb-canary',
  'OrbSignalSource orb-system/orb-canary',
];

// There is no kubelet: hooks would wait for their pods.
const INSTALL = ['orb', PLATFORM_CHART, '-n', PLATFORM_NAMESPACE, '--create-namespace', '--no-hooks'];

describe('the charts on a real API server', () => {
  let plane: ControlPlane;
  let helm: Helm;
  before(async () => {
    plane = await startControlPlane();
    helm = await openHelm(plane.users.admin.kubeconfig);
    await kubectlOk(plane, ['create', 'namespace', OTHER]);
  });
  after(async () => {
    helm.remove();
    await plane.stop();
  });

  const helmOk = async (args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await helm.run(args);
    if (code !== 0) throw new Error(`helm ${args.join(' ')}:\n${stderr}${stdout}`);
    return stdout;
  };

  it('is installed on an empty cluster by one command', async () => {
    const said = await helmOk(['install', ...INSTALL]);
    expect(said).to.contain('There is no Prometheus');
    const found = await kubectlOk(plane, ['get', 'deployments', '-n', PLATFORM_NAMESPACE, '-o', 'name']);
    expect(found.trim().split('\n')).to.deep.equal([
      'deployment.apps/orb-api',
      'deployment.apps/orb-operator',
      'deployment.apps/orb-status-prober',
    ]);
  });

  it('opens the way to the API servers that the cluster has', async () => {
    const text = await kubectlOk(plane, [
      'get',
      'networkpolicy',
      'orb-operator',
      '-n',
      PLATFORM_NAMESPACE,
      '-o',
      'json',
    ]);
    const slices = await kubectlOk(plane, ['get', 'endpointslice', 'kubernetes', '-n', 'default', '-o', 'json']);
    const [address] = /(?<="addresses": \[\s*")[^"]+/.exec(slices) ?? ['no address'];
    expect(text).to.contain(`${address}/32`).and.to.contain(String(plane.server.port));
    expect(text).not.to.contain('10.0.0.0/8');
  });

  it('leaves definitions as they are where an upgrade, or the way back, is told to, and takes them again', async () => {
    const before = await definitionsOf(plane);
    expect(before).to.include('OrbPublication');
    await helmOk(['upgrade', ...INSTALL, '--set', 'crds.enabled=false']);
    expect(await helmOk(['get', 'manifest', 'orb', '-n', PLATFORM_NAMESPACE])).not.to.include(
      'CustomResourceDefinition',
    );
    expect(await definitionsOf(plane)).to.equal(before);
    await helmOk(['upgrade', ...INSTALL, '--reset-values']);
    expect(await definitionsOf(plane)).to.equal(before);
  });

  it('makes the Orb of the example after the operator, keeps its certificate, and takes it away', async () => {
    const secret = (): Promise<string> =>
      kubectlOk(plane, ['get', 'secret', 'orb-example-tls', '-n', 'orb-example', '-o', 'json']);
    await helmOk(['upgrade', ...INSTALL, '--set', 'example.enabled=true']);
    const tls = at(objectsIn(await secret())[0], 'data');
    const hooks = objectsIn(await helmOk(['get', 'hooks', 'orb', '-n', PLATFORM_NAMESPACE])).filter(isOurs);
    expect(hooks.map(titleOf)).to.have.members([
      'Orb orb-example/example.echo-1.0.0',
      'Orbiset orb-example/default',
      ...CANARY,
    ]);
    // Without a policy of their own hooks are deleted before they are made again.
    const policies = hooks.map((hook) => textAt(hook, 'metadata', 'annotations', 'helm.sh/hook-delete-policy'));
    expect(policies).to.deep.equal(hooks.map(() => 'hook-failed'));
    await kubectlOk(plane, ['wait', '--for=condition=Established', '--timeout=30s', 'crd/orbs.orbs.dev']);
    await kubectlOk(plane, ['apply', '--server-side', '-f', '-'], jsonOf(hooks));
    await helmOk(['upgrade', ...INSTALL, '--set', 'example.enabled=true', '--set', 'logLevel=debug']);
    expect(at(objectsIn(await secret())[0], 'data')).to.deep.equal(tls);
    await helmOk(['upgrade', ...INSTALL, '--reset-values']);
    const [namespace] = objectsIn(await kubectlOk(plane, ['get', 'namespace', 'orb-example', '-o', 'json']));
    // Its end takes the namespace controller up to a minute.
    expect(at(namespace, 'metadata')).to.have.property('deletionTimestamp');
  });

  it('leaves the definitions and the claim of the ledger', async () => {
    await helmOk(['uninstall', 'orb', '-n', PLATFORM_NAMESPACE, '--no-hooks']);
    const kinds = 'crd,clusterrole,clusterrolebinding,role,rolebinding,deployment,service,configmap,networkpolicy,pvc';
    const query = ['get', kinds, '-A', '-l', 'app.kubernetes.io/part-of=orb-platform', '-o', 'json'];
    const [found] = objectsIn(await kubectlOk(plane, query));
    const items = at(found, 'items');
    const titles = (Array.isArray(items) ? items : []).map((item) => titleOf(objectsIn(JSON.stringify(item))[0] ?? {}));
    expect(titles.filter((title) => !title.includes(' orb-example/'))).to.have.members([
      'CustomResourceDefinition /orbs.orbs.dev',
      'CustomResourceDefinition /orbisets.orbs.dev',
      'CustomResourceDefinition /orbpolicies.orbs.dev',
      'CustomResourceDefinition /orbpublications.orbs.dev',
      'CustomResourceDefinition /orbsignalsources.orbs.dev',
      'PersistentVolumeClaim orb-system/orb-ledger',
    ]);
  });

  it('accepts the values for Cilium, which close what is public', async () => {
    const values = ['-n', OTHER, '-f', join(root, 'docs/network/cilium-values.yaml')];
    const objects = objectsIn(await helm.render(values)).filter(({ kind }) => kind === 'NetworkPolicy');
    const args = ['apply', '--server-side', '--dry-run=server', '-f', '-'];
    const said = await kubectlOk(plane, args, jsonOf(objects));
    expect(said.trim().split('\n')).to.have.length(objects.length);
    expect(said).to.include('networkpolicy.networking.k8s.io/orb-api serverside-applied');
  });

  describe('with the kinds of Prometheus, cert-manager and the Gateway API', () => {
    before(async () => {
      const all = await readDefinitions(root, () => undefined);
      const others = all.filter((one) => memberText(one, 'spec', 'group') !== 'orbs.dev');
      const names = others.map((one) => `crd/${memberText(one, 'metadata', 'name')}`);
      await kubectlOk(plane, ['apply', '--server-side', '-f', '-'], jsonOf(others));
      await kubectlOk(plane, ['wait', '--for=condition=Established', '--timeout=30s', ...names]);
    });

    for (const file of CI_FILES) {
      // Our own definitions are there by now: Orbs are judged too.
      it(`accepts everything that ci/${file} renders`, async () => {
        const place = ['-n', OTHER, '--set', 'example.namespace=default', '--api-versions', 'monitoring.coreos.com/v1'];
        const objects = objectsIn(await helm.render(['-f', join(CI_FOLDER, file), ...place]));
        const args = ['apply', '--server-side', '--force-conflicts', '--dry-run=server', '-f', '-'];
        const said = await kubectlOk(plane, args, jsonOf(objects));
        expect(said.trim().split('\n')).to.have.length(objects.length);
      });
    }

    it('accepts a Gateway’s route', async () => {
      const route = [
        '--set',
        'gateway.enabled=true,gateway.parentRefs[0].name=web,gateway.hostnames[0]=orbs.example.com',
      ];
      const objects = objectsIn(await helm.render(['-n', OTHER, ...route])).filter(({ kind }) => kind === 'HTTPRoute');
      const said = await kubectlOk(plane, ['apply', '--server-side', '--dry-run=server', '-f', '-'], jsonOf(objects));
      expect(said).to.contain('httproute.gateway.networking.k8s.io/orb-api serverside-applied');
    });
  });
});
