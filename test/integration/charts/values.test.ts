import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { parseSettings as parseApi } from '../../../api-server/settings.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { objectsIn, openHelm, PLATFORM_CHART, type Helm } from '../../support/cluster/platform-chart.ts';

const PROMETHEUS = 'prometheus.url=http://a,prometheus.auth.secretName=a';

/** What a `null` must not take away and the schema lets be away: groups, switches, numbers and texts that have a default. */
function lacking(values: JsonObject, schema: unknown, place = ''): readonly string[] {
  const { properties, required } = isJsonObject(schema) ? schema : {};
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(values).flatMap(([name, value]) => {
    const member = isJsonObject(properties) ? properties[name] : undefined;
    const isGroup = isJsonObject(value) && isJsonObject(member) && isJsonObject(member['properties']);
    // A container without requests or limits is a person's choice.
    const isFree = isGroup ? name === 'resources' || Object.keys(value).length === 0 : typeof value === 'object';
    if (isFree || value === '') return [];
    const below = isGroup ? lacking(value, member, `${place}${name}.`) : [];
    return needed.includes(name) ? below : [`${place}${name}`, ...below];
  });
}

const readValues = (): JsonObject => {
  const values: unknown = parse(readFileSync(join(PLATFORM_CHART, 'values.yaml'), 'utf8'));
  if (!isJsonObject(values)) throw new TypeError('values.yaml is no object');
  return values;
};

