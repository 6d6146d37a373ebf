import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import type { JsonObject, JsonValue } from '../../../core/json/json-value.ts';
import { startControlPlane, type ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk, PLATFORM_NAMESPACE } from '../../../hack/control-plane/install.ts';
import { at, objectsIn, openHelm, type Helm } from '../../support/cluster/platform-chart.ts';
import { page } from '../docs/fenced-blocks.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const CRDS_CHART = join(ROOT, 'charts/orb-crds');
const ARGO = objectsIn(page('gitops/argocd-platform.yaml'));
const FLUX = objectsIn(page('gitops/flux-platform.yaml'));

const named = (objects: readonly JsonObject[], kind: string, name: string): JsonObject => {
  const found = objects.find((object) => at(object, 'kind') === kind && at(object, 'metadata', 'name') === name);
  if (found === undefined) throw new TypeError(`no ${kind} ${name}`);
  return found;
};
const isHook = (object: JsonObject): boolean => at(object, 'metadata', 'annotations', 'helm.sh/hook') !== undefined;
const isPolicy = (object: JsonObject): boolean => at(object, 'kind') === 'NetworkPolicy';
const withoutPolicies = (objects: readonly JsonObject[]): readonly JsonObject[] =>
  objects.filter((object) => !isPolicy(object));
const listOf = (objects: readonly JsonObject[]): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
const versionOf = (chart: string): unknown => {
  const value: unknown = parse(readFileSync(join(ROOT, 'charts', chart, 'Chart.yaml'), 'utf8'));
  return typeof value === 'object' && value !== null ? Reflect.get(value, 'version') : undefined;
};

describe('the platform, as Argo CD and Flux install it', function suite() {
  this.timeout(120_000);
  let plane: ControlPlane;
  let helm: Helm;
  let folder: string;
  const argoValues = at(named(ARGO, 'Application', 'orb'), 'spec', 'source', 'helm', 'valuesObject');
  const fluxValues = at(named(FLUX, 'HelmRelease', 'orb-platform'), 'spec', 'values');

  before(async () => {
    plane = await startControlPlane();
    helm = await openHelm(plane.users.admin.kubeconfig);
    folder = mkdtempSync(join(tmpdir(), 'orb-gitops-'));
    await kubectlOk(plane, ['create', 'namespace', PLATFORM_NAMESPACE]);
  });
  after(async () => {
    helm.remove();
    rmSync(folder, { recursive: true });
    await plane.stop();
  });

  const valuesFile = (values: JsonValue | undefined): string => {
    const path = join(folder, 'values.json');
    writeFileSync(path, JSON.stringify(values));
    return path;
  };
  /** What Argo CD makes of the chart: rendered without a cluster; hooks are run apart. */
  const rendered = async (values: JsonValue | undefined): Promise<readonly JsonObject[]> =>
    objectsIn(await helm.render(['-f', valuesFile(values)])).filter((object) => !isHook(object));

  const pinned: readonly (readonly [what: string, version: unknown, chart: string])[] = [
    ['Argo CD', at(named(ARGO, 'Application', 'orb-crds'), 'spec', 'source', 'targetRevision'), 'orb-crds'],
    ['Argo CD', at(named(ARGO, 'Application', 'orb'), 'spec', 'source', 'targetRevision'), 'orb-platform'],
    ['Flux', at(named(FLUX, 'OCIRepository', 'orb-crds'), 'spec', 'ref', 'tag'), 'orb-crds'],
    ['Flux', at(named(FLUX, 'OCIRepository', 'orb-platform'), 'spec', 'ref', 'tag'), 'orb-platform'],
  ];
  for (const [what, version, chart] of pinned)
    it(`the example of ${what} names the present version of ${chart}`, () => {
      expect(version).to.equal(versionOf(chart));
    });

  it('the release of Argo CD has the name of its Application, which it writes into the label of the instance', () => {
    const application = named(ARGO, 'Application', 'orb');
    expect(at(application, 'spec', 'source', 'helm', 'releaseName')).to.equal(at(application, 'metadata', 'name'));
  });

  it('a second render is the same as the first: nothing is out of sync by chance', async () => {
    expect(await rendered(argoValues)).to.deep.equal(await rendered(argoValues));
  });

  it('is the same for both but for the addresses, which Flux can ask for', async () => {
    expect(withoutPolicies(await rendered(argoValues))).to.deep.equal(withoutPolicies(await rendered(fluxValues)));
    const policies = (await rendered(argoValues)).filter(isPolicy);
    expect(JSON.stringify(policies)).to.contain('"cidr":"192.0.2.10/32"').and.not.contain('"cidr":"10.0.0.0/8"');
  });

  it('is applied in the order of the waves, and has no difference then', async () => {
    const crds = await helm.run(['template', 'orb-crds', CRDS_CHART]);
    await kubectlOk(plane, ['apply', '--server-side', '-f', '-'], crds.stdout);
    const platform = listOf(await rendered(argoValues));
    await kubectlOk(plane, ['apply', '--server-side', '-n', PLATFORM_NAMESPACE, '-f', '-'], platform);
    for (const input of [crds.stdout, platform]) {
      const args = ['diff', '--server-side', '-n', PLATFORM_NAMESPACE, '-f', '-'];
      expect(await plane.kubectl(args, { input })).to.deep.equal({ code: 0, stdout: '', stderr: '' });
    }
  });
});
