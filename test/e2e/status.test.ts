import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { kubectlOk, PLATFORM_NAMESPACE } from '../../hack/control-plane/install.ts';
import { at } from '../../hack/control-plane/json.ts';
import { secret } from '../support/cluster-objects.ts';
import { testNamespace, type TestNamespace } from '../support/cluster.ts';
import { node, say } from '../support/e2e/node.ts';
import { connectApi, type ApiAnswer, type ApiClient } from './support/api-client.ts';
import { eventually, PATIENCE_MS, patiently } from './support/patience.ts';
import { ensureRelease, platformKubectl, removeRelease } from './support/release.ts';
import { openStatusPage, type StatusPage } from './support/status-page.ts';

const TENANT = 'e2e-hooks';
const SOURCE = 'monitoring';
const WHSEC = `whsec_${Buffer.from('a-secret-of-the-test-with-32-bytes').toString('base64')}`;
const INTERVAL_MS = 10_000;
const ROUNDS = { statusProber: { enabled: true, interval: `${INTERVAL_MS / 1000}s`, deadline: '3s' } };
const SERVICES = ['runtime', 'reputation_ledger', 'observable_engine', 'ingestion'];
const WORKS = Object.fromEntries(SERVICES.map((name) => [name, 'operational']));
const BAD: readonly unknown[] = ['partial_outage', 'major_outage'];
const DOWN_MS = 40_000;

const objectsIn = (value: unknown): readonly JsonObject[] => {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return items.filter(isJsonObject);
};
const isOut = (services: JsonObject, name: string): boolean => BAD.includes(services[name]);
const timeOf = (value: JsonValue | undefined): number => Date.parse(typeof value === 'string' ? value : '');

/** Seconds of the days in which a service was in these states. */
const secondsOf = (days: JsonObject, service: string, states: readonly string[]): number =>
  objectsIn(days['days'])
    .flatMap((day) => states.map((name) => Number(at(day, 'services', service, name))))
    .reduce((sum, seconds) => sum + seconds, 0);
const outageOf = (days: JsonObject): number => secondsOf(days, 'runtime', ['partial_s', 'major_s']);
const unknownOf = (days: JsonObject): number => secondsOf(days, 'runtime', ['unknown_s']);

const source = {
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'OrbSignalSource',
  metadata: { name: SOURCE },
  spec: {
    type: 'standardWebhooks',
    mode: 'Active',
    auth: { secretRefs: [{ name: 'hook', key: 'secret' }] },
    match: [{ when: 'true', provider: 'mail.example.com' }],
  },
};

