import { expect } from 'chai';
import { join } from 'node:path';
import { parseSettings as parseApi } from '../../../api-server/settings.ts';
import type { JsonObject, JsonValue } from '../../../core/json/json-value.ts';
import { parseSettings as parseOperator } from '../../../operator/settings.ts';
import {
  at,
  CI_FOLDER,
  objectsIn,
  openHelm,
  textAt,
  titleOf,
  type Helm,
} from '../../support/cluster/platform-chart.ts';

const EVERYTHING = ['-f', join(CI_FOLDER, 'everything-values.yaml')];
const API = 'Deployment orb-system/orb-api';
const OPERATOR = 'Deployment orb-system/orb-operator';
const MAIN = [API, OPERATOR];
const RANKED = [...MAIN, 'Deployment orb-system/orb-status-prober', 'Job orb-system/orb-ledger-init'];

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);
const listAt = (value: JsonValue | undefined, ...path: readonly string[]): readonly JsonValue[] => {
  const found = at(value, ...path);
  return isList(found) ? found : [];
};
const podOf = (object: JsonValue | undefined): JsonValue | undefined =>
  at(object, 'kind') === 'Pod' ? at(object, 'spec') : at(object, 'spec', 'template', 'spec');
const containerOf = (object: JsonValue | undefined): JsonValue | undefined => listAt(podOf(object), 'containers')[0];
const hasPods = (object: JsonObject): boolean => containerOf(object) !== undefined;
const argsOf = (object: JsonValue | undefined): readonly string[] => listAt(containerOf(object), 'args').map(String);
const find = (objects: readonly JsonObject[], title: string): JsonObject =>
  objects.find((object) => titleOf(object) === title) ?? {};
const set = (values: string): readonly string[] => ['--set', values];

/** Path, port and scheme of the three probes. */
const askedOf = (object: JsonObject): readonly (readonly JsonValue[])[] =>
  ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => {
    const get = at(containerOf(object), probe, 'httpGet');
    return [at(get, 'path') ?? null, at(get, 'port') ?? null, at(get, 'scheme') ?? null];
  });

