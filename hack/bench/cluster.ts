// `npm run bench cluster [-- --rounds 4 --seconds 4 --json FILE]`: compares the cost of a run through the API on a
// cluster with standalone. Both run all the time and are measured in turns; a proxy counts the calls of the Kubernetes
// API.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCountingProxy, type CountingProxy } from '../../test/chaos/rig/counting-proxy.ts';
import { makeApiKey, makeKeys, startApi, startOperator } from '../cluster/parts.ts';
import { startControlPlane, type ControlPlane } from '../control-plane/control-plane.ts';
import { createTenant, installPlatform, kubectlOk } from '../control-plane/install.ts';
import { readBenchOptions } from './bench-options.ts';
import { load } from './processes.ts';
import { logFile, startMock, startPlatform } from './subjects.ts';
import { median } from '../../test/support/rank.ts';

const GOAL = 0.95;
const CONCURRENCY = 32;
const WARM_SECONDS = 6;
const NAMESPACE = 'bench';

const options = readBenchOptions({
  name: 'cluster',
  about: `Compares the cost of a run through the API on a cluster with standalone. Both run all the time and are measured in turns.
A proxy counts the calls of the Kubernetes API. The exit code is 1 when the goal is missed.`,
  options: [
    { name: 'rounds', takes: 'N', value: '4', least: 1, text: 'rounds' },
    { name: 'seconds', takes: 'SECONDS', value: '4', least: 0.1, text: 'duration of each load' },
    { name: 'json', takes: 'FILE', text: 'saves all measurements' },
  ],
});
const seconds = options.number('seconds');

/** A server that answers the request of the benchmark. */
interface Target {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function rate(target: Target, duration: number): Promise<number> {
  const { port, path, headers, body } = target;
  const result = await load({ port, path, headers, body, concurrency: CONCURRENCY, seconds: duration });
  if (result.errors > 0) throw new Error(`${result.errors} requests failed: ${result.firstError}`);
  return result.requests / result.seconds;
}

/** Applies the same Orb, Orbiset and Secret that standalone's folder holds. */
async function applyResources(plane: ControlPlane, folder: string): Promise<void> {
  await createTenant(plane, NAMESPACE, 'bench');
  const resources = readFileSync(join(folder, 'resources/orbiset.yaml'), 'utf8').replaceAll(
    'namespace: default',
    `namespace: ${NAMESPACE}`,
  );
  await kubectlOk(plane, ['apply', '--server-side', '-f', '-'], resources);
  const indented = readFileSync(join(folder, 'resources/send.yaml'), 'utf8').replaceAll(/^/gm, '  ');
  const orb = `apiVersion: orbs.dev/v1alpha1\nkind: Orb\nmetadata: { name: send, namespace: ${NAMESPACE} }\nspec:\n${indented}`;
  await kubectlOk(plane, ['apply', '--server-side', '-f', '-'], orb);
  await kubectlOk(plane, ['wait', 'orbs,orbisets', '-n', NAMESPACE, '--all', '--for=condition=Ready', '--timeout=30s']);
}

type Closing = (() => Promise<unknown>)[];

/** The platform on the control plane, seen through a proxy that counts. */
async function startCluster(
  plane: ControlPlane,
  folder: string,
  { mock, closing }: { readonly mock: number; readonly closing: Closing },
): Promise<{ readonly target: Omit<Target, 'body'>; readonly proxy: CountingProxy }> {
  await installPlatform(plane);
  const keys = await makeKeys(plane, 'https://orbs.localhost');
  const key = await makeApiKey(plane);
  const proxy = await startCountingProxy({ upstream: plane.server.url, ca: plane.ca });
  closing.push(proxy.close);
  const flags = ['--egress-allow', `http://127.0.0.1:${mock}`];
  const operator = await startOperator({ plane, flags });
  closing.push(() => operator.process.stop());
  const unlimited = ['--rate-tenant', '0', '--rate-orb', '0', '--rate-process', '0'];
  const api = await startApi(keys, { plane, flags: [...flags, ...unlimited], server: proxy.url });
  closing.push(() => api.process.stop());
  await applyResources(plane, folder);
  const path = `/orbisets/${NAMESPACE}.default/execute`;
  return { target: { port: Number(new URL(api.url).port), path, headers: { authorization: `Bearer ${key}` } }, proxy };
}

interface Result {
  readonly kubernetes: string;
  readonly standalone: readonly number[];
  readonly cluster: readonly number[];
  /** Calls of the Kubernetes API during the runs. */
  readonly kubernetesCalls: number;
}

async function measure(folder: string, plane: ControlPlane, closing: Closing): Promise<Result> {
  const log = logFile(folder, 'log.txt');
  const mock = await startMock(log);
  closing.push(() => mock.started.stop());
  const standalone = await startPlatform(folder, mock.port, log);
  closing.push(() => standalone.started.stop());
  const { target, proxy } = await startCluster(plane, folder, { mock: mock.port, closing });
  const cluster = { ...target, body: standalone.body };
  for (const warmed of [standalone, cluster]) await rate(warmed, WARM_SECONDS);
  const rates: { readonly standalone: number[]; readonly cluster: number[] } = { standalone: [], cluster: [] };
  let calls = 0;
  for (let number = 0; number < options.number('rounds'); number += 1) {
    rates.standalone.push(await rate(standalone, seconds));
    const before = proxy.journal.requests.length;
    rates.cluster.push(await rate(cluster, seconds));
    calls += proxy.journal.requests.length - before;
  }
  return { kubernetes: plane.version, ...rates, kubernetesCalls: calls };
}

const list = (numbers: readonly number[], digits: number): string =>
  numbers.map((value) => value.toFixed(digits)).join(', ');

const folder = mkdtempSync(join(tmpdir(), 'orb-bench-'));
const plane = await startControlPlane();
const closing: Closing = [];
try {
  console.log(`node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(2) ?? '?'}`);
  const result = await measure(folder, plane, closing);
  const ratios = result.cluster.map((value, index) => value / (result.standalone[index] ?? Number.NaN));
  console.log(`standalone, runs/s at ${CONCURRENCY}:  ${list(result.standalone, 0)}`);
  console.log(`cluster, runs/s at ${CONCURRENCY}:     ${list(result.cluster, 0)}`);
  console.log(`cluster / standalone:      ${median(ratios).toFixed(3)} (${list(ratios, 3)})   goal ≥ ${GOAL}`);
  console.log(`calls of the Kubernetes API while executing: ${result.kubernetesCalls}   goal 0`);
  const json = options.given('json');
  if (json !== undefined) writeFileSync(json, JSON.stringify({ ...result, ratios }));
  process.exitCode = median(ratios) >= GOAL && result.kubernetesCalls === 0 ? 0 : 1;
} finally {
  for (const close of closing.toReversed()) await close();
  await plane.stop();
  rmSync(folder, { recursive: true, force: true });
}