describe('webhooks and the status, on running pods', function () {
  this.timeout(900_000);
  let api: ApiClient;
  let page: StatusPage;
  let tenant: TestNamespace;

  const untilServices = async (wanted: (services: JsonObject) => boolean): Promise<JsonObject> => {
    let last: JsonObject = {};
    await eventually(async () => {
      last = await page.services();
      return wanted(last) ? true : undefined;
    }, 2 * PATIENCE_MS);
    return last;
  };
  const untilAllWorks = async (): Promise<void> => {
    expect(await untilServices((services) => SERVICES.every((name) => services[name] === 'operational'))).to.deep.equal(
      WORKS,
    );
  };
  /** Sends an event as its vendor would, with a signature of now. */
  const send = async (path: string, id: string): Promise<ApiAnswer> => {
    const now = new Date();
    const data = { status: 'firing', severity: 'critical', title: 'Mail is late', key: 'mail-late' };
    const event = { type: 'alert.fired', timestamp: now.toISOString(), data };
    const seconds = String(Math.floor(now.getTime() / 1000));
    const signature = createHmac('sha256', Buffer.from(WHSEC.replace('whsec_', ''), 'base64'))
      .update(`${id}.${seconds}.${JSON.stringify(event)}`)
      .digest('base64');
    const headers = { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` };
    return api.post(path, event, { headers, signal: AbortSignal.timeout(10_000) });
  };
  const days = async (): Promise<JsonObject> => (await page.get('/status/days?days=2')).body;
  const listed = async (path: string): Promise<readonly JsonObject[]> =>
    objectsIn(at((await api.get(path)).body, 'items'));

  before(async () => {
    await removeRelease();
    await kubectlOk(node, ['delete', 'namespace', TENANT, '--ignore-not-found', '--timeout=180s']);
    // A release without the prober, as those of before had none.
    await ensureRelease({});
    await ensureRelease(ROUNDS);
    api = await connectApi(['ingest:read', 'status:report']);
    page = await openStatusPage();
    tenant = await testNamespace(node, TENANT);
  });
  after(async () => {
    await tenant.kubectl('delete', 'orbsignalsources,orbisets', '--all');
    await tenant.remove();
    await page.close();
    await api.close();
    await removeRelease();
  });

  it('measures after an upgrade from a release that did not, for a client that knows the specification alone', async () => {
    await untilAllWorks();
    const { status, body } = await page.get();
    expect(status).to.equal(200);
    expect(body['status']).to.equal('operational');
    // A round may have met the upgrade of the API.
    expect(body['uptime_30d_pct']).to.be.a('number').within(0, 100);
    expect(body['incidents']).to.be.an('array');
    expect(timeOf(body['last_updated'])).to.be.above(Date.now() - 6 * INTERVAL_MS);
    const told = (await api.get('/status')).body;
    expect([at(told, 'status'), at(told, 'services')]).to.deep.equal(['operational', WORKS]);
  });

  it('takes a signed event of a source, and makes one incident of what comes twice', async () => {
    // The API reads Secrets only where there is an Orbiset.
    const orbiset = { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orbiset', metadata: { name: 'default' }, spec: {} };
    await tenant.apply(orbiset, secret('hook', { secret: WHSEC }), source);
    const found = await tenant.until(
      `orbsignalsource/${SOURCE}`,
      (object) => typeof at(object, 'status', 'urlPath') === 'string',
      PATIENCE_MS,
    );
    const path = String(at(found, 'status', 'urlPath'));
    const first = await eventually(async () => {
      const answer = await send(path, 'msg_first');
      return answer.status === 202 ? answer : undefined;
    });
    expect(first?.status).to.equal(202);
    expect((await send(path, 'msg_second')).status, 'another delivery about the same').to.equal(202);
    const forged = await api.post(path, { data: {} }, { headers: {}, signal: AbortSignal.timeout(10_000) });
    expect([forged.status, at(forged.body, 'code')]).to.deep.equal([401, 'unauthenticated']);
    const incidents = await eventually(async () => {
      const all = await listed(`/incidents?namespace=${TENANT}`);
      return all.length > 0 ? all : undefined;
    });
    expect(incidents?.map((one) => [one['title'], one['status'], one['severity'], one['sources']])).to.deep.equal([
      ['Mail is late', 'open', 'critical', [`${TENANT}/${SOURCE}`]],
    ]);
    await tenant.kubectl('delete', `orbsignalsource/${SOURCE}`);
  });

  it('takes at most 80 MiB for its rounds', async () => {
    const query = ['get', 'pods', '-l', 'app.kubernetes.io/component=status-prober', '-o'];
    const address = await platformKubectl(...query, 'jsonpath={.items[0].status.podIP}');
    const readMetrics = async (): Promise<(name: string) => number> => {
      const text = await patiently(async () => (await fetch(`http://${address}:9464/metrics`)).text());
      return (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    };
    // Between two looks: its start takes as much as many rounds.
    const [before, began] = [await readMetrics(), performance.now()];
    await delay(3 * INTERVAL_MS);
    const after = await readMetrics();
    const seconds = (performance.now() - began) / 1000;
    const mib = after('process_resident_memory_bytes') / (1024 * 1024);
    const cpuMs = (after('process_cpu_seconds_total') - before('process_cpu_seconds_total')) * 1000;
    say(
      `Prober: ${mib.toFixed(1)} MiB, ${(cpuMs / seconds).toFixed(1)} m CPU with a round every ${INTERVAL_MS / 1000} s`,
    );
    expect(mib).to.be.above(0).and.at.most(80);
  });

  it('shows ingestion alone as out while the Secret of its source is away', async () => {
    const kept = await platformKubectl('get', 'secret/orb-canary', '-o', 'jsonpath={.data.secret}');
    await platformKubectl('delete', 'secret/orb-canary');
    const out = await untilServices((services) => isOut(services, 'ingestion'));
    expect(SERVICES.filter((name) => isOut(out, name))).to.deep.equal(['ingestion']);
    const again = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'orb-canary', namespace: PLATFORM_NAMESPACE },
      data: { secret: kept },
    };
    await kubectlOk(node, ['apply', '--server-side', '-f', '-'], JSON.stringify(again));
    await untilAllWorks();
  });

  it('answers while the API is away, and has the outage in the history with its times', async () => {
    const before = outageOf(await days());
    const from = Date.now();
    await platformKubectl('scale', 'deploy/orb-api', '--replicas=0');
    const out = await untilServices((services) => isOut(services, 'runtime') && isOut(services, 'reputation_ledger'));
    expect(out['runtime']).to.equal('major_outage');
    expect(out['observable_engine'], 'nothing was run that could be measured').to.equal('unknown');
    await eventually(async () => (Date.now() - from > DOWN_MS ? true : undefined));
    expect((await page.get()).status, 'the page without the API').to.equal(200);
    const until = Date.now();
    await platformKubectl('scale', 'deploy/orb-api', '--replicas=1');
    await platformKubectl('rollout', 'status', 'deploy/orb-api', '--timeout=180s');
    const ready = Date.now();
    await untilAllWorks();
    const seconds = await eventually(async () => {
      const { body } = await api.get('/status/days?days=2');
      const found = isJsonObject(body) ? outageOf(body) - before : 0;
      return found > 0 ? found : undefined;
    });
    say(`API away for ${((ready - from) / 1000).toFixed(0)} s: the history has ${String(seconds)} s of outage`);
    // Two rounds meet its end and its start.
    const slack = (3 * INTERVAL_MS) / 1000;
    expect(seconds, 'as the API tells it').to.be.within((until - from) / 1000 - slack, (ready - from) / 1000 + slack);
    const outages = (await listed('/status/intervals?limit=1000')).filter(
      (row) => row['service'] === 'runtime' && BAD.includes(row['state']) && timeOf(row['to']) > from,
    );
    expect(outages).to.have.length.above(0);
    expect(timeOf(outages[0]?.['from'])).to.be.within(from - 2 * INTERVAL_MS, from + 3 * INTERVAL_MS);
    const { body } = await page.get();
    expect(Number(body['uptime_30d_pct'])).to.be.below(100).and.at.least(0);
  });

  it('knows nothing of the time while the prober is away, and claims nothing', async () => {
    const before = await days();
    await platformKubectl('scale', 'deploy/orb-status-prober', '--replicas=0');
    const blind = await eventually(async () => {
      const body = (await api.get('/status')).body;
      return at(body, 'services', 'runtime') === 'unknown' ? true : undefined;
    });
    expect(blind, 'nothing is known after three rounds').to.equal(true);
    await platformKubectl('scale', 'deploy/orb-status-prober', '--replicas=1');
    await platformKubectl('rollout', 'status', 'deploy/orb-status-prober', '--timeout=180s');
    await untilAllWorks();
    const after = await days();
    expect(outageOf(after), 'a gap is no outage').to.be.closeTo(outageOf(before), 1);
    expect(unknownOf(after)).to.be.above(unknownOf(before) + (2 * INTERVAL_MS) / 1000);
  });
});