describe('what the chart orb-platform runs', () => {
  let helm: Helm;
  before(async () => {
    helm = await openHelm();
  });
  after(() => helm.remove());

  const render = async (...args: readonly string[]): Promise<readonly JsonObject[]> =>
    objectsIn(await helm.render(args));

  describe('by default', () => {
    let objects: readonly JsonObject[];
    before(async () => {
      objects = await render();
    });

    it('is one API, whose successor waits for its end, and two operators', () => {
      const spec = at(find(objects, API), 'spec');
      expect([at(spec, 'replicas'), at(spec, 'strategy')]).to.deep.equal([1, { type: 'Recreate' }]);
      expect(at(find(objects, OPERATOR), 'spec', 'replicas')).to.equal(2);
    });

    it('takes request bodies up to 1 MiB', () => {
      expect(argsOf(find(objects, API))).to.include('--max-request-bytes=1048576');
    });

    it('gives no organisation away', () => {
      const args = argsOf(find(objects, API));
      expect(args).to.include('--reputation-interval=1h');
      expect(args.filter((arg) => arg.startsWith('--org='))).to.deep.equal([]);
    });

    it('is probed at an address that no caller shares', () => {
      expect(askedOf(find(objects, API))).to.deep.equal([
        ['/livez', 'probes', null],
        ['/livez', 'probes', null],
        ['/readyz', 'probes', null],
      ]);
      expect(askedOf(find(objects, OPERATOR))).to.deep.equal([
        ['/livez', 'probes', null],
        ['/livez', 'probes', null],
        ['/readyz', 'probes', null],
      ]);
    });

    it('has time to end: the longest run and more, and for operators the turn of those behind', () => {
      const LONGEST_RUN = 120;
      expect(at(podOf(find(objects, API)), 'terminationGracePeriodSeconds')).to.equal(5 + LONGEST_RUN + 10);
      expect(at(containerOf(find(objects, API)), 'lifecycle')).to.equal(undefined);
      expect(at(containerOf(find(objects, OPERATOR)), 'lifecycle')).to.deep.equal({
        preStop: { sleep: { seconds: 5 } },
      });
      expect(at(podOf(find(objects, OPERATOR)), 'terminationGracePeriodSeconds')).to.equal(30);
    });

    it('keeps operators apart, and one of them on its feet while nodes are drained', () => {
      const operator = find(objects, OPERATOR);
      const pods = at(operator, 'spec', 'selector');
      const spread = listAt(podOf(operator), 'topologySpreadConstraints');
      expect(spread.map((one) => at(one, 'topologyKey'))).to.deep.equal([
        'kubernetes.io/hostname',
        'topology.kubernetes.io/zone',
      ]);
      expect(spread.map((one) => at(one, 'labelSelector'))).to.deep.equal([pods, pods]);
      expect(at(find(objects, 'PodDisruptionBudget orb-system/orb-operator'), 'spec')).to.deep.equal({
        maxUnavailable: 1,
        selector: pods,
      });
    });

    it('looks names up as they are, and knows no Services by environment', () => {
      for (const object of objects.filter(hasPods)) {
        const options = listAt(podOf(object), 'dnsConfig', 'options');
        expect(options, titleOf(object)).to.deep.include({ name: 'ndots', value: '1' });
        expect(at(podOf(object), 'enableServiceLinks'), titleOf(object)).to.equal(false);
      }
    });
  });

  it('passes services, proxies and api.maxRequestBytes to the API, up to 8 MiB', async () => {
    const args = argsOf(find(await render(...set('api.maxRequestBytes=8388608,api.trustedProxies={fd00::/8}')), API));
    const services = '--services=runtime,reputation,policy,ingestion,status';
    expect(args).to.include.members(['--max-request-bytes=8388608', '--trusted-proxy=fd00::/8', services]);
    for (const wrong of ['0', '8388609', '1.5', '1Mi']) {
      const refused = await render(...set(`api.maxRequestBytes=${wrong}`)).then(
        () => 'rendered',
        (error: unknown) => String(error),
      );
      expect(refused, wrong).to.match(/maxRequestBytes/);
    }
  });

  const images: readonly (readonly [string, string])[] = [
    ['image.pullPolicy=Always', 'localhost/orb-platform:0.1.0'],
    ['image.registry=r.example,image.repository=a/b,image.tag=v1', 'r.example/a/b:v1'],
    ['image.registry=r.example,global.imageRegistry=g.example:5000/x', 'g.example:5000/x/orb-platform:0.1.0'],
    [`image.tag=v1,image.digest=sha256:${'0'.repeat(64)}`, `localhost/orb-platform@sha256:${'0'.repeat(64)}`],
    ['image.registry=', 'orb-platform:0.1.0'],
  ];
  for (const [values, image] of images)
    it(`is ${image} with ${values.replaceAll(/0{9,}/g, '0…')}, in every pod`, async () => {
      const all = (await render(...set(`${values},example.enabled=true`))).filter(hasPods);
      expect(all.map((object) => at(containerOf(object), 'image'))).to.deep.equal(all.map(() => image));
      expect(all).to.have.length(8);
    });

  it('is pulled with every Secret that is named', async () => {
    for (const object of (await render(...EVERYTHING)).filter(hasPods))
      expect(at(podOf(object), 'imagePullSecrets'), titleOf(object)).to.deep.equal([
        { name: 'registry' },
        { name: 'second' },
        { name: 'mirror' },
      ]);
  });

  it('starts with flags that the programs have, and files that are mounted', async () => {
    const objects = await render(...EVERYTHING);
    const [first, ...api] = argsOf(find(objects, API));
    const [second, ...operator] = argsOf(find(objects, OPERATOR));
    expect([first, second]).to.deep.equal(['api', 'operator']);
    const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
    const [ofApi, ofOperator] = [parseApi(api, env), parseOperator(operator, env)];
    if (ofApi.kind !== 'start' || ofOperator.kind !== 'start')
      throw new Error(`${JSON.stringify(ofApi)}${JSON.stringify(ofOperator)}`);
    const { orgs, reputationIntervalMs, policyRetention, policyReplayThreads } = ofApi.settings;
    expect([orgs, reputationIntervalMs]).to.deep.equal([[['acme', 'team-a']], 30_000]);
    expect(policyRetention).to.deep.equal({ decisionsMs: 30 * 86_400_000, replaysMs: 12 * 3_600_000 });
    expect(policyReplayThreads).to.equal(1);
    const folder = '/etc/orb/prometheus';
    for (const { prometheus } of [ofApi.settings, ofOperator.settings])
      expect(prometheus).to.deep.equal({
        connection: {
          url: 'https://prometheus.monitoring.svc:9090/prometheus',
          headers: { 'X-Scope-OrgID': 'orbs' },
          basic: { username: 'orbs', passwordFile: `${folder}/password` },
          client: { certFile: `${folder}/tls.crt`, keyFile: `${folder}/tls.key` },
          caFile: `${folder}/ca.crt`,
        },
        mode: 'recorded',
        scrapeIntervalMs: 10_000,
        matcher: 'namespace="orb-system"',
      });
    const origins = ['https://10.20.30.40:9443', 'https://billing.finance.svc'];
    expect(ofApi.settings).to.deep.include({
      issuer: 'https://orbs.example.com',
      data: '/data',
      vaultMode: 'operator',
    });
    expect(ofApi.settings.egressAllow).to.include.members(origins);
    expect(ofApi.settings.egressCa).to.deep.equal([
      '/etc/orb/egress-ca/ca.crt',
      '/etc/orb/example-ca/ca.crt',
      '/etc/orb/canary-ca/ca.crt',
    ]);
    expect(ofOperator.settings.allowedOrigins).to.include.members(origins);
    expect(ofOperator.settings.manifests?.folder).to.equal('/etc/orb/manifests');
    for (const title of MAIN) {
      const object = find(objects, title);
      const mounts = listAt(containerOf(object), 'volumeMounts').map((mount) => textAt(mount, 'mountPath'));
      const files = argsOf(object).flatMap((arg) => /=(\/[^ ]+)$/.exec(arg)?.[1] ?? []);
      expect(files.filter((file) => !mounts.some((mount) => `${file}/`.startsWith(`${mount}/`)))).to.deep.equal([]);
      expect(files).to.have.length.above(4);
      const volumes = listAt(podOf(object), 'volumes').map((volume) => at(volume, 'name'));
      const used = listAt(containerOf(object), 'volumeMounts').map((mount) => at(mount, 'name'));
      expect(volumes).to.have.members([...used]);
    }
  });

  it('runs where each component is told to, and whatever else where the API does', async () => {
    const objects = await render(...EVERYTHING);
    const [api, operator] = MAIN.map((title) => podOf(find(objects, title)));
    const running = objects.filter(hasPods);
    for (const object of running) {
      const pod = podOf(object);
      const rank = RANKED.includes(titleOf(object)) ? 'system-cluster-critical' : undefined;
      expect(at(pod, 'priorityClassName'), titleOf(object)).to.equal(rank);
      expect(at(pod, 'nodeSelector'), titleOf(object)).to.deep.equal({ 'kubernetes.io/os': 'linux' });
      const tolerated = titleOf(object) === OPERATOR ? 'Equal' : 'Exists';
      expect(at(listAt(pod, 'tolerations')[0], 'operator'), titleOf(object)).to.equal(tolerated);
    }
    expect(running).to.have.length(8);
    expect(at(api, 'affinity', 'nodeAffinity')).to.be.an('object');
    expect(listAt(operator, 'topologySpreadConstraints')).to.have.length(1);
    for (const title of MAIN) {
      const metadata = at(find(objects, title), 'spec', 'template', 'metadata');
      expect(textAt(metadata, 'labels', 'tier')).to.equal(title === API ? 'data' : 'control');
      expect(textAt(metadata, 'annotations', 'example.com/scrape')).to.equal('false');
      expect(listAt(containerOf(find(objects, title)), 'env')).to.deep.include({ name: 'TZ', value: 'UTC' });
    }
  });

  it('keeps its ledger on the volume that was asked for', async () => {
    const claim = find(await render(...EVERYTHING), 'PersistentVolumeClaim orb-system/orb-ledger');
    expect(at(claim, 'spec')).to.deep.equal({
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'fast',
      resources: { requests: { storage: '20Gi' } },
    });
    expect(at(claim, 'metadata', 'annotations')).to.deep.equal({
      'helm.sh/resource-policy': 'keep',
      'example.com/backup': 'daily',
    });
    const own = await render(...set('ledger.persistence.existingClaim=orb-mine'));
    expect(own.filter((object) => at(object, 'kind') === 'PersistentVolumeClaim')).to.deep.equal([]);
    expect(listAt(podOf(find(own, API)), 'volumes')).to.deep.include({
      name: 'data',
      persistentVolumeClaim: { claimName: 'orb-mine' },
    });
  });

  it('asks cert-manager for the certificate that the API serves, under every name of it', async () => {
    const objects = await render(...EVERYTHING);
    const { spec } = find(objects, 'Certificate orb-system/orb-api');
    const tls = listAt(podOf(find(objects, API)), 'volumes').find((volume) => at(volume, 'name') === 'tls');
    expect(at(spec, 'secretName')).to.equal(at(tls, 'secret', 'secretName'));
    expect(listAt(spec, 'dnsNames')).to.include.members([
      'orb-api.orb-system.svc.cluster.local',
      'orb-api.orb-system.svc',
      'orbs.example.com',
    ]);
    expect(at(spec, 'issuerRef', 'name')).to.equal('private');
    expect(argsOf(find(objects, 'Job orb-system/orb-ledger-init')).join()).not.to.include('--tls-');
  });

  it('sees the addresses of callers where its Service is told to keep them', async () => {
    const keep = 'api.service.externalTrafficPolicy=Local';
    const service = find(await render(...set(`api.service.type=LoadBalancer,${keep}`)), 'Service orb-system/orb-api');
    expect(at(service, 'spec')).to.include({ type: 'LoadBalancer', externalTrafficPolicy: 'Local' });
    expect(at(find(await render(), 'Service orb-system/orb-api'), 'spec')).not.to.have.property(
      'externalTrafficPolicy',
    );
    expect(await render(...set(keep)).catch(String)).to.include('api.service.type is ClusterIP');
  });

  it('asks issuers of other kinds too, and none that is no kind', async () => {
    const own = 'api.tls.certManager.enabled=true,api.tls.certManager.issuerRef.name=a';
    const of = (kind: string, group: string): readonly string[] =>
      set(`${own},api.tls.certManager.issuerRef.kind=${kind},api.tls.certManager.issuerRef.group=${group}`);
    const objects = await render(...of('AWSPCAClusterIssuer', 'awspca.cert-manager.io'));
    expect(at(find(objects, 'Certificate orb-system/orb-api'), 'spec', 'issuerRef')).to.deep.equal({
      name: 'a',
      kind: 'AWSPCAClusterIssuer',
      group: 'awspca.cert-manager.io',
    });
    const refused = await render(...of('no kind', 'a')).catch(String);
    expect(refused).to.include('/api/tls/certManager/issuerRef/kind');
  });

  const fronts: readonly (readonly [string, string])[] = [
    ['Ingress', 'ingress.enabled=true,ingress.hosts={a.b},ingress.tls[0].secretName=x'],
    ['HTTPRoute', 'gateway.enabled=true,gateway.parentRefs[0].name=x,api.service.port=8080'],
  ];
  for (const [kind, values] of fronts)
    it(`speaks plain HTTP behind an ${kind}, which reaches the port of the Service`, async () => {
      const objects = await render(...set(values));
      const [rule] = listAt(find(objects, `${kind} orb-system/orb-api`), 'spec', 'rules');
      const [ofIngress] = listAt(rule, 'http', 'paths').map((path) => at(path, 'backend', 'service', 'port', 'name'));
      const [ofRoute] = listAt(rule, 'backendRefs').map((ref) => at(ref, 'port'));
      const [port] = listAt(find(objects, 'Service orb-system/orb-api'), 'spec', 'ports');
      expect(kind === 'Ingress' ? ofIngress : ofRoute).to.equal(
        kind === 'Ingress' ? at(port, 'name') : at(port, 'port'),
      );
      expect([at(port, 'name'), at(port, 'targetPort')]).to.deep.equal(['http', 'http']);
      expect(argsOf(find(objects, API))).to.include('--behind-tls-proxy');
      expect(listAt(containerOf(find(objects, API)), 'ports').map((own) => at(own, 'name') ?? null)).to.deep.equal([
        'http',
        'metrics',
        'probes',
      ]);
    });

  it('gives Grafana dashboards that it finds', async () => {
    const boards = (await render(...EVERYTHING)).filter((object) =>
      textAt(object, 'metadata', 'name').startsWith('orb-dashboard-'),
    );
    expect(boards).to.have.length(9);
    for (const board of boards) {
      expect(textAt(board, 'metadata', 'labels', 'grafana_dashboard')).to.equal('1');
      const name = textAt(board, 'metadata', 'name').replace('orb-dashboard-', '');
      expect(JSON.parse(textAt(board, 'data', `${name}.json`))).to.have.property('panels');
    }
  });
});
