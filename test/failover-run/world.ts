import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { PrometheusMode } from '../../adapters/prometheus/expressions.ts';
import { makeApiKey, makeKeys, startApi, startOperator, type Part } from '../../hack/cluster/parts.ts';
import { startControlPlane, type ControlPlane } from '../../hack/control-plane/control-plane.ts';
import { freePort } from '../../hack/control-plane/free-port.ts';
import { installPlatform } from '../../hack/control-plane/install.ts';
import { startPrometheus, type RunningPrometheus } from '../../hack/prometheus/prometheus.ts';
import { testNamespace, type TestNamespace } from '../support/cluster.ts';
import { makeCa } from '../support/tls.ts';
import { hostOf, NAMESPACE, ORBS, ORG, resources, type ProviderName } from './orbs.ts';
import { startSlowProvider, type SlowProvider } from './slow-provider.ts';

const ISSUER = 'https://orbs.localhost';
const SCRAPE = '5s';
const root = resolve(import.meta.dirname, '../..');

/** The platform on a control plane, and the Prometheus that scrapes it. */
export interface World {
  readonly plane: ControlPlane;
  readonly team: TestNamespace;
  readonly api: Part;
  readonly apiKey: string;
  /** Public root key of the issuer. */
  readonly rootFile: string;
  readonly providers: Readonly<Record<ProviderName, SlowProvider>>;
  readonly prometheusUrl: string;
  /** Starts the operator, in place of one that runs: it asks Prometheus in this way. */
  readonly runOperator: (mode: PrometheusMode) => Promise<Part>;
  /** The Prometheus scrapes this address, too. */
  readonly scrapeAlso: (metricsUrl: string) => Promise<void>;
  readonly stopPrometheus: () => Promise<void>;
  /** With the samples that it had, at its address. */
  readonly startPrometheus: () => Promise<void>;
  readonly close: (keep: boolean) => Promise<void>;
}

type Closing = (() => Promise<unknown>)[];

/** How both parts find the providers. */
async function providersFor(
  folder: string,
  closing: Closing,
): Promise<{ readonly providers: World['providers']; readonly stubs: readonly string[]; readonly ca: string }> {
  const authority = makeCa();
  const [alpha, beta] = await Promise.all([
    startSlowProvider(authority, 'alpha', 60),
    startSlowProvider(authority, 'beta', 30),
  ]);
  closing.push(alpha.close, beta.close);
  const ca = join(folder, 'providers-ca.pem');
  await writeFile(ca, authority.certificate);
  const stubs = [alpha, beta].flatMap(({ name, port }) => [
    '--egress-stub',
    `https://${hostOf(name)}=127.0.0.1:${port}`,
  ]);
  return { providers: { alpha, beta }, stubs, ca };
}

/** A Prometheus that can be stopped and goes on later with what it knew; it scrapes whatever is told it last. */
function prometheusAt(port: number, dataFolder: string) {
  let running: RunningPrometheus | undefined;
  let targets: readonly string[] = [];
  const rulesFile = join(root, 'charts/orb-platform/files/prometheus/rules.yaml');
  const stop = async (): Promise<void> => {
    await running?.stop();
    running = undefined;
  };
  const start = async (): Promise<void> => {
    running = await startPrometheus({ targets, rulesFile, scrapeInterval: SCRAPE, dataFolder, port });
  };
  const scrape = async (urls: readonly string[]): Promise<void> => {
    targets = urls.map((url) => new URL(url).host);
    await running?.reload(targets);
  };
  return { start, stop, scrape };
}

/** `kubectl orb` as a person has it: the plugin on the PATH. */
async function installPlugin(plane: ControlPlane): Promise<void> {
  const folder = join(plane.folder, 'bin');
  await mkdir(folder);
  await symlink(join(root, 'cli/kubectl-orb.js'), join(folder, 'kubectl-orb'));
}

/** Flags beside the usual ones: those of both programs, and those of the API alone. */
interface MoreFlags {
  readonly both: readonly string[];
  readonly api: readonly string[];
}

/** Makes what the flags name, once the platform is installed and its keys are made. */
type Preparing = (plane: ControlPlane) => Promise<MoreFlags>;

async function assemble(plane: ControlPlane, closing: Closing, prepare: Preparing): Promise<Omit<World, 'close'>> {
  await installPlatform(plane);
  await installPlugin(plane);
  const keys = await makeKeys(plane, ISSUER);
  const apiKey = await makeApiKey(plane);
  const { providers, stubs, ca } = await providersFor(plane.folder, closing);
  const more = await prepare(plane);
  const port = await freePort();
  const prometheusUrl = `http://127.0.0.1:${port}`;
  const asking = ['--prometheus-url', prometheusUrl, '--prometheus-scrape-interval', SCRAPE];
  const owner = ['--org', `${ORG}=${NAMESPACE}`];
  const api = await startApi(keys, {
    plane,
    flags: [...stubs, '--egress-ca', ca, ...asking, ...owner, ...more.both, ...more.api],
  });
  closing.push(() => api.process.stop());
  const prometheus = prometheusAt(port, join(plane.folder, 'prometheus-data'));
  closing.push(prometheus.stop);
  let operator: Part | undefined;
  let others: readonly string[] = [];
  const scrapeAll = (): Promise<void> =>
    prometheus.scrape([api.metricsUrl, ...(operator === undefined ? [] : [operator.metricsUrl]), ...others]);
  closing.push(async () => operator?.process.stop());
  const runOperator = async (mode: PrometheusMode): Promise<Part> => {
    await operator?.process.stop();
    const started = await startOperator({
      plane,
      flags: [...stubs, ...asking, '--prometheus-mode', mode, ...more.both],
    });
    operator = started;
    await scrapeAll();
    return started;
  };
  const scrapeAlso = (metricsUrl: string): Promise<void> => {
    others = [...others, metricsUrl];
    return scrapeAll();
  };
  await scrapeAll();
  await prometheus.start();
  const team = await testNamespace(plane, NAMESPACE);
  await team.apply(...resources());
  const { start: startAgain, stop: stopPrometheus } = prometheus;
  const rootFile = join(keys, 'root.jwk');
  const parts = { plane, team, api, apiKey, rootFile, providers, prometheusUrl };
  return { ...parts, runOperator, scrapeAlso, stopPrometheus, startPrometheus: startAgain };
}

const prepareNothing: Preparing = () => Promise.resolve({ both: [], api: [] });

/** Starts everything but the operator. @param signal breaks the start of the control plane off */
export async function startWorld(signal?: AbortSignal, prepare = prepareNothing): Promise<World> {
  const closing: Closing = [];
  const plane = await startControlPlane(signal === undefined ? {} : { signal });
  const close = async (keep: boolean): Promise<void> => {
    for (const end of closing.splice(0).toReversed()) await end();
    await plane.stop({ keep });
  };
  try {
    return { ...(await assemble(plane, closing, prepare)), close };
  } catch (error) {
    await close(false);
    throw error;
  }
}

/** Both Orbs are executed from now on. */
export const untilReady = ({ team }: World): Promise<string> =>
  team.kubectl('wait', ...ORBS.map(({ name }) => `orb/${name}`), '--for=condition=Ready', '--timeout=60s');
