import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { untilReadyFile } from '../control-plane/until-ready.ts';
import { firstLine, start, type Started } from './processes.ts';

/** A server that answers the benchmark's request. */
export interface BenchServer {
  readonly started: Started;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** This checkout. */
export const ROOT = join(import.meta.dirname, '../..');

/** 800 bytes of inputs, five members (performance.md §1). */
const inputs = {
  recipient: 'alice@example.com',
  sender: 'noreply@example.com',
  subject: 'The monthly report of the benchmark',
  body: 'A line of text that is neither short nor long. '.repeat(13),
  tag: 'bench',
};

/** The Orb of the benchmark. */
export const manifest = (mock: number): string => `orb_id: bench.send@1.0.0
provider: mock
description: Sends one message to the mock provider of the benchmark.
inputs:
  recipient: { type: string, required: true }
  sender: { type: string, required: true }
  subject: { type: string, required: true }
  body: { type: string, required: true }
  tag: { type: string, required: true }
outputs:
  message_id: { type: string }
  status: { type: string, from: /body/status }
execution:
  type: http
  method: POST
  url: http://127.0.0.1:${mock}/v1/send
  headers: { Authorization: "Bearer {{orbiset.secrets.BENCH_TOKEN}}", Content-Type: application/json }
  body_template: '{"to":[{"email":"{{inputs.recipient}}"}],"from":{"email":"{{inputs.sender}}"},"subject":"{{inputs.subject}}","content":[{"type":"text/plain","value":"{{inputs.body}}"}],"tag":"{{inputs.tag}}"}'
`;

const orbiset = `apiVersion: orbs.dev/v1alpha1
kind: Orbiset
metadata: { name: default, namespace: default }
spec:
  vault:
    secrets:
      - { name: bench, allowedHosts: ["127.0.0.1"] }
---
apiVersion: v1
kind: Secret
metadata: { name: bench, namespace: default }
stringData: { BENCH_TOKEN: token-of-the-benchmark }
`;

/** The port in the first line that one of our scripts prints. */
export const portOf = (value: unknown): number =>
  typeof value === 'object' && value !== null && 'port' in value ? Number(value.port) : 0;

export async function startMock(log: number): Promise<{ readonly started: Started; readonly port: number }> {
  const started = start([join(import.meta.dirname, 'mock-provider.ts')], log);
  return { started, port: portOf(await firstLine(started)) };
}

export async function startPassThrough(mock: number, log: number): Promise<BenchServer> {
  const started = start([join(import.meta.dirname, 'pass-through.ts'), `http://127.0.0.1:${mock}/v1/send`], log);
  const body = JSON.stringify({ orb_id: 'bench.send@1.0.0', inputs });
  return { started, port: portOf(await firstLine(started)), path: '/orbisets/default/execute', headers: {}, body };
}

/** What `--ready-file` gets. */
export interface Ready {
  readonly url: string;
  readonly api_key: string;
}

const isReady = (value: unknown): value is Ready =>
  typeof value === 'object' && value !== null && 'url' in value && 'api_key' in value;

/** The ready file of a platform. @throws Error it ended, or was not ready in time */
export function untilPlatformReady(file: string, started: Started): Promise<Ready> {
  const { child } = started;
  const starting = {
    name: 'the platform',
    ended: () => child.exitCode !== null || child.signalCode !== null,
    tail: () => 'see the log file',
    kill: (signal: NodeJS.Signals) => void started.stop(signal),
  };
  return untilReadyFile(file, starting, isReady);
}

/** How `npm start` runs Node in a checkout. */
export const STANDALONE = ['--v8-pool-size=1', 'standalone/main.ts'] as const;

/**
 * The product in its shipped configuration: full sync, self-check on, logs to a file, a real key.
 * @param checkout folder of the code to run
 */
export async function startPlatform(folder: string, mock: number, log: number, checkout = ROOT): Promise<BenchServer> {
  const resources = join(folder, 'resources');
  mkdirSync(resources, { recursive: true });
  writeFileSync(join(resources, 'send.yaml'), manifest(mock));
  writeFileSync(join(resources, 'orbiset.yaml'), orbiset);
  const ready = join(folder, 'ready.json');
  const flags = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0', '--resources', resources];
  const more = ['--data', join(folder, 'data'), '--ready-file', ready, '--egress-allow', `http://127.0.0.1:${mock}`];
  const [option, program] = STANDALONE;
  const started = start([option, join(checkout, program), ...flags, ...more], log, true);
  started.child.stdout?.resume();
  const { url, api_key: key } = await untilPlatformReady(ready, started);
  const body = JSON.stringify({ orb_id: 'bench.send@1.0.0', inputs });
  const headers = { authorization: `Bearer ${key}` };
  return { started, port: Number(new URL(url).port), path: '/orbisets/default/execute', headers, body };
}

/** A log file of one round. */
export const logFile = (folder: string, name: string): number => {
  mkdirSync(folder, { recursive: true });
  return openSync(join(folder, name), 'a');
};
