import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../core/json/json-value.ts';
import { at, objectsIn, openHelm, textAt, titleOf, type Helm } from '../../support/cluster/platform-chart.ts';

const COMPONENTS = [
  ['operator', 'orb-operator'],
  ['api', 'orb-api'],
  ['statusProber', 'orb-status-prober'],
] as const;
const MONITORED = ['-a', 'monitoring.coreos.com/v1'];
const RIGHTS = new Set(['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding']);

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

const listAt = (value: JsonValue | undefined, name: string): readonly JsonValue[] => {
  const found = at(value, name);
  return isList(found) ? found : [];
};

const containerOf = (pod: JsonValue | undefined): JsonValue | undefined => listAt(pod, 'containers')[0];

const isRight = (object: JsonObject): boolean => RIGHTS.has(textAt(object, 'kind'));

const named = (objects: readonly JsonObject[], kind: string, name: string): JsonObject | undefined =>
  objects.find((object) => textAt(object, 'kind') === kind && textAt(object, 'metadata', 'name') === name);

/** Title and pod of each object that has one. */
const podsOf = (objects: readonly JsonObject[]): readonly (readonly [string, JsonValue | undefined])[] =>
  objects.flatMap((object) => {
    const pod = textAt(object, 'kind') === 'Pod' ? at(object, 'spec') : at(object, 'spec', 'template', 'spec');
    return pod === undefined ? [] : [[titleOf(object), pod] as const];
  });

