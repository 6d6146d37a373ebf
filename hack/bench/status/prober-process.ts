import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { pipeline } from 'node:stream/promises';
import { listenOn } from '../../../adapters/process/listen.ts';
import { isRecord, textAt } from '../../control-plane/json.ts';
import { untilReadyFile } from '../../control-plane/until-ready.ts';
import { start, type Started } from '../processes.ts';
import { logFile, ROOT } from '../subjects.ts';
import { NAMESPACE, type MeasuredPlatform } from './platform.ts';

/** A running program `status-prober` that has made its first round. */
export interface ProberProcess {
  readonly started: Started;
  readonly url: string;
  readonly metrics: string;
}

export interface ProberOptions {
  readonly folder: string;
  readonly intervalSeconds: number;
  readonly isCompiled: boolean;
  /** Whether API and pages have TLS, as the chart has it by default. */
  readonly isTls: boolean;
}

const TEMPLATE = 'charts/orb-platform/templates/status-prober.yaml';

/** The options of Node in the chart: they decide about CPU and memory. @throws Error the chart names none */
export function nodeOptionsOfChart(): readonly string[] {
  const text = readFileSync(join(ROOT, TEMPLATE), 'utf8');
  const command = /\bcommand:\n((?: +- .*\n)+)/.exec(text)?.[1] ?? '';
  const options = command.split('\n').flatMap((line) => /^ +- (--\S+)$/.exec(line)?.[1] ?? []);
  if (options.length === 0) throw new Error(`${TEMPLATE} names no options of Node`);
  // The share of a memory limit needs one: a process of this machine has none.
  return options.map((option) => (option.startsWith('--max-old-space-size-') ? '--max-old-space-size=64' : option));
}

/** A request that a kubelet repeats. */
export interface KubeletProbe {
  readonly path: string;
  readonly seconds: number;
}

const PROBES_TEMPLATE = 'charts/orb-platform/templates/_prober-container.tpl';
const PROBE = /define "orb\.statusProber\.(?:liveness|readiness)Probe"[^]*?path: ([^,]+),[^]*?periodSeconds: (\d+)/g;

/** What a kubelet asks of a prober that has started, with the periods of the chart. */
export const probesOfChart = (): readonly KubeletProbe[] =>
  [...readFileSync(join(ROOT, PROBES_TEMPLATE), 'utf8').matchAll(PROBE)].map(([, path = '', seconds]) => ({
    path,
    seconds: Number(seconds),
  }));

/** Ends TLS before the API, as a pod does itself. */
async function startFront({
  files,
  server,
}: MeasuredPlatform): Promise<{ readonly server: Server; readonly port: number }> {
  const pass = async (socket: TLSSocket): Promise<void> => {
    const api = connect(server.port, '127.0.0.1');
    await Promise.all([pipeline(socket, api), pipeline(api, socket)]);
  };
  const front = createServer({ cert: readFileSync(files.cert), key: readFileSync(files.key) }, (socket) => {
    // A prober that ends closes its connections in the middle.
    pass(socket).catch(() => socket.destroy());
  });
  const { port } = await listenOn(front, { host: '127.0.0.1', port: 0 });
  return { server: front, port };
}

const program = (isCompiled: boolean): string => join(ROOT, isCompiled ? 'dist/image/main.js' : 'image/main.ts');

function flagsOf(platform: MeasuredPlatform, api: string, ready: string, options: ProberOptions): readonly string[] {
  const { server, files, tokenFile, sourceSecretFile, providerPort } = platform;
  const { folder, intervalSeconds, isTls } = options;
  const values = {
    api,
    'api-metrics': new URL(server.metrics ?? '').origin,
    'token-file': tokenFile,
    'source-secret-file': sourceSecretFile,
    namespace: NAMESPACE,
    interval: `${intervalSeconds}s`,
    journal: join(folder, 'journal'),
    listen: '127.0.0.1:0',
    'provider-listen': `127.0.0.1:${providerPort}`,
    'metrics-listen': '127.0.0.1:0',
    'tls-cert': files.cert,
    'tls-key': files.key,
    'ready-file': ready,
    // Another server that answers: the Kubernetes API is not here.
    'control-dns': 'localhost',
    ...(isTls ? { 'api-ca-file': files.ca } : {}),
  };
  const flags = Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]);
  return isTls ? flags : [...flags, '--behind-tls-proxy'];
}

/** Runs the program against a platform, for the time of `work`. */
export async function withProber<T>(
  platform: MeasuredPlatform,
  options: ProberOptions,
  work: (prober: ProberProcess) => Promise<T>,
): Promise<T> {
  const { folder, isCompiled, isTls } = options;
  const front = isTls ? await startFront(platform) : undefined;
  const api = front === undefined ? `http://127.0.0.1:${platform.server.port}` : `https://localhost:${front.port}`;
  const ready = join(folder, 'prober-ready.json');
  const args = ['status-prober', ...flagsOf(platform, api, ready, options)];
  const started = start([...nodeOptionsOfChart(), program(isCompiled), ...args], logFile(folder, 'prober.txt'));
  started.child.stdout?.resume();
  const { child } = started;
  const starting = {
    name: 'the prober',
    ended: () => child.exitCode !== null || child.signalCode !== null,
    tail: () => readFileSync(join(folder, 'prober.txt'), 'utf8').slice(-2000),
    kill: (signal: NodeJS.Signals) => void started.stop(signal),
  };
  try {
    const addresses = await untilReadyFile(ready, starting, isRecord);
    return await work({ started, url: textAt(addresses, 'url'), metrics: textAt(addresses, 'metrics_url') });
  } finally {
    await started.stop();
    front?.server.close();
  }
}
