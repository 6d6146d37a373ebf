// The platform on a local control plane: `npm run cluster`.
import { rm } from 'node:fs/promises';
import { stopSignal } from '../adapters/process/stop-signal.ts';
import { replacePrivate } from '../adapters/private-file/private-file.ts';
import { EXAMPLE } from '../standalone/example/example.ts';
import { startCluster, type Cluster } from './cluster/cluster.ts';
import type { Process } from './control-plane/process.ts';
import { HELP, parseSettings, type ClusterSettings } from './cluster/settings.ts';

function greeting({ plane, api: { url, metricsUrl }, apiKey, orbiset }: Cluster): string {
  const body = JSON.stringify({ orb_id: EXAMPLE.orbId, inputs: EXAMPLE.inputs });
  return [
    '',
    `Kubernetes  ${plane.version} at ${plane.server.url}`,
    `API         ${url}`,
    `Metrics     ${metricsUrl}`,
    `API key     ${apiKey}   (all tenants)`,
    `kubectl     ${plane.kubectlPath}`,
    `kubeconfig  ${plane.users.admin.kubeconfig}`,
    `Logs        ${plane.folder}/operator.log, ${plane.folder}/api-server.log`,
    '',
    'Next, in another terminal:',
    `  export KUBECONFIG=${plane.users.admin.kubeconfig} ORB_SERVER=${url} ORB_API_KEY=${apiKey}; alias kubectl=${plane.kubectlPath}`,
    '  kubectl get orbs,orbisets --all-namespaces',
    `  curl -s $ORB_SERVER/orbisets/${orbiset}/execute -H "Authorization: Bearer $ORB_API_KEY" -H 'Content-Type: application/json' -d '${body}'`,
    '',
    'Docs        docs/first-orb-on-a-cluster.md     Stop: Ctrl-C',
    '',
  ].join('\n');
}

async function writeReady(path: string, { plane, api: { url, metricsUrl }, apiKey, orbiset }: Cluster): Promise<void> {
  const ready = {
    url,
    metrics_url: metricsUrl,
    api_key: apiKey,
    orbiset,
    orb_id: EXAMPLE.orbId,
    inputs: EXAMPLE.inputs,
    kubeconfig: plane.users.admin.kubeconfig,
    kubectl: plane.kubectlPath,
  };
  await replacePrivate(path, `${JSON.stringify(ready)}\n`);
}

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

const INTERRUPTED = 130;

/** A part that ends by itself is said. */
function tellEnds(cluster: Cluster, signal: AbortSignal): void {
  const tell = async (part: Process): Promise<void> => {
    const code = await part.exited;
    if (!signal.aborted) say(`${part.name} has ended with ${code}; the end of ${part.log}:\n${part.tail()}`);
  };
  for (const part of [cluster.operator, cluster.api]) void tell(part.process);
}

/** @returns undefined when it was broken off */
async function startUnlessStopped(settings: ClusterSettings, signal: AbortSignal): Promise<Cluster | undefined> {
  try {
    return await startCluster(settings, say, signal);
  } catch (error) {
    // Ctrl-C reaches the parts too: whatever failed then failed by it.
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** @returns the exit code: 130 for a start that was broken off */
async function run(settings: ClusterSettings): Promise<number> {
  const signal = stopSignal({
    signals: ['SIGINT', 'SIGTERM', 'SIGHUP'],
    onFirst: () => say('Stopping: runs in flight end first (again: at once) …'),
  });
  const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  // One of an earlier run would tell of an address where nobody is.
  if (settings.readyFile !== undefined) await rm(settings.readyFile, { force: true });
  const cluster = await startUnlessStopped(settings, signal);
  if (cluster === undefined) return INTERRUPTED;
  tellEnds(cluster, signal);
  process.stdout.write(greeting(cluster));
  if (settings.readyFile !== undefined) await writeReady(settings.readyFile, cluster);
  await stopped;
  await cluster.stop();
  if (settings.keep) say(`Logs and data are kept in ${cluster.plane.folder}`);
  return 0;
}

function explain(error: unknown): number {
  say(error instanceof Error ? error.message : String(error));
  return 1;
}

const parsed = parseSettings(process.argv.slice(2));
switch (parsed.kind) {
  case 'help':
    process.stdout.write(HELP);
    break;
  case 'wrong':
    process.stderr.write(`${parsed.message}\n\n${HELP}`);
    process.exitCode = 64;
    break;
  case 'start':
    process.exit(await run(parsed.settings).catch(explain));
  default:
    parsed satisfies never;
}
