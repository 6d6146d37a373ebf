import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCommandLine } from '../../../adapters/process/command-line.ts';
import { proberCommandLine, type ProberSettings } from '../../../api-server/status-prober/settings.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
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
const VENDORS = ['-f', join(CI_FOLDER, 'vendors-values.yaml')];
const PROMETHEUS = ['--set', 'prometheus.url=http://prometheus.monitoring.svc.cluster.local:9090'];
const API = 'Deployment orb-system/orb-api';
const OPERATOR = 'Deployment orb-system/orb-operator';
const PROBER = 'Deployment orb-system/orb-status-prober';
const DOCKERFILE = readFileSync(join(import.meta.dirname, '../../../Dockerfile'), 'utf8');
const ENV = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

const listAt = (value: JsonValue | undefined, ...path: readonly string[]): readonly JsonObject[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter(isJsonObject) : [];
};
const textsAt = (value: JsonValue | undefined, ...path: readonly string[]): readonly string[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.map(String) : [];
};
const find = (objects: readonly JsonObject[], title: string): JsonObject =>
  objects.find((object) => titleOf(object) === title) ?? {};
const podOf = (object: JsonObject): JsonValue | undefined => at(object, 'spec', 'template', 'spec');
const containerOf = (object: JsonObject): JsonObject => listAt(podOf(object), 'containers')[0] ?? {};

function settingsOf(objects: readonly JsonObject[]): ProberSettings {
  const [program, ...args] = textsAt(containerOf(find(objects, PROBER)), 'args');
  expect(program).to.equal('status-prober');
  const parsed = parseCommandLine(proberCommandLine(ENV), args);
  if (parsed.kind !== 'start') throw new Error(JSON.stringify(parsed));
  return parsed.settings;
}

/** Flags by which a process of the chart may differ from the entry point of the image: what its memory may be. */
const isSize = (word: string): boolean => /^--max-|^--no-(?:opt|maglev|sparkplug)$/.test(word);

/** Whether labels have all that a selector wants. */
const selects = (wanted: JsonValue | undefined, labels: JsonValue | undefined): boolean =>
  Object.entries(isJsonObject(wanted) ? wanted : {}).every(([name, value]) => at(labels, name) === value);

const labelsOf = (object: JsonObject): JsonValue | undefined => at(object, 'spec', 'template', 'metadata', 'labels');

/** Ports, by number, that policies let a workload of the platform's namespace reach at another one. */
function reached(objects: readonly JsonObject[], from: JsonObject, to: JsonObject): readonly number[] {
  const policies = objects.filter((object) => at(object, 'kind') === 'NetworkPolicy');
  const named = listAt(containerOf(to), 'ports');
  const numberOf = (port: JsonValue | undefined): number =>
    typeof port === 'number'
      ? port
      : Number(
          at(
            named.find(({ name }) => name === port),
            'containerPort',
          ),
        );
  const ports = (of: JsonObject, peer: JsonObject, rules: string, side: string): readonly number[] =>
    policies
      .filter((policy) => selects(at(policy, 'spec', 'podSelector', 'matchLabels'), labelsOf(of)))
      .flatMap((policy) => listAt(policy, 'spec', rules))
      .filter((rule) => {
        const peers = listAt(rule, side).filter((one) => at(one, 'namespaceSelector') === undefined);
        return (
          at(rule, side) === undefined ||
          peers.some((one) => selects(at(one, 'podSelector', 'matchLabels') ?? { none: '' }, labelsOf(peer)))
        );
      })
      .flatMap((rule) => listAt(rule, 'ports').map(({ port }) => numberOf(port)));
  const entries = ports(to, from, 'ingress', 'from');
  return [...new Set(ports(from, to, 'egress', 'to').filter((port) => entries.includes(port)))].toSorted(
    (one, other) => one - other,
  );
}