describe('values of the chart orb-platform', () => {
  let helm: Helm;
  before(async () => {
    helm = await openHelm();
  });
  after(() => helm.remove());

  const refusals: readonly (readonly [string, string, string])[] = [
    ['two APIs on one embedded ledger', 'api.replicas=2', '/api/replicas'],
    ['some services on an embedded ledger', 'services={ingestion}', 'one Deployment has all services'],
    ['a service that does not exist', 'services={billing}', '/services/0'],
    ['a proxy by its name', 'api.trustedProxies={proxy}', '/api/trustedProxies/0'],
    ['another ledger', 'ledger.type=postgres', '/ledger/type'],
    ['a value that there is not', 'operator.replica=3', "additional properties 'replica'"],
    ['certificates from two places', 'api.tls.secretName=a,api.tls.certManager.enabled=true', 'not both'],
    ['an exception that the network stops', 'egress.exceptions[0].origin=https://a.b', 'needs cidr, or podSelector'],
    [
      'an organisation that the operator may not give away',
      'reputation.operatorProof=false,reputation.orgs.acme=team-a',
      'reputation.operatorProof=false forbids',
    ],
    ['an organisation that is no label', 'reputation.orgs.Acme=team-a', "invalid propertyName 'Acme'"],
    ['a bound below the largest body', 'api.bounds.bodyBytes=1000000', 'a body of api.maxRequestBytes (1048576)'],
    ['a bound of a key below it', 'api.bounds.bodyBytesPerKey=1', 'api.bounds.bodyBytesPerKey is 1'],
    [
      'a time for headers that is too long',
      'api.bounds.headersTimeout=6m',
      'headersTimeout is 6m: it is from 1s to 5m',
    ],
    [
      'a time for requests that is too long',
      'api.bounds.requestTimeout=1h',
      'requestTimeout is 1h: it is from 1s to 10m',
    ],
    ['a time without a unit', 'api.bounds.keepAlive=60', '/api/bounds/keepAlive'],
    ['a negative bound', 'api.bounds.connections=-1', '/api/bounds/connections'],
    ['an interval without a unit', 'reputation.interval=30', '/reputation/interval'],
    ['an interval of days', 'reputation.interval=1d', '/reputation/interval'],
    ['an interval that is too short', 'reputation.interval=999ms', 'it is from 1s to 24h, for example 1h'],
    ['an interval that is too long', 'reputation.interval=25h', 'reputation.interval is 25h'],
    ['a namespace that there can not be', 'reputation.orgs.acme=Team_A', '/reputation/orgs/acme'],
    ['a proof that is no switch', 'reputation.operatorProof=often', '/reputation/operatorProof'],
    ['a misspelt group of organisations', 'reputation.org.acme=team-a', "additional properties 'org'"],
    ['credentials without a Prometheus', 'prometheus.auth.secretName=a', 'prometheus.url is missing'],
    ['an Ingress without a host', 'ingress.enabled=true', 'ingress.hosts is empty'],
    ['the example among the platform', 'example.namespace=orb-system', 'must be another one'],
    [
      'a certificate that nobody would use',
      'ingress.enabled=true,ingress.hosts[0]=a.b,ingress.tls[0].secretName=b,api.tls.secretName=a',
      'no effect',
    ],
    ['a label by which pods are found', 'commonLabels.app\\.kubernetes\\.io/component=a', "the chart's own label"],
    ['the same on a pod', 'api.podLabels.app\\.kubernetes\\.io/version=a', "the chart's own label"],
    ['a user without a password', `${PROMETHEUS},prometheus.auth.username=a`, 'passwordKey belong together'],
    ['a certificate without its key', `${PROMETHEUS},prometheus.auth.certKey=a`, 'keyKey belong together'],
    ['an issuer of two lines', 'api.issuer=https://a\n- b', '/api/issuer'],
    ['an issuer with the usual port', 'api.issuer=https://a.b:443', 'leave out :443'],
    ['an origin that YAML would cut off', 'egress.exceptions[0].origin=https://a #b', '/egress/exceptions/0/origin'],
    ['a budget that is no number', 'operator.podDisruptionBudget.maxUnavailable=some', 'maxUnavailable'],
    // Empty lists of a NetworkPolicy are no limit at all.
    ['DNS everywhere', 'networkPolicy.dns.peers=null', 'networkPolicy.dns.peers is empty'],
    ['any port of the DNS servers', 'networkPolicy.dns.ports=null', 'networkPolicy.dns.ports is empty'],
    ['any port of the API servers', 'networkPolicy.kubernetesApi.ports=null', 'kubernetesApi.ports is empty'],
    ['any port of Prometheus', 'networkPolicy.prometheus.ports=null', 'prometheus.ports is empty'],
    ['a Prometheus anywhere', `${PROMETHEUS},networkPolicy.prometheus.peers=null`, 'prometheus.peers is empty'],
    ['an object without a kind', 'extraObjects[0].a=b', '/extraObjects/0'],
    ['a peer that is nobody', 'networkPolicy.dns.peers[0].ipBlock=null', '/networkPolicy/dns/peers/0'],
    ['a range that there is not', 'networkPolicy.deniedCidrs={1.2.3.0/99}', '/networkPolicy/deniedCidrs/0'],
    ['a port that there is not', 'egress.exceptions[0].origin=https://a.b:99999', '/egress/exceptions/0/origin'],
    ['a registry that ends with a slash', 'global.imageRegistry=registry.example.com/', '/global/imageRegistry'],
    ['a registry that is a URL', 'image.registry=https://registry.example.com', '/image/registry'],
    ['a volume of ten bytes', 'ledger.persistence.size=10', '/ledger/persistence/size'],
    ['a label that Kubernetes refuses', 'commonLabels.team=a b', '/commonLabels/team'],
    ['scrapes further apart than failover can use', 'prometheus.scrapeInterval=10m', '/prometheus/scrapeInterval'],
    ['a level of the log that was taken away', 'logLevel=null', "missing property 'logLevel'"],
    ['a group that was taken away', 'api.tls.certManager=null', "missing property 'certManager'"],
    ['keys of callers in plain text', 'ingress.enabled=true,ingress.hosts[0]=a.b', 'ingress.tls is empty'],
    ['names for a certificate that is there', 'api.tls.secretName=a,api.tls.extraHosts={a.b}', 'no effect'],
    ['names behind a proxy', 'api.behindTlsProxy=true,api.tls.extraHosts={a.b}', 'api.tls.extraHosts has no effect'],
    ['a mode of no Prometheus', 'prometheus.mode=recorded', 'prometheus.url is missing'],
    ['a matcher of no Prometheus', 'prometheus.matcher=a="b"', 'prometheus.url is missing'],
    ['an authority without TLS', `${PROMETHEUS},prometheus.auth.caKey=a`, 'no effect at an http:// address'],
    ['plain text from anywhere', 'api.service.type=LoadBalancer,api.behindTlsProxy=true', 'in plain text'],
    ['a certificate behind a proxy', 'api.behindTlsProxy=true,api.tls.secretName=a', 'no effect'],
    ['credentials of which nothing is named', PROMETHEUS, 'name its entries'],
    ['a header that is ours', `${PROMETHEUS},prometheus.headers.Host=a`, 'Host is not sent'],
    ["a variable that is the chart's", 'extraEnv[0].name=POD_UID', "the chart's own"],
    [
      'an address where names are signed',
      'api.tls.certManager.enabled=true,api.tls.certManager.issuerRef.name=a,api.tls.extraHosts={10.0.0.1}',
      'is an address',
    ],
  ];
  for (const namespace of ['123', '1e3', 'null'])
    it(`refuses the namespace ${namespace}, which YAML takes for no text`, async () => {
      const text = await helm.render(['-n', namespace]).catch((error: unknown) => String(error));
      expect(text).to.contain(`namespace ${namespace}: YAML`);
    });

  for (const [why, values, message] of refusals) {
    it(`refuses ${why}`, async () => {
      const text = await helm.render(['--set', values]).catch((error: unknown) => String(error));
      expect(text).to.contain(message);
    });
  }

  const ofFlags: readonly (readonly [value: string, flag: string, isGood: boolean])[] = [
    ...['1s', '1000ms', '1440m', '24h'].map(
      (text) => [`reputation.interval=${text}`, `--reputation-interval=${text}`, true] as const,
    ),
    ...['999ms', '86401s', '25h', '0s', '1.5h', '1h30m'].map(
      (text) => [`reputation.interval=${text}`, `--reputation-interval=${text}`, false] as const,
    ),
    ['reputation.orgs.acme-2=team-a', '--org=acme-2=team-a', true],
    ['reputation.orgs.acme-=team-a', '--org=acme-=team-a', false],
    ['reputation.orgs.acme=team_a', '--org=acme=team_a', false],
    ['reputation.orgs.acme=', '--org=acme=', false],
    ...['1h', '3650d', '87600h'].map(
      (text) => [`api.policy.retention.decisions=${text}`, `--policy-retention-decisions=${text}`, true] as const,
    ),
    ...['90m', '0d', '3651d', '87601h', '1.5d'].map(
      (text) => [`api.policy.retention.replays=${text}`, `--policy-retention-replays=${text}`, false] as const,
    ),
  ];
  for (const [value, flag, isGood] of ofFlags)
    it(`${isGood ? 'take' : 'refuse'} ${value}, as the API does with ${flag}`, async () => {
      const isRendered = await helm.render(['--set', value]).then(
        () => true,
        () => false,
      );
      const { kind } = parseApi(['--kube-server=https://127.0.0.1:6443', flag], {});
      expect([isRendered, kind]).to.deep.equal([isGood, isGood ? 'start' : 'wrong']);
    });

  it('are names also where YAML would read a number', async () => {
    const names = [
      'imagePullSecrets[0]',
      'api.priorityClassName',
      'api.keys.secretName',
      'api.tls.secretName',
      'ledger.persistence.storageClass',
      'prometheus.auth.secretName',
    ];
    const own = [...names.map((name) => `${name}=1e3`), 'prometheus.url=https://a,prometheus.auth.caKey=a'].join();
    for (const other of ['egress.ca.secretName', 'egress.ca.configMapName', 'ledger.persistence.existingClaim']) {
      const switches = ['--set', 'example.enabled=true,crds.enabled=false'];
      const text = await helm.render([...switches, '--set-string', `${own},${other}=1e3`]);
      const numbers: string[] = [];
      JSON.stringify(objectsIn(text), (name, value: unknown) => {
        if (value === 1000) numbers.push(name);
        return value;
      });
      expect([numbers, text.split('"1e3"').length > names.length], other).to.deep.equal([[], true]);
    }
  });

  it('take a load balancer that ends TLS, or one before the TLS of the API', async () => {
    const type = 'api.service.type=LoadBalancer';
    const ends = 'api.behindTlsProxy=true,api.service.annotations.example\\.com/tls=arn';
    for (const values of [type, `${type},${ends}`])
      expect(await helm.render(['--set', values])).to.include('type: LoadBalancer');
  });

  it('are needed where the templates need them, so that an empty key of a file is refused', () => {
    const schema: unknown = JSON.parse(readFileSync(join(PLATFORM_CHART, 'values.schema.json'), 'utf8'));
    // A cluster may choose these itself, as OpenShift does.
    const ofCluster = ['runAsUser', 'runAsGroup', 'fsGroup'].map((name) => `podSecurityContext.${name}`);
    expect(lacking(readValues(), schema)).to.have.members(ofCluster);
    expect(lacking(readValues(), {})).to.include.members(['logLevel']);
  });
});
