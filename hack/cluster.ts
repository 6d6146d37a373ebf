// The platform on a local control plane: `npm run cluster`.
import { rm } from 'node:fs/promises';
import { wrongUsageText } from '../adapters/process/command-line.ts';
import { helpText } from '../adapters/process/help.ts';
import { EX_USAGE } from '../adapters/process/start-error.ts';
import { stopSignal } from '../adapters/process/stop-signal.ts';
import { replacePrivate } from '../adapters/private-file/private-file.ts';
import { EXAMPLE } from '../standalone/example/example.ts';
import { startCluster, type Cluster } from './cluster/cluster.ts';
import type { Process } from './control-plane/process.ts';
import { CLUSTER_COMMAND_LINE, parseSettings, type ClusterSettings } from './cluster/settings.ts';

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

/** Reports a part that ends by itself. */
function reportEnds(cluster: Cluster, signal: AbortSignal): void {
  const report = async (part: Process): Promise<void> => {
    const code = await part.exited;
    if (!signal.aborted) say(`${part.name} has ended with ${code}; the end of ${part.log}:\n${part.tail()}`);
  };
  for (const part of [cluster.operator, cluster.api]) void report(part.process);
}

/** @returns undefined when it was cancelled */
async function startUnlessStopped(settings: ClusterSettings, signal: AbortSignal): Promise<Cluster | undefined> {
  try {
    return await startCluster(settings, say, signal);
  } catch (error) {
    // Ctrl-C reaches the parts too: any failure after it is caused by it.
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** @returns the exit code: 130 for a start that was cancelled */
async function run(settings: ClusterSettings): Promise<number> {
  const signal = stopSignal({
    signals: ['SIGINT', 'SIGTERM', 'SIGHUP'],
    onFirst: () => say('Stopping: work in progress ends first (again: at once) …'),
  });
  const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  // A file of an earlier run would name an address where no server listens.
  if (settings.readyFile !== undefined) await rm(settings.readyFile, { force: true });
  const cluster = await startUnlessStopped(settings, signal);
  if (cluster === undefined) return INTERRUPTED;
  reportEnds(cluster, signal);
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
    process.stdout.write(helpText(CLUSTER_COMMAND_LINE));
    break;
  case 'wrong':
    process.stderr.write(wrongUsageText(parsed.message, CLUSTER_COMMAND_LINE));
    process.exitCode = EX_USAGE;
    break;
  case 'start':
    process.exit(await run(parsed.settings).catch(explain));
  default:
    parsed satisfies never;
}
