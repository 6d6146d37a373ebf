import { join, resolve } from 'node:path';
import { checkFree } from '../../adapters/process/listen.ts';
import { formatAddress } from '../../core/network/listen-address.ts';
import { EXAMPLE } from '../../standalone/example/example.ts';
import { startControlPlane, type ControlPlane } from '../control-plane/control-plane.ts';
import { installPlatform, kubectlOk } from '../control-plane/install.ts';
import { makeApiKey, makeKeys, startApi, startOperator, type Part } from './parts.ts';
import { startProvider, type Provider } from './provider.ts';
import type { ClusterSettings } from './settings.ts';

/** The platform on a local control plane, answering requests. */
export interface Cluster {
  readonly plane: ControlPlane;
  readonly operator: Part;
  readonly api: Part;
  readonly apiKey: string;
  /** `{namespace}.{name}`: the key is valid for all tenants. */
  readonly orbiset: string;
  readonly stop: () => Promise<void>;
}

/** Reports the progress of the start. */
export type Say = (line: string) => void;

const BASE = resolve(import.meta.dirname, '../../manifests/kubernetes/base');
const EXAMPLE_NAMESPACE = 'default';

// A person waits for the end: two parts, and three processes of the control plane, one after another, in at most 12 s.
const PART_GRACE_MS = 3000;
const PLANE_GRACE_MS = 1500;

async function applyExample(plane: ControlPlane): Promise<void> {
  const place = ['-n', EXAMPLE_NAMESPACE];
  await kubectlOk(plane, ['apply', '--server-side', ...place, '-k', BASE]);
  const ready = ['--for=condition=Ready', '--timeout=60s', '--all'];
  await kubectlOk(plane, ['wait', 'orbs,orbisets', ...place, ...ready]);
}

interface Assembly {
  readonly say: Say;
  readonly signal: AbortSignal;
  /** Collects what must be closed, in the order of its start. */
  readonly closing: (() => Promise<unknown>)[];
}

async function installAll(
  settings: ClusterSettings,
  plane: ControlPlane,
): Promise<{ readonly keys: string; readonly apiKey: string }> {
  await installPlatform(plane);
  return { keys: await makeKeys(plane, settings.issuer), apiKey: await makeApiKey(plane) };
}

/** A host that the dialer of the API allows must also pass the host lints of the operator. */
function partFlags(
  { listen, metricsListen, issuer, egress, egressCa, logLevel }: ClusterSettings,
  provider: Provider,
): { readonly operator: readonly string[]; readonly api: readonly string[] } {
  const level = ['--log-level', logLevel];
  const own = ['--listen', formatAddress(listen), '--metrics-listen', formatAddress(metricsListen), '--issuer', issuer];
  return {
    operator: [...level, ...provider.lintFlags, ...egress],
    api: [...own, ...level, ...provider.flags, ...egress, ...egressCa],
  };
}

async function assemble(settings: ClusterSettings, assembly: Assembly): Promise<Omit<Cluster, 'stop'>> {
  const { say, signal, closing } = assembly;
  const plane = await startControlPlane({ say, signal });
  closing.push(() => plane.stop({ keep: settings.keep, graceMs: PLANE_GRACE_MS }));
  signal.throwIfAborted();
  say(`Kubernetes ${plane.version} is ready; installing definitions, RBAC and keys …`);
  const { keys, apiKey } = await installAll(settings, plane);
  const provider = await startProvider(join(BASE, 'secrets.yaml'), plane.folder);
  closing.push(provider.close);
  signal.throwIfAborted();
  say('Starting the operator and the API …');
  const flags = partFlags(settings, provider);
  const operator = await startOperator({ plane, signal, flags: flags.operator });
  closing.push(() => operator.process.stop(PART_GRACE_MS));
  const api = await startApi(keys, { plane, signal, flags: flags.api });
  closing.push(() => api.process.stop(PART_GRACE_MS));
  await applyExample(plane);
  signal.throwIfAborted();
  return { plane, operator, api, apiKey, orbiset: `${EXAMPLE_NAMESPACE}.${EXAMPLE.orbiset}` };
}

/**
 * Starts control plane, operator and API with keys, an API key for all tenants and the example (design.md §7).
 * @param signal cancels the start between its steps; parts that have started are stopped
 * @throws Error what failed, with the end of that part's log; then nothing keeps running
 */
export async function startCluster(
  settings: ClusterSettings,
  say: Say,
  signal: AbortSignal = new AbortController().signal,
): Promise<Cluster> {
  const closing: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closing.splice(0).toReversed()) await close();
  };
  await checkFree([
    { address: settings.listen, flag: '--listen' },
    { address: settings.metricsListen, flag: '--metrics-listen' },
  ]);
  try {
    return { ...(await assemble(settings, { say, signal, closing })), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
