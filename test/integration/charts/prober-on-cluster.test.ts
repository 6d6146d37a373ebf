import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { command } from '../../../hack/control-plane/command.ts';
import { kubectlOk, PLATFORM_NAMESPACE } from '../../../hack/control-plane/install.ts';
import { canaryOf, startMeasuredCluster, type MeasuredCluster } from '../../support/cluster/measured-cluster.ts';
import { objectsIn, titleOf } from '../../support/cluster/platform-chart.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const root = resolve(import.meta.dirname, '../../..');
const PLACE = ['-n', PLATFORM_NAMESPACE];
const TEST_ACCOUNT = 'orb-test-status';
const WAIT_MS = 60_000;
const SERVICES = ['runtime', 'reputation_ledger', 'observable_engine', 'ingestion'];

const WORKS = Object.fromEntries(SERVICES.map((name) => [name, 'operational']));
const stateOf = ({ services }: JsonObject, name: string): unknown =>
  isJsonObject(services) ? services[name] : undefined;
const hasIngestionOut = (found: JsonObject): boolean => stateOf(found, 'ingestion') === 'major_outage';
const works = (found: JsonObject): boolean => SERVICES.every((name) => stateOf(found, name) === 'operational');

async function page(url: string): Promise<JsonObject> {
  const value: unknown = await (await fetch(`${url}/status`)).json();
  return isJsonObject(value) ? value : {};
}

describe('the prober with the objects and rights of the chart, on a real API server', function () {
  this.timeout(180_000);
  let cluster: MeasuredCluster;
  before(async () => {
    cluster = await startMeasuredCluster({ intervalMs: 1000 });
  });
  after(() => cluster?.stop());

  it('finds nothing out while the canary is not there yet, and all at work when it is', async () => {
    const { prober, api, apply } = cluster;
    await lastAnswer(
      () => Promise.resolve(prober.missing()),
      (missing) => missing.length === 0,
      WAIT_MS,
    );
    // Other codes say that the Kubernetes API of this machine was slow.
    const metrics = await (await fetch(prober.metricsUrl)).text();
    expect(metrics).to.include('orb_status_last_round_timestamp_seconds').and.not.include('code="unexpected-status"');
    expect(works(await page(prober.url)), 'nothing works yet').to.equal(false);
    await apply(canaryOf(cluster));
    for (const url of [prober.url, api.url]) {
      const found = await lastAnswer(() => page(url), works, WAIT_MS);
      expect(found['services'], url).to.deep.equal(WORKS);
      expect(found['uptime_30d_pct'], url).to.be.a('number');
    }
  });

  it('passes the script of helm test, with the rights of its account', async () => {
    const { prober, api, objects, apply, file, writeToken } = cluster;
    const ofTest = ['ServiceAccount', 'Role', 'RoleBinding'].map((kind) => `${kind} orb-system/${TEST_ACCOUNT}`);
    const rights = objects.filter((object) => ofTest.includes(titleOf(object)));
    expect(rights).to.have.length(3);
    await apply(rights);
    await writeToken(TEST_ACCOUNT);
    const script = (await readFile(resolve(root, 'charts/orb-platform/files/tests/status.js'), 'utf8'))
      .replaceAll('/var/run/secrets/orb/token', file(TEST_ACCOUNT))
      .replaceAll('/etc/orb/canary/secret', file('orb-canary/secret'));
    const env = {
      ORB_SERVER: api.url,
      ORB_STATUS: prober.url,
      ORB_NAMESPACE: PLATFORM_NAMESPACE,
      ORB_CHECKS_INGESTION: 'true',
    };
    const { code, stdout, stderr } = await command(process.execPath, ['--input-type=module', '--eval', script], {
      env,
    });
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/^status operational, \{.*\}\ndlv_\S+ became sig_\S+\n$/);
  });

  it('finds ingestion out, and nothing else, while the Secret of the source is away', async () => {
    const { plane, prober, apply } = cluster;
    const [kept] = objectsIn(await kubectlOk(plane, [...PLACE, 'get', 'secret', 'orb-canary', '-o', 'json']));
    await kubectlOk(plane, [...PLACE, 'delete', 'secret', 'orb-canary']);
    const out = await lastAnswer(() => page(prober.url), hasIngestionOut, WAIT_MS);
    expect(out['services']).to.deep.equal({ ...WORKS, ingestion: 'major_outage' });
    expect(out['status'], 'it is not critical').to.equal('degraded_performance');
    const metadata = { name: 'orb-canary', namespace: PLATFORM_NAMESPACE };
    await apply([{ apiVersion: 'v1', kind: 'Secret', metadata, data: kept?.['data'] ?? {} }]);
    expect((await lastAnswer(() => page(prober.url), works, WAIT_MS))['services']).to.deep.equal(WORKS);
  });
});