describe('the prober of the chart orb-platform', () => {
  let helm: Helm;
  before(async () => {
    helm = await openHelm();
  });
  after(() => helm.remove());

  const render = async (...args: readonly string[]): Promise<readonly JsonObject[]> =>
    objectsIn(await helm.render(args));

  it('starts with flags that the program has, and files that are mounted', async () => {
    const objects = await render(...EVERYTHING);
    expect(settingsOf(objects)).to.deep.include({
      api: 'https://orb-api.orb-system.svc.cluster.local',
      apiMetrics: 'http://orb-api-counts.orb-system.svc.cluster.local:9464',
      operatorMetrics: { host: 'orb-operator-metrics.orb-system.svc.cluster.local', port: 9465 },
      namespace: 'orb-system',
      intervalMs: 60_000,
      deadlineMs: 5000,
      isBehindTlsProxy: false,
      controls: {
        dnsName: 'kubernetes.default.svc.cluster.local',
        kubeApi: { host: '10.0.0.1', port: 443 },
        prometheus: 'https://prometheus.monitoring.svc:9090',
      },
    });
    const prober = find(objects, PROBER);
    const mounts = listAt(containerOf(prober), 'volumeMounts').map((mount) => textAt(mount, 'mountPath'));
    const files = textsAt(containerOf(prober), 'args').flatMap((arg) => /=(\/[^ ]+)$/.exec(arg)?.[1] ?? []);
    expect(files.filter((file) => !mounts.some((mount) => `${file}/`.startsWith(`${mount}/`)))).to.deep.equal([]);
    expect(files).to.have.length(6);
    const volumes = listAt(podOf(prober), 'volumes').map((volume) => at(volume, 'name'));
    const used = listAt(containerOf(prober), 'volumeMounts').map((mount) => at(mount, 'name'));
    expect(volumes).to.have.members(used);
  });

  it('is started as the image starts it, but for what its memory may be', async () => {
    const [, entry = '[]'] = /^ENTRYPOINT (\[[^\]]*\])$/m.exec(DOCKERFILE.replaceAll('\\\n', '')) ?? [];
    const words: unknown = JSON.parse(entry);
    const ofImage = (Array.isArray(words) ? words : []).map(String);

    const command = textsAt(containerOf(find(await render(), PROBER)), 'command');
    expect(ofImage).to.include('/app/dist/image/main.js');
    expect(command.filter((word) => !isSize(word))).to.deep.equal(ofImage.filter((word) => !isSize(word)));
  });

  it('calls the API with a token for it alone', async () => {
    const prober = find(await render(), PROBER);
    const token = listAt(podOf(prober), 'volumes').find(({ name }) => name === 'token');
    const sources = listAt(token, 'projected', 'sources').map((source) =>
      at(source, 'serviceAccountToken', 'audience'),
    );
    expect(sources).to.deep.equal(['orb-api']);
    expect(textAt(podOf(prober), 'serviceAccountName')).to.equal('orb-status-prober');
  });

  it('reaches the API and its metrics, is reached as a provider, and reaches operators where Prometheus is', async () => {
    for (const [values, ofOperator] of [
      [[], []],
      [PROMETHEUS, [9465]],
    ] as const) {
      const objects = await render(...values, '--set', 'networkPolicy.api.from[0].namespaceSelector.matchLabels.a=b');
      const [api, operator, prober] = [API, OPERATOR, PROBER].map((title) => find(objects, title));
      expect(reached(objects, prober ?? {}, api ?? {}), 'prober to API').to.deep.equal([8443, 9464]);
      expect(reached(objects, api ?? {}, prober ?? {}), 'API to prober').to.deep.equal([8444]);
      expect(reached(objects, prober ?? {}, operator ?? {}), 'prober to operator').to.deep.equal(ofOperator);
      expect(reached(objects, operator ?? {}, prober ?? {}), 'operator to prober').to.deep.equal([]);
    }
  });

  it('is the provider of the canary, under a name that the dialer allows and its certificate has', async () => {
    const objects = await render();
    const url = new URL(textAt(find(objects, 'Orb orb-system/orbs.canary-1.0.0'), 'spec', 'execution', 'url'));
    for (const title of [API, OPERATOR])
      expect(textsAt(containerOf(find(objects, title)), 'args'), title).to.include(`--egress-allow=${url.origin}`);
    const init = textsAt(
      listAt(at(find(objects, 'Job orb-system/orb-ledger-init'), 'spec', 'template', 'spec'), 'containers')[0],
      'args',
    );
    expect(init).to.include.members([
      `--canary-tls-host=${url.hostname}`,
      '--canary-tls-host=orb-status-prober.orb-system.svc.cluster.local',
      '--canary-tls-secret=orb-canary-tls',
      '--canary-secret=orb-canary',
    ]);
    const service = find(objects, `Service orb-system/${url.hostname.split('.')[0] ?? ''}`);
    const [port] = listAt(service, 'spec', 'ports');
    expect([at(port, 'port'), at(service, 'spec', 'publishNotReadyAddresses')]).to.deep.equal([Number(url.port), true]);
    const [number] = listAt(containerOf(find(objects, PROBER)), 'ports').filter(
      ({ name }) => name === at(port, 'targetPort'),
    );
    expect(at(number, 'containerPort')).to.equal(settingsOf(objects).providerListen.port);
    const [reference] = listAt(find(objects, 'OrbSignalSource orb-system/orb-canary'), 'spec', 'auth', 'secretRefs');
    expect(reference).to.deep.equal({ name: 'orb-canary', key: 'secret' });
  });

  it('gets the pages behind an Ingress, and no other path; vendors get /ingest alone, on a host of their own', async () => {
    const objects = await render(...VENDORS);
    const pathsOf = (title: string): readonly unknown[] =>
      listAt(find(objects, title), 'spec', 'rules').flatMap((rule) =>
        listAt(rule, 'http', 'paths').map((one) => [
          at(rule, 'host'),
          at(one, 'path'),
          at(one, 'pathType'),
          at(one, 'backend', 'service', 'name'),
        ]),
      );
    expect(pathsOf('Ingress orb-system/orb-api')).to.deep.equal([
      ['orbs.example.com', '/', 'Prefix', 'orb-api'],
      ['orbs.example.com', '/status', 'Exact', 'orb-status-prober'],
      ['orbs.example.com', '/status/days', 'Exact', 'orb-status-prober'],
    ]);
    expect(pathsOf('Ingress orb-system/orb-ingestion')).to.deep.equal([
      ['hooks.example.com', '/ingest', 'Prefix', 'orb-api'],
    ]);
    const { api, isBehindTlsProxy, tls } = settingsOf(objects);
    expect([api, isBehindTlsProxy]).to.deep.equal(['http://orb-api.orb-system.svc.cluster.local', true]);
    expect(tls?.certFile, 'the dialer calls the canary by TLS').to.be.a('string');
    const without = await render(...VENDORS, '--set', 'statusProber.route=false');
    expect(JSON.stringify(find(without, 'Ingress orb-system/orb-api'))).not.to.include('status');
  });

  it('gets the pages behind a Gateway, by rules of exact paths', async () => {
    const objects = await render('-f', join(CI_FOLDER, 'tenant-rbac-values.yaml'));
    const rules = listAt(find(objects, 'HTTPRoute orb-system/orb-api'), 'spec', 'rules').map((rule) => [
      listAt(rule, 'matches').map((match) => at(match, 'path')),
      listAt(rule, 'backendRefs').map(({ name, port }) => JSON.stringify([name, port])),
    ]);
    const exact = ['/status', '/status/days'].map((value) => ({ type: 'Exact', value }));
    expect(rules).to.deep.equal([
      [[{ type: 'PathPrefix', value: '/' }], ['["orb-api",80]']],
      [exact, ['["orb-status-prober",80]']],
    ]);
  });

  const durations: readonly (readonly [string, string, boolean])[] = [
    ['interval', '10s', true],
    ['interval', '5m', true],
    ['interval', '9s', false],
    ['interval', '301s', false],
    ['deadline', '1s', true],
    ['deadline', '31s', false],
    ['retention.raw', '720h', true],
    ['retention.raw', '721h', false],
    ['retention.signals', '8761h', false],
    ['retention.signals', '30d', false],
  ];
  for (const [name, value, isTaken] of durations)
    it(`${isTaken ? 'takes' : 'refuses'} statusProber.${name}=${value}`, async () => {
      const said = await render('--set', `statusProber.${name}=${value}`).catch(String);
      expect(typeof said === 'string' ? said : 'rendered').to.include(isTaken ? 'rendered' : name.split('.').at(-1));
      if (typeof said !== 'string') expect(settingsOf(said).namespace).to.equal('orb-system');
    });

  const refused: readonly (readonly [string, string])[] = [
    ['ingestion.ingress.enabled=true', 'ingestion.ingress.hosts is empty'],
    ['ingestion.ingress.enabled=true,ingestion.ingress.hosts={a.b}', 'ingestion.ingress.tls is empty'],
    [
      'ingestion.ingress.enabled=true,ingestion.ingress.hosts={a.b},ingestion.ingress.tls[0].secretName=x,ingress.enabled=true,ingress.hosts={a.b},ingress.tls[0].secretName=x',
      'a host of their own',
    ],
    ['statusProber.podLabels.app\\.kubernetes\\.io/name=x', 'by which pods are found'],
  ];
  for (const [values, why] of refused)
    it(`is not rendered where ${why}`, async () => {
      expect(await render('--set', values).catch(String)).to.include(why);
    });
});
