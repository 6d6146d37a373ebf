import { expect } from 'chai';
import { Registry } from 'prom-client';
import { checkDocument } from '../../../core/manifest/documents.ts';
import { parseDocuments } from '../../../core/manifest/parse-text.ts';
import { compileOrb } from '../../../core/orb/compile-orb.ts';
import { createKubeMetrics } from '../../../adapters/kube/kube-metrics.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { createLoaderMetrics } from '../../../operator/loader/loader-metrics.ts';
import { operatorCommandLine } from '../../../operator/settings.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { blocksOf, page } from './fenced-blocks.ts';

const PAGES = ['first-orb-on-a-cluster.md', 'multi-tenancy.md', 'gitops.md', 'run-the-operator.md'];
const FILES = ['argocd-cm', 'argocd-application', 'argocd-platform', 'flux-kustomization', 'flux-platform'].map(
  (name) => `gitops/${name}.yaml`,
);
const NAMESPACES = ['team-maps', 'argocd', 'flux-system'];

/** Kinds of tools that are not installed here: only their names are checked. */
const stub = (group: string, version: string, kind: string): object => {
  const plural = `${kind.toLowerCase().replace(/y$/, 'ie')}s`;
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: open } } },
        },
      ],
    },
  };
};
const STUBS = [
  stub('argoproj.io', 'v1alpha1', 'Application'),
  stub('kustomize.toolkit.fluxcd.io', 'v1', 'Kustomization'),
  stub('source.toolkit.fluxcd.io', 'v1', 'OCIRepository'),
  stub('helm.toolkit.fluxcd.io', 'v2', 'HelmRelease'),
];

const setOf = (text: string, pattern: RegExp): readonly string[] =>
  [...new Set([...text.matchAll(pattern)].map(([found]) => found))].toSorted();

describe('docs', () => {
  let plane: ControlPlane;
  const namespaces = NAMESPACES.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  const around = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...STUBS, ...namespaces] });

  before(async () => {
    plane = await sharedControlPlane();
    await kubectlOk(plane, ['apply', '--server-side', '-f', '-'], around);
    await kubectlOk(plane, ['wait', 'crd', '--all', '--for=condition=Established', '--timeout=30s']);
  });
  after(async () => {
    await kubectlOk(plane, ['delete', '--ignore-not-found', '--wait=false', '-f', '-'], around);
  });

  /** Applies as the pages say, without a warning, and removes it again. */
  async function checkApplies(documents: string): Promise<void> {
    const applied = await plane.kubectl(['apply', '--server-side', '-f', '-'], { input: documents });
    await kubectlOk(plane, ['delete', '--ignore-not-found', '--wait=false', '-f', '-'], documents);
    expect({ code: applied.code, stderr: applied.stderr }).to.deep.equal({ code: 0, stderr: '' });
  }

  for (const name of PAGES) {
    const examples = blocksOf(name).filter(({ language }) => language === 'yaml');
    if (examples.length === 0) continue;
    it(`every example of ${name} is applied without a warning`, async () => {
      await checkApplies(examples.map(({ text }) => text).join('\n---\n'));
    });
  }

  const orbs = PAGES.flatMap((name) =>
    blocksOf(name)
      .filter(({ language, text }) => language === 'yaml' && text.includes('kind: Orb\n'))
      .map(({ text, line }): [string, string] => [`${name}:${line}`, text]),
  );
  for (const [where, text] of orbs)
    it(`the Orb at ${where} is valid without a finding`, () => {
      const findings = parseDocuments(text, 'yaml').flatMap((parsed) => {
        const document = parsed.ok ? checkDocument(parsed.value) : parsed;
        if (!document.ok || document.value.kind !== 'Orb') return document.findings;
        return compileOrb(document.value.manifest, { namespace: 'any', allowedOrigins: [] }).findings;
      });
      expect(findings).to.deep.equal([]);
    });

  it('the expressions for Flux compile', async () => {
    const found = [...page('gitops/flux-kustomization.yaml').matchAll(/^ +(?:failed|current): (.+)$/gm)];
    const policy = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'flux-expressions' },
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: ['orbs.dev'], apiVersions: ['*'], operations: ['UPDATE'], resources: ['orbs/status'] },
          ],
        },
        validations: found.map(([, expression = '']) => ({
          expression: expression.replaceAll(/\bstatus\.conditions/g, 'object.status.conditions'),
        })),
      },
    };
    expect(policy.spec.validations).to.have.length(4);
    await kubectlOk(plane, ['create', '--dry-run=server', '-f', '-'], JSON.stringify(policy));
  });

  for (const name of FILES)
    it(`${name} is applied without a warning`, async () => {
      await checkApplies(page(name));
    });

  for (const name of PAGES)
    it(`every block of ${name} is of a kind that is tested, or plainly not a command to run`, () => {
      expect(blocksOf(name).filter(({ language }) => !['yaml', 'sh', 'console'].includes(language))).to.deep.equal([]);
    });

  it('run-the-operator.md names every flag of the operator, and no other', () => {
    const flag = /--[a-z][a-z-]+/g;
    const table = page('run-the-operator.md')
      .split('## Flags')[1]
      ?.split('## Metrics')[0]
      ?.split('\n')
      .filter((row) => row.startsWith('|'));
    const own = operatorCommandLine({}).flags.map(({ name }) => `--${name}`);
    expect(setOf(table?.join('\n') ?? '', flag)).to.deep.equal(own.toSorted());
  });

  it('run-the-operator.md names every metric of the operator, and no other', async () => {
    const registry = new Registry();
    createKubeMetrics(registry);
    createLoaderMetrics(registry);
    const metrics = await registry.getMetricsAsJSON();
    const table = page('run-the-operator.md').split('## Metrics')[1] ?? '';
    const named = setOf(table, /`(?:orb|controller|workqueue|rest|leader)_[a-z_]+`/g);
    expect(named).to.deep.equal(metrics.map((metric) => `\`${metric.name}\``).toSorted());
  });
});