describe('values that people of Helm expect', () => {
  let helm: Helm;
  before(async () => {
    helm = await openHelm();
  });
  after(() => helm.remove());

  const rendered = async (values: object, args: readonly string[] = []): Promise<readonly JsonObject[]> => {
    const sets = Object.entries(values).flatMap(([name, value]) => ['--set-json', `${name}=${JSON.stringify(value)}`]);
    return objectsIn(await helm.render([...sets, ...args]));
  };

  it('take Secrets to pull images with by name and by {name}, mixed and from global', async () => {
    const values = { 'global.imagePullSecrets': ['a', { name: 'b' }], imagePullSecrets: [{ name: 'c' }, 'd'] };
    const pods = podsOf(await rendered({ ...values, 'example.enabled': true }));
    expect(pods).to.have.length.above(5);
    const wanted = ['a', 'b', 'c', 'd'].map((name) => ({ name }));
    for (const [title, pod] of pods) expect(at(pod, 'imagePullSecrets'), title).to.deep.equal(wanted);
  });

  for (const [group, name] of COMPONENTS) {
    it(`give ${name} annotations, flags, variables, volumes, mounts and times of probes`, async () => {
      const objects = await rendered({
        extraEnv: [
          { name: 'TZ', value: 'UTC' },
          { name: 'LANG', value: 'C' },
        ],
        [`${group}.serviceAccount.annotations`]: { 'example.com/role': 'arn:1' },
        [`${group}.extraArgs`]: ['--further=1'],
        [`${group}.extraEnv`]: [{ name: 'TZ', value: 'Asia/Tokyo' }],
        [`${group}.extraVolumes`]: [{ name: 'more', configMap: { name: 'more' } }],
        [`${group}.extraVolumeMounts`]: [{ name: 'more', mountPath: '/more', readOnly: true }],
        [`${group}.startupProbe`]: { failureThreshold: 999 },
        [`${group}.livenessProbe`]: { initialDelaySeconds: 7 },
        [`${group}.readinessProbe`]: { successThreshold: 2 },
      });
      const annotations = { 'example.com/role': 'arn:1' };
      expect(at(named(objects, 'ServiceAccount', name), 'metadata', 'annotations')).to.deep.equal(annotations);
      const pod = at(named(objects, 'Deployment', name), 'spec', 'template', 'spec');
      const container = containerOf(pod);
      expect(listAt(container, 'args').at(-1)).to.equal('--further=1');
      const variables = listAt(container, 'env').slice(3);
      expect(variables).to.deep.equal([
        { name: 'LANG', value: 'C' },
        { name: 'TZ', value: 'Asia/Tokyo' },
      ]);
      expect(listAt(pod, 'volumes')).to.deep.include({ name: 'more', configMap: { name: 'more' } });
      expect(listAt(container, 'volumeMounts')).to.deep.include({ name: 'more', mountPath: '/more', readOnly: true });
      expect(at(container, 'startupProbe')).to.include({ periodSeconds: 1, failureThreshold: 999 });
      expect(at(container, 'livenessProbe')).to.include({ periodSeconds: 10, initialDelaySeconds: 7 });
      const periodSeconds = group === 'statusProber' ? 5 : 2;
      expect(at(container, 'readinessProbe')).to.include({ periodSeconds, successThreshold: 2 });
      expect(textAt(container, 'readinessProbe', 'httpGet', 'path')).to.equal('/readyz');
    });
  }

  it('annotate the ServiceAccount of the Job that makes the keys, which stays a hook', async () => {
    const objects = await rendered({ 'hooks.serviceAccount.annotations': { a: 'b' } });
    const annotations = at(named(objects, 'ServiceAccount', 'orb-ledger-init'), 'metadata', 'annotations');
    expect(annotations).to.include({ a: 'b', 'helm.sh/hook': 'pre-install,pre-upgrade' });
  });

  it('leave the user of every pod to the cluster, and never make it root', async () => {
    const free = { runAsUser: null, runAsGroup: null, fsGroup: null, supplementalGroups: [7] };
    const sets = Object.entries(free).map(([name, value]) => [`podSecurityContext.${name}`, value] as const);
    const selinux = { 'containerSecurityContext.seLinuxOptions': { level: 's0:c1,c2' } };
    for (const [title, pod] of podsOf(await rendered({ ...Object.fromEntries(sets), ...selinux }))) {
      expect(at(pod, 'securityContext'), title).to.deep.equal({
        runAsNonRoot: true,
        fsGroupChangePolicy: 'OnRootMismatch',
        supplementalGroups: [7],
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(at(containerOf(pod), 'securityContext'), title).to.deep.equal({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
        readOnlyRootFilesystem: true,
        seLinuxOptions: { level: 's0:c1,c2' },
      });
    }
  });

  it('make no right with rbac.create=false, and every other object', async () => {
    const more = { 'example.enabled': true, 'operator.manifests.configMap': 'a' };
    const all = await rendered(more);
    const without = await rendered({ ...more, 'rbac.create': false });
    expect(all.filter(isRight)).to.have.length.above(10);
    expect(without.map(titleOf)).to.have.members(all.filter((object) => !isRight(object)).map(titleOf));
  });

  it('say how the platform is scraped', async () => {
    const values = {
      'metrics.serviceMonitor.interval': '30s',
      'metrics.serviceMonitor.scrapeTimeout': '9s',
      'metrics.serviceMonitor.relabelings': [{ targetLabel: 'cluster', replacement: 'east' }],
      'metrics.serviceMonitor.metricRelabelings': [{ action: 'drop', sourceLabels: ['__name__'], regex: 'nodejs_.*' }],
    };
    const [endpoint] = listAt(
      at(named(await rendered(values, MONITORED), 'ServiceMonitor', 'orb-api'), 'spec'),
      'endpoints',
    );
    expect(endpoint).to.deep.equal({
      port: 'metrics',
      interval: '30s',
      scrapeTimeout: '9s',
      relabelings: [
        { targetLabel: 'job', replacement: 'orb-api' },
        { targetLabel: 'cluster', replacement: 'east' },
      ],
      metricRelabelings: [{ action: 'drop', sourceLabels: ['__name__'], regex: 'nodejs_.*' }],
    });
  });

  it('take decimal quantities, as text and as number', async () => {
    const limits = { cpu: 0.5, memory: '1.5Gi' };
    const size = { 'ledger.persistence.size': '0.5Ti' };
    const objects = await rendered({ 'api.resources.limits': limits, 'operator.resources.limits.cpu': '0.5', ...size });
    const pod = at(named(objects, 'Deployment', 'orb-api'), 'spec', 'template', 'spec');
    expect(at(containerOf(pod), 'resources', 'limits')).to.include(limits);
    expect(
      textAt(named(objects, 'PersistentVolumeClaim', 'orb-ledger'), 'spec', 'resources', 'requests', 'storage'),
    ).to.equal('0.5Ti');
  });

  const refusals: readonly (readonly [string, object, string])[] = [
    ['a root user', { 'podSecurityContext.runAsUser': 0 }, '/podSecurityContext/runAsUser'],
    ['root by leave', { 'podSecurityContext.runAsNonRoot': false }, '/podSecurityContext/runAsNonRoot'],
    ['more rights', { 'containerSecurityContext.allowPrivilegeEscalation': true }, '/allowPrivilegeEscalation'],
    ['a capability', { 'containerSecurityContext.capabilities.add': ['NET_ADMIN'] }, "additional properties 'add'"],
    ['a flag of the chart', { 'api.extraArgs': ['--data=/x'] }, 'api.extraArgs: --data is set by the chart'],
    ['a flag of operator', { 'operator.extraArgs': ['--workers=9'] }, '--workers is set by the chart'],
    ['a flag of the prober', { 'statusProber.extraArgs': ['--deadline=9s'] }, '--deadline is set by the chart'],
    ['a word that is no flag', { 'api.extraArgs': ['serve'] }, '/api/extraArgs/0'],
    ['a variable of the chart', { 'api.extraEnv': [{ name: 'POD_UID', value: 'a' }] }, "POD_UID is the chart's own"],
    ['a volume of the node', { 'api.extraVolumes': [{ name: 'a', hostPath: { path: '/' } }] }, "'hostPath'"],
    ['a volume of the chart', { 'api.extraVolumes': [{ name: 'data', emptyDir: {} }] }, "data is the chart's own"],
    ['a mount of nothing', { 'api.extraVolumeMounts': [{ name: 'a', mountPath: '/a' }] }, 'a is no volume of'],
    [
      'a mount over the keys',
      {
        'api.extraVolumes': [{ name: 'a', emptyDir: {} }],
        'api.extraVolumeMounts': [{ name: 'a', mountPath: '/etc/orb/keys' }],
      },
      "/etc/orb/keys is a folder of the chart's",
    ],
    ['a probe of never', { 'api.livenessProbe': { periodSeconds: 0 } }, '/api/livenessProbe/periodSeconds'],
    ['a probe elsewhere', { 'api.livenessProbe': { httpGet: { path: '/' } } }, "additional properties 'httpGet'"],
    [
      'a scrape longer than its interval',
      { 'metrics.serviceMonitor.scrapeTimeout': '1m' },
      'at most the interval, 15s',
    ],
    [
      'another interval than failover reads by',
      { 'prometheus.url': 'http://a', 'metrics.serviceMonitor.interval': '30s' },
      'differs from prometheus.scrapeInterval',
    ],
    [
      'another job',
      { 'metrics.serviceMonitor.relabelings': [{ targetLabel: 'job', replacement: 'a' }] },
      "job is the chart's own label",
    ],
  ];
  for (const [why, values, message] of refusals)
    it(`refuse ${why}`, async () => {
      const found = await rendered(values).then(JSON.stringify, String);
      expect(found).to.contain(message);
    });
});
