import { expect } from 'chai';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openProcessLog } from '../../../adapters/telemetry/process-log.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import { startProber, type RunningProber } from '../../../api-server/status-prober/start.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { makeKeys, startApi, startOperator, type Part } from '../../../hack/cluster/parts.ts';
import { command } from '../../../hack/control-plane/command.ts';
import { startControlPlane, type ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { freePort } from '../../../hack/control-plane/free-port.ts';
import { installPlatform, kubectlOk, PLATFORM_NAMESPACE } from '../../../hack/control-plane/install.ts';
import { objectsIn, openHelm, textAt, titleOf, type Helm } from '../../support/cluster/platform-chart.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const root = resolve(import.meta.dirname, '../../..');
const ISSUER = 'https://orbs.localhost';
const HOST = `orb-canary.${PLATFORM_NAMESPACE}.svc.cluster.local`;
const PLACE = ['-n', PLATFORM_NAMESPACE];
const CANARY = ['--canary-secret', 'orb-canary', '--canary-tls-secret', 'orb-canary-tls', '--canary-tls-host', HOST];
const TEST_ACCOUNT = 'orb-test-status';
const LOOPBACK = { host: '127.0.0.1', port: 0 };
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
  let plane: ControlPlane;
  let helm: Helm;
  let api: Part;
  let operator: Part;
  let prober: RunningProber;
  let objects: readonly JsonObject[];
  const log = openProcessLog('error');

  const file = (name: string): string => join(plane.folder, 'prober', name);
  const apply = (list: readonly JsonObject[]): Promise<string> =>
    kubectlOk(
      plane,
      ['apply', '--server-side', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: list }),
    );
  /** Writes the entries of a Secret as a pod has them. */
  const mount = async (secret: string): Promise<void> => {
    await mkdir(file(secret), { recursive: true });
    const [found] = objectsIn(await kubectlOk(plane, [...PLACE, 'get', 'secret', secret, '-o', 'json']));
    const data = isJsonObject(found?.['data']) ? found['data'] : {};
    for (const name of Object.keys(data))
      await writeFile(file(`${secret}/${name}`), Buffer.from(textAt(data, name), 'base64'));
  };
  const writeToken = async (account: string): Promise<void> =>
    writeFile(file(account), await kubectlOk(plane, [...PLACE, 'create', 'token', account, '--audience', 'orb-api']));

  before(async () => {
    plane = await startControlPlane();
    helm = await openHelm();
    await installPlatform(plane);
    const keys = await makeKeys(plane, ISSUER);
    const init = [join(root, 'cli/main.ts'), 'ledger', 'init', '--secret', ...PLACE, ...CANARY];
    const made = await command(process.execPath, [...init, '--kubeconfig', plane.users.admin.kubeconfig]);
    if (made.code !== 0) throw new Error(made.stderr);
    for (const secret of ['orb-canary', 'orb-canary-tls']) await mount(secret);
    objects = objectsIn(await helm.render());
    await writeToken('orb-status-prober');
    const providerPort = await freePort();
    const stub = ['--egress-stub', `https://${HOST}:8444=127.0.0.1:${providerPort}`];
    operator = await startOperator({ plane, flags: stub });
    api = await startApi(keys, { plane, flags: [...stub, '--egress-ca', file('orb-canary-tls/ca.crt')] });
    prober = await startProber(
      {
        api: api.url,
        apiMetrics: new URL(api.metricsUrl).origin,
        apiCa: undefined,
        tokenFile: file('orb-status-prober'),
        operatorMetrics: undefined,
        namespace: PLATFORM_NAMESPACE,
        intervalMs: 1000,
        deadlineMs: 30_000,
        journal: file('journal'),
        sourceSecretFile: file('orb-canary/secret'),
        controls: { dnsName: undefined, kubeApi: undefined, prometheus: undefined },
        listen: LOOPBACK,
        providerListen: { ...LOOPBACK, port: providerPort },
        metricsListen: LOOPBACK,
        tls: { certFile: file('orb-canary-tls/tls.crt'), keyFile: file('orb-canary-tls/tls.key') },
        isBehindTlsProxy: true,
        identity: 'orb-status-prober-1',
        readyFile: undefined,
        logLevel: 'error',
      },
      { clock: systemClock, log },
    );
  });
  after(async () => {
    await prober?.stop();
    await api?.process.stop();
    await operator?.process.stop();
    helm?.remove();
    await plane?.stop();
  });

  it('finds nothing out while the canary is not there yet, and all at work when it is', async () => {
    await lastAnswer(
      () => Promise.resolve(prober.missing()),
      (missing) => missing.length === 0,
      WAIT_MS,
    );
    // Other codes say that the Kubernetes API of this machine was slow.
    const metrics = await (await fetch(prober.metricsUrl)).text();
    expect(metrics).to.include('orb_status_last_round_timestamp_seconds').and.not.include('code="unexpected-status"');
    expect(works(await page(prober.url)), 'nothing works yet').to.equal(false);
    await apply(objects.filter((object) => textAt(object, 'apiVersion').startsWith('orbs.dev/')));
    for (const url of [prober.url, api.url]) {
      const found = await lastAnswer(() => page(url), works, WAIT_MS);
      expect(found['services'], url).to.deep.equal(WORKS);
      expect(found['uptime_30d_pct'], url).to.be.a('number');
    }
  });

  it('passes the script of helm test, with the rights of its account', async () => {
    const ofTest = ['ServiceAccount', 'Role', 'RoleBinding'].map((kind) => `${kind} orb-system/${TEST_ACCOUNT}`);
    const rights = objects.filter((object) => ofTest.includes(titleOf(object)));
    expect(rights).to.have.length(3);
    await apply(rights);
    await writeToken(TEST_ACCOUNT);
    const script = (await readFile(join(root, 'charts/orb-platform/files/tests/status.js'), 'utf8'))
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
