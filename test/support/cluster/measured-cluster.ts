import { mkdir, writeFile } from 'node:fs/promises';
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
import { objectsIn, openHelm, textAt, type Helm } from './platform-chart.ts';

const root = resolve(import.meta.dirname, '../../..');
const ISSUER = 'https://orbs.localhost';
const HOST = `orb-canary.${PLATFORM_NAMESPACE}.svc.cluster.local`;
const PLACE = ['-n', PLATFORM_NAMESPACE];
const CANARY = ['--canary-secret', 'orb-canary', '--canary-tls-secret', 'orb-canary-tls', '--canary-tls-host', HOST];
const LOOPBACK = { host: '127.0.0.1', port: 0 };

/** How a measured cluster differs from what its tests need mostly. */
interface MeasuredOptions {
  /** Time between rounds, ms. */
  readonly intervalMs: number;
  /** Where API and operator find the Kubernetes API; default: the control plane itself. */
  readonly servers?: (plane: ControlPlane) => Promise<{ readonly api: string; readonly operator: string }>;
}

/** Operator, API and prober with the rights of the chart, on a real API server. */
export interface MeasuredCluster {
  readonly plane: ControlPlane;
  readonly api: Part;
  readonly prober: RunningProber;
  /** What the chart makes. */
  readonly objects: readonly JsonObject[];
  readonly apply: (list: readonly JsonObject[]) => Promise<string>;
  /** A file beside those of the prober. */
  readonly file: (name: string) => string;
  /** Writes a token of an account into the file of its name. */
  readonly writeToken: (account: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

type Files = Pick<MeasuredCluster, 'file'> & { readonly plane: ControlPlane };

/** Writes the entries of a Secret as a pod has them. */
async function mount({ plane, file }: Files, secret: string): Promise<void> {
  await mkdir(file(secret), { recursive: true });
  const [found] = objectsIn(await kubectlOk(plane, [...PLACE, 'get', 'secret', secret, '-o', 'json']));
  const data = isJsonObject(found?.['data']) ? found['data'] : {};
  for (const name of Object.keys(data))
    await writeFile(file(`${secret}/${name}`), Buffer.from(textAt(data, name), 'base64'));
}

const tokenOf = (plane: ControlPlane, account: string): Promise<string> =>
  kubectlOk(plane, [...PLACE, 'create', 'token', account, '--audience', 'orb-api']);

interface Started {
  readonly api: Part;
  readonly operator: Part;
  readonly providerPort: number;
}

async function startParts({ plane, file }: Files, { servers }: MeasuredOptions): Promise<Started> {
  const keys = await makeKeys(plane, ISSUER);
  const init = [join(root, 'cli/main.ts'), 'ledger', 'init', '--secret', ...PLACE, ...CANARY];
  const made = await command(process.execPath, [...init, '--kubeconfig', plane.users.admin.kubeconfig]);
  if (made.code !== 0) throw new Error(made.stderr);
  for (const secret of ['orb-canary', 'orb-canary-tls']) await mount({ plane, file }, secret);
  const at = (await servers?.(plane)) ?? { api: plane.server.url, operator: plane.server.url };
  const providerPort = await freePort();
  const stub = ['--egress-stub', `https://${HOST}:8444=127.0.0.1:${providerPort}`];
  const operator = await startOperator({ plane, server: at.operator, flags: stub });
  const flags = [...stub, '--egress-ca', file('orb-canary-tls/ca.crt')];
  return { operator, api: await startApi(keys, { plane, server: at.api, flags }), providerPort };
}

function proberOf({ file }: Files, { api, providerPort }: Started, intervalMs: number): Promise<RunningProber> {
  return startProber(
    {
      api: api.url,
      apiMetrics: new URL(api.metricsUrl).origin,
      apiCa: undefined,
      tokenFile: file('orb-status-prober'),
      operatorMetrics: undefined,
      namespace: PLATFORM_NAMESPACE,
      intervalMs,
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
    { clock: systemClock, log: openProcessLog('error') },
  );
}

async function startOn(plane: ControlPlane, helm: Helm, options: MeasuredOptions): Promise<MeasuredCluster> {
  const files = { plane, file: (name: string) => join(plane.folder, 'prober', name) };
  const writeToken = async (account: string): Promise<void> =>
    writeFile(files.file(account), await tokenOf(plane, account));
  await installPlatform(plane);
  const started = await startParts(files, options);
  const objects = objectsIn(await helm.render());
  await writeToken('orb-status-prober');
  const prober = await proberOf(files, started, options.intervalMs);
  return {
    ...files,
    api: started.api,
    prober,
    objects,
    writeToken,
    apply: (list) => {
      const items = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: list });
      return kubectlOk(plane, ['apply', '--server-side', '-f', '-'], items);
    },
    stop: async () => {
      await prober.stop();
      await started.api.process.stop();
      await started.operator.process.stop();
      helm.remove();
      await plane.stop();
    },
  };
}

/** Starts everything; the objects of the canary are not there yet: apply those of `objects`. */
export async function startMeasuredCluster(options: MeasuredOptions): Promise<MeasuredCluster> {
  const plane = await startControlPlane();
  try {
    return await startOn(plane, await openHelm(), options);
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

/** Objects of Orb's own kinds, with which the checks begin to find something. */
export const canaryOf = ({ objects }: Pick<MeasuredCluster, 'objects'>): readonly JsonObject[] =>
  objects.filter((object) => textAt(object, 'apiVersion').startsWith('orbs.dev/'));
