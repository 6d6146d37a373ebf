import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { World } from '../../test/failover-run/world.ts';
import type { Part } from '../cluster/parts.ts';
import { kubectlOk, PLATFORM_NAMESPACE } from '../control-plane/install.ts';
import { isRecord, textAt } from '../control-plane/json.ts';
import { startProcess } from '../control-plane/process.ts';
import { untilReadyFile } from '../control-plane/until-ready.ts';
import type { Canary } from './canary.ts';

const root = resolve(import.meta.dirname, '../..');
const ACCOUNT = 'orb-status-prober';
/** The shortest that it takes. */
const INTERVAL = '10s';

/** Starts the prober of the status as its shipped ServiceAccount; its first round is made when this resolves. */
export async function startStatusProber(
  { plane, api }: Pick<World, 'plane' | 'api'>,
  operator: Part,
  { file, providerPort }: Canary,
): Promise<Part> {
  const token = ['create', 'token', ACCOUNT, '-n', PLATFORM_NAMESPACE, '--audience', 'orb-api'];
  await writeFile(file('token'), await kubectlOk(plane, token), { mode: 0o600 });
  const ready = join(plane.folder, 'status-prober-ready.json');
  const flags = {
    api: api.url,
    'api-metrics': new URL(api.metricsUrl).origin,
    'token-file': file('token'),
    'operator-metrics': new URL(operator.metricsUrl).host,
    namespace: PLATFORM_NAMESPACE,
    interval: INTERVAL,
    journal: file('journal'),
    'source-secret-file': file('orb-canary/secret'),
    listen: '127.0.0.1:0',
    'provider-listen': `127.0.0.1:${providerPort}`,
    'metrics-listen': '127.0.0.1:0',
    'tls-cert': file('orb-canary-tls/tls.crt'),
    'tls-key': file('orb-canary-tls/tls.key'),
    identity: ACCOUNT,
    'ready-file': ready,
  };
  const given = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  const started = startProcess({
    name: ACCOUNT,
    file: process.execPath,
    args: [join(root, 'api-server/status-prober/main.ts'), ...given, '--behind-tls-proxy'],
    log: join(plane.folder, 'status-prober.log'),
    cwd: plane.folder,
  });
  try {
    const addresses = await untilReadyFile(ready, started, isRecord);
    return { process: started, url: textAt(addresses, 'url'), metricsUrl: textAt(addresses, 'metrics_url') };
  } catch (error) {
    await started.stop(0);
    throw error;
  }
}
