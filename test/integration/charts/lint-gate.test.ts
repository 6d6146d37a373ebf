import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { runGate, type CheckResult } from '../../../hack/charts/gate.ts';

const ROOT = resolve('.');
const silent = (): void => undefined;

// A name that Kubernetes refuses and a member that it does not know; a pod with everything that it should not have.
const BROKEN = `apiVersion: v1
kind: ConfigMap
metadata: { name: Not_A_Name }
unknown: true
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: broken, namespace: {{ .Release.Namespace }} }
spec:
  selector: { matchLabels: { app: broken, app.kubernetes.io/version: "1" } }
  template:
    metadata: { labels: { app: broken, app.kubernetes.io/version: "1" } }
    spec: { containers: [{ name: broken, image: "localhost/broken:latest" }] }
`;

function edit(path: string, from: string | RegExp, to: string): void {
  const before = readFileSync(path, 'utf8');
  const after = before.replace(from, to);
  expect(after, path).to.not.equal(before);
  writeFileSync(path, after);
}

/** A copy of the charts, and of what they are held against. */
function copyCharts(): string {
  const folder = mkdtempSync(join(tmpdir(), 'orb-lint-gate-'));
  mkdirSync(join(folder, 'crds'));
  cpSync(join(ROOT, 'charts'), join(folder, 'charts'), { recursive: true, verbatimSymlinks: true });
  cpSync(join(ROOT, 'crds/definitions'), join(folder, 'crds/definitions'), { recursive: true });
  cpSync(join(ROOT, '.oxfmtrc.json'), join(folder, '.oxfmtrc.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

describe('lint gate of the charts', function suite() {
  this.timeout(120_000);
  const folders: string[] = [];
  let results: readonly CheckResult[];

  const saidBy = (check: string): string =>
    results
      .filter((result) => result.check.startsWith(check))
      .flatMap(({ findings }) => findings.map(({ where, what }) => `${where}: ${what}`))
      .join('\n');

  before(async () => {
    const folder = copyCharts();
    folders.push(folder);
    const platform = join(folder, 'charts/orb-platform');
    writeFileSync(join(platform, 'templates/broken.yaml'), BROKEN);
    writeFileSync(join(platform, 'ci/unknown-values.yaml'), 'nobody: 1\n');
    edit(join(platform, 'values.schema.json'), '"properties": {', '"properties": { "unsaid": { "type": "object" },');
    edit(join(folder, 'charts/orb-crds/templates/orb.yaml'), /kind: Orb\n/, 'kind: Orb2\n');
    appendFileSync(join(platform, 'README.md'), 'More.\n');
    results = await runGate(folder, silent);
  });

  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  const rows: readonly (readonly [string, string, string])[] = [
    ['helm lint', 'a name that Kubernetes refuses', 'Not_A_Name'],
    ['helm template', 'values that the schema does not know', 'nobody'],
    ['kubeconform', 'a member that Kubernetes does not know', 'unknown'],
    ['kube-score', 'a pod that may write where it likes', 'broken/orb-system apps/v1/Deployment'],
    ['images and selectors', 'an image without a version', 'broken:latest has the tag latest'],
    ['images and selectors', 'a selector that ends with the version', 'its selector has app.kubernetes.io/version'],
    ['resource definitions', 'a definition that drifted', 'orbs.orbs.dev is not what crds/definitions has'],
    ['values.schema.json', 'a value that values.yaml does not name', 'unsaid is in the schema and not in values.yaml'],
    ['values.schema.json', 'an object that is not closed', '#/unsaid does not say which members it admits'],
    ['README.md', 'a README that drifted', 'is stale'],
  ];
  for (const [check, why, said] of rows)
    it(`${check} finds ${why}`, () => {
      expect(saidBy(check)).to.include(said);
    });

  it('holds every chart against the oldest and the newest Kubernetes', () => {
    expect(saidBy('kubeconform')).to.include('Kubernetes 1.33').and.include('Kubernetes 1.36');
  });
});
