import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { allowed } from '../../../adapters/egress/ranges.ts';
import { EXIT } from '../../../cli/io/failure.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
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
const FILES = join(root, 'charts/orb-platform/files');
const RBAC_KINDS = new Set(['ServiceAccount', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding']);
const EVERYTHING = ['-f', join(CI_FOLDER, 'everything-values.yaml')];
const MONITORING = ['--api-versions', 'monitoring.coreos.com/v1'];

const committed = (folder: string, without: readonly string[] = []): readonly JsonObject[] =>
  readdirSync(join(FILES, folder))
    .filter((file) => !without.includes(file))
    .flatMap((file) => objectsIn(readFileSync(join(FILES, folder, file), 'utf8')));

/** Without what the release adds: its labels, and the annotations of hooks. */
function bare(object: JsonObject): JsonObject {
  const { labels, annotations: _, ...metadata } = objectAt(object, 'metadata');
  const own = Object.entries(isJsonObject(labels) ? labels : {}).filter(
    ([name]) => name === 'app.kubernetes.io/name' || name.startsWith('rbac.authorization.k8s.io/'),
  );
  return { ...object, metadata: { ...metadata, labels: Object.fromEntries(own) } };
}

function objectAt(value: JsonValue | undefined, ...path: readonly string[]): JsonObject {
  const found = at(value, ...path);
  return isJsonObject(found) ? found : {};
}

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

const listAt = (value: JsonValue | undefined, ...path: readonly string[]): readonly JsonValue[] => {
  const found = at(value, ...path);
  return isList(found) ? found : [];
};

const sorted = (objects: readonly JsonObject[]): readonly JsonObject[] =>
  objects.map(bare).toSorted((one, other) => (titleOf(one) < titleOf(other) ? -1 : 1));

const groupsOf = (objects: readonly JsonObject[]): readonly JsonValue[] =>
  objects
    .filter((object) => textAt(object, 'kind') === 'PrometheusRule')
    .flatMap((object) => listAt(object, 'spec', 'groups'));

const isTest = (object: JsonObject): boolean => at(object, 'metadata', 'annotations', 'helm.sh/hook') === 'test';

const rbacOf = (objects: readonly JsonObject[]): readonly JsonObject[] =>
  sorted(objects.filter((object) => RBAC_KINDS.has(textAt(object, 'kind')) && !isTest(object)));

const podSpecs = (objects: readonly JsonObject[]): readonly (readonly [string, JsonObject])[] =>
  objects.flatMap((object): readonly (readonly [string, JsonObject])[] => {
    const spec = at(object, 'kind') === 'Pod' ? at(object, 'spec') : at(object, 'spec', 'template', 'spec');
    return isJsonObject(spec) ? [[titleOf(object), spec]] : [];
  });

describe('the chart orb-platform', () => {
  let helm: Helm;
  before(async () => {
    helm = await openHelm();
  });
  after(() => helm.remove());

  const render = async (args: readonly string[] = []): Promise<readonly JsonObject[]> =>
    objectsIn(await helm.render(args));

  it('renders the committed RBAC and nothing else', async () => {
    expect(rbacOf(await render())).to.deep.equal(sorted(committed('rbac', ['manifest-loader.yaml'])));
  });

  it('adds the right of the manifest loader with a manifest folder alone', async () => {
    expect(rbacOf(await render(EVERYTHING))).to.deep.equal(sorted(committed('rbac')));
  });

  it('leaves out the rights of the prober where nobody measures', async () => {
    const objects = await render(['--set', 'statusProber.enabled=false']);
    expect(rbacOf(objects)).to.deep.equal(sorted(committed('rbac', ['manifest-loader.yaml', 'status-prober.yaml'])));
    const text = JSON.stringify(objects.filter((object) => titleOf(object) !== 'CustomResourceDefinition /'));
    expect(text.match(/orb-canary|status-prober/g)).to.equal(null);
  });

  it('leaves out the alerts about the rounds of checks where nobody measures, and no other ones', async () => {
    const all = groupsOf(await render(MONITORING));
    const without = groupsOf(await render([...MONITORING, '--set', 'statusProber.enabled=false']));
    expect(all.map((group) => textAt(group, 'name'))).to.include('orb_status');
    expect(without).to.deep.equal(all.filter((group) => textAt(group, 'name') !== 'orb_status'));
  });

  it('takes from the operator every right to write RoleBindings where tenants decide', async () => {
    const without = ['manifest-loader.yaml', 'operator-vault.yaml'];
    expect(rbacOf(await render(['--set', 'rbac.vault=tenant']))).to.deep.equal(sorted(committed('rbac', without)));
  });

  it('renders the committed admission policies', async () => {
    const policies = (await render()).filter((object) => textAt(object, 'kind').startsWith('ValidatingAdmission'));
    expect(sorted(policies)).to.deep.equal(sorted(committed('admission')));
  });

  it('writes the namespace of the release wherever orb-system stands', async () => {
    const text = await helm.render(['-n', 'elsewhere', '--set', 'example.enabled=true', ...MONITORING]);
    expect(text).not.to.contain('orb-system');
    expect(text).to.contain('system:serviceaccount:elsewhere:orb-api');
  });

  it('renders the resource definitions as they are generated, kept at uninstall', async () => {
    const folder = join(root, 'crds/definitions');
    const expected = readdirSync(folder).flatMap((file) => objectsIn(readFileSync(join(folder, file), 'utf8')));
    const found = (await render()).filter((object) => at(object, 'kind') === 'CustomResourceDefinition');
    const kept = found.map((object) => at(object, 'metadata', 'annotations', 'helm.sh/resource-policy'));
    const plain = found.map((object) => {
      const { annotations: _, ...metadata } = objectAt(object, 'metadata');
      return { ...object, metadata };
    });
    expect(kept).to.deep.equal(expected.map(() => 'keep'));
    expect(plain).to.have.deep.members([...expected]);
  });

  it('renders every group of rules, with the runbooks where they were said to be', async () => {
    const files = ['prometheus', 'alerts'].flatMap((folder) => committed(folder));
    const [rule] = (await render([...EVERYTHING, ...MONITORING])).filter((one) => at(one, 'kind') === 'PrometheusRule');
    const text = JSON.stringify(files.flatMap((file) => listAt(file, 'groups')));
    const moved = text.replaceAll('"docs/runbooks/', '"https://runbooks.example.com/orbs/');
    expect(JSON.stringify(listAt(rule, 'spec', 'groups'))).to.equal(moved);
  });

  it('renders no object of a kind that the cluster may not know', async () => {
    expect(await helm.render()).not.to.contain('monitoring.coreos.com');
  });

  it('lets no network range through to providers that the dialer refuses', async () => {
    const [policy] = (await render()).filter((object) => titleOf(object) === 'NetworkPolicy orb-system/orb-api');
    const blocks = listAt(policy, 'spec', 'egress').flatMap((rule) =>
      listAt(rule, 'to').flatMap((peer) => listAt(peer, 'ipBlock', 'except')),
    );
    expect(blocks.map(String).filter((cidr) => allowed(cidr.replace(/\/\d+$/, '')))).to.deep.equal([]);
    expect(blocks).to.include.members(['10.0.0.0/8', '169.254.0.0/16', '100.64.0.0/10', '2002::/16']);
  });

  it('lets nobody scrape where nobody is named', async () => {
    const alone = 'networkPolicy.prometheus.peers=null,statusProber.enabled=false';
    const policies = (await render(['--set', alone])).filter((object) =>
      ['orb-api', 'orb-operator'].includes(textAt(object, 'metadata', 'name')),
    );
    const ports = policies.flatMap((policy) =>
      listAt(policy, 'spec', 'ingress').flatMap((rule) => listAt(rule, 'ports').map((port) => at(port, 'port'))),
    );
    expect(ports).to.deep.equal([8443]);
    // A list that is null is none to a strict validator.
    expect(policies.filter((policy) => at(policy, 'spec', 'ingress') === null).map(titleOf)).to.deep.equal([]);
  });

  it('lets helm test in wherever it lets anybody in', async () => {
    const [policy] = (await render(['--set', 'networkPolicy.api.from[0].namespaceSelector.matchLabels.a=b'])).filter(
      (one) => titleOf(one) === 'NetworkPolicy orb-system/orb-api',
    );
    const rule = listAt(policy, 'spec', 'ingress').findLast((one) => at(listAt(one, 'ports')[0], 'port') === 8443);
    const peers = listAt(rule, 'from');
    const labels = (await render())
      .filter((object) => isTest(object) && at(object, 'kind') === 'Pod')
      .map((pod) => objectAt(pod, 'metadata', 'labels'));
    const selector = objectAt(peers.at(-1), 'podSelector', 'matchLabels');
    expect(peers).to.have.length(2);
    expect(Object.keys(selector)).to.have.length(3);
    expect(labels.filter((own) => Object.entries(selector).some(([name, value]) => own[name] !== value))).to.deep.equal(
      [],
    );
    expect(labels).to.have.length.above(0);
  });

  it('renders no NetworkPolicy and one operator where that is wanted', async () => {
    const objects = await render(['--set', 'networkPolicy.enabled=false,operator.replicas=1']);
    expect(objects.filter((object) => at(object, 'kind') === 'NetworkPolicy')).to.deep.equal([]);
    const operator = objects.find((object) => titleOf(object) === 'Deployment orb-system/orb-operator');
    expect(at(operator, 'spec', 'replicas')).to.equal(1);
  });

  it('denies further ranges only where something is let through', async () => {
    const denied = 'networkPolicy.deniedCidrs={fd00::/8,2a00:1::/32,5.6.7.0/24}';
    const [policy] = (await render(['--set', denied])).filter(
      (one) => titleOf(one) === 'NetworkPolicy orb-system/orb-api',
    );
    const except = listAt(policy, 'spec', 'egress').flatMap((rule) =>
      listAt(rule, 'to').flatMap((peer) => listAt(peer, 'ipBlock', 'except')),
    );
    expect(except).to.include.members(['2a00:1::/32', '5.6.7.0/24']).and.not.to.include('fd00::/8');
  });

  it('labels with the name of a release that looks like a number', async () => {
    const { stdout } = await helm.run(['template', '1e5', PLATFORM_CHART, ...EVERYTHING, ...MONITORING]);
    const said = JSON.stringify(objectsIn(stdout)).match(/(?<="app\.kubernetes\.io\/instance":)[^,}]+/g);
    expect([...new Set(said)]).to.deep.equal(['"1e5"']);
  });

  it('writes a label once, whoever asks for it', async () => {
    const labels = ['commonLabels', 'api.podLabels', 'metrics.serviceMonitor.labels'].map(
      (name) => `${name}.team=${name}`,
    );
    const text = await helm.render(['--set', labels.join(','), ...MONITORING]);
    const faults = parseAllDocuments(text).flatMap(({ errors }) => errors.map(String));
    const [monitor] = objectsIn(text).filter((object) => at(object, 'kind') === 'ServiceMonitor');
    expect(faults).to.deep.equal([]);
    expect(at(monitor, 'metadata', 'labels', 'team')).to.equal('metrics.serviceMonitor.labels');
  });

  for (const file of CI_FILES) {
    describe(`with ci/${file}`, () => {
      let objects: readonly JsonObject[];
      before(async () => {
        objects = await render(['-f', join(CI_FOLDER, file), ...MONITORING]);
      });

      it('passes helm lint --strict', async () => {
        const { code, stdout } = await helm.run([
          'lint',
          '--strict',
          join(CI_FOLDER, '..'),
          '-f',
          join(CI_FOLDER, file),
        ]);
        expect([code, stdout.match(/\[(?:WARNING|ERROR)\]/g)]).to.deep.equal([0, null]);
      });

      it('labels every object, and selects by no version', () => {
        const foreign = objects.filter(
          (object) =>
            at(object, 'metadata', 'labels', 'app.kubernetes.io/part-of') !== 'orb-platform' &&
            !textAt(object, 'metadata', 'name').startsWith('orb-extra'),
        );
        const selectors = objects.map((object) => JSON.stringify(at(object, 'spec', 'selector') ?? {}));
        expect(foreign.map(titleOf)).to.deep.equal([]);
        expect(selectors.filter((text) => /version|helm\.sh\/chart/.test(text))).to.deep.equal([]);
      });

      it('gives every pod the least rights, and a token only to who calls the Kubernetes API', () => {
        const callers = new Set([
          'Deployment orb-system/orb-operator',
          'Deployment orb-system/orb-api',
          'Job orb-system/orb-ledger-init',
        ]);
        for (const [title, spec] of podSpecs(objects)) {
          expect(at(spec, 'automountServiceAccountToken'), title).to.equal(callers.has(title));
          expect(at(spec, 'securityContext', 'runAsNonRoot'), title).to.equal(true);
          expect(at(spec, 'securityContext', 'seccompProfile', 'type'), title).to.equal('RuntimeDefault');
          for (const container of listAt(spec, 'containers')) {
            expect(at(container, 'securityContext'), title).to.deep.equal({
              allowPrivilegeEscalation: false,
              capabilities: { drop: ['ALL'] },
              readOnlyRootFilesystem: true,
            });
            expect(at(container, 'resources', 'limits', 'memory'), title).to.be.a('string');
          }
        }
      });
    });
  }

  it('sets an end to whatever Helm waits for', async () => {
    const hooks = objectsIn(await helm.render(['--set', 'example.enabled=true'])).filter(
      (object) => ['Job', 'Pod'].includes(textAt(object, 'kind')) && podSpecs([object]).length === 1,
    );
    const ends = hooks.map((object): [string, JsonValue | undefined] => [
      titleOf(object),
      at(object, 'spec', 'activeDeadlineSeconds'),
    ]);
    // Helm itself waits for 300 s.
    expect(Object.fromEntries(ends)).to.deep.equal({
      'Job orb-system/orb-ledger-init': 300,
      'Pod orb-system/orb-test-echo': 240,
      'Pod orb-system/orb-test-health': 240,
      'Pod orb-system/orb-test-status': 240,
    });
  });

  it('ends its hook at once where the keys are refused, and shows why', async () => {
    const job = objectsIn(await helm.render([])).find((object) => titleOf(object) === 'Job orb-system/orb-ledger-init');
    expect(at(job, 'metadata', 'annotations')).to.include({ 'helm.sh/hook-output-log-policy': 'hook-failed' });
    expect(at(job, 'spec', 'podFailurePolicy', 'rules')).to.deep.equal([
      {
        action: 'FailJob',
        onExitCodes: { containerName: 'ledger-init', operator: 'In', values: [EXIT.invalid, EXIT.usage] },
      },
    ]);
  });
});
