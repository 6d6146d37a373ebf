import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { isJsonObject } from '../../core/json/json-value.ts';
import { kubectlOk, PLATFORM_NAMESPACE } from '../../hack/control-plane/install.ts';
import { imagePlace } from '../../hack/image/build-image.ts';
import { at } from '../../hack/control-plane/json.ts';
import { node, place, say } from '../support/e2e/node.ts';
import { patiently } from './support/patience.ts';
import { platformKubectl } from './support/release.ts';
import { setStage, type Stage } from './support/stage.ts';

const SETTLE_MS = 20_000;
const IDLE_MS = 60_000;
const MIB = 1024 * 1024;
const METRICS = { api: 9464, operator: 9465 } as const;
type Part = keyof typeof METRICS;
const PARTS: readonly Part[] = ['api', 'operator'];

/** A pod at one moment. */
interface Reading {
  readonly pod: string;
  readonly part: Part;
  readonly atMs: number;
  readonly workingSetBytes: number;
  readonly cpuSeconds: number;
  /** Requests to the Kubernetes API since the start. */
  readonly kubeCalls: number;
  /** From the start of the container until the pod is ready; whole seconds, as the kubelet tells them. */
  readonly readySeconds: number;
  readonly requested: Requested;
}

/** What the scheduler keeps free for a container. */
interface Requested {
  readonly memoryMib: number;
  readonly cpuMillicores: number;
}

/** What a pod takes while nobody calls. */
interface Footprint {
  readonly pod: string;
  readonly memoryMib: number;
  readonly cpuMillicores: number;
  readonly kubeCallsPerSecond: number;
  readonly readySeconds: number;
  readonly requested: Requested;
}

const itemsOf = (value: unknown, ...path: readonly string[]): readonly unknown[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter(isJsonObject) : [];
};

async function kubeCalls(address: string, port: number): Promise<number> {
  const text = await patiently(async () =>
    (await fetch(`http://${address}:${port}/metrics`, { signal: AbortSignal.timeout(5000) })).text(),
  );
  const lines = text.split('\n').filter((line) => line.startsWith('rest_client_requests_total{'));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

function readySeconds(pod: unknown): number {
  const [container] = itemsOf(pod, 'status', 'containerStatuses');
  const ready = itemsOf(pod, 'status', 'conditions').find((condition) => at(condition, 'type') === 'Ready');
  const [to, from] = [at(ready, 'lastTransitionTime'), at(container, 'state', 'running', 'startedAt')];
  return (Date.parse(String(to)) - Date.parse(String(from))) / 1000;
}

/** In the units of the chart; NaN for another, which is below nothing. */
function requestedOf(pod: unknown): Requested {
  const [container] = itemsOf(pod, 'spec', 'containers');
  const requests = ['resources', 'requests'];
  return {
    memoryMib: Number(/^(\d+)Mi$/.exec(String(at(container, ...requests, 'memory')))?.[1]),
    cpuMillicores: Number(/^(\d+)m$/.exec(String(at(container, ...requests, 'cpu')))?.[1]),
  };
}

/** What the kubelet measured of the container that does the work. */
async function measured(pod: string): Promise<Pick<Reading, 'atMs' | 'workingSetBytes' | 'cpuSeconds'>> {
  const path = `/api/v1/nodes/${place.name}-node/proxy/stats/summary`;
  const summary: unknown = JSON.parse(await kubectlOk(node, ['get', '--raw', path]));
  const [stats] = itemsOf(summary, 'pods')
    .filter((one) => at(one, 'podRef', 'name') === pod)
    .flatMap((one) => itemsOf(one, 'containers'));
  return {
    atMs: Date.parse(String(at(stats, 'cpu', 'time'))),
    workingSetBytes: Number(at(stats, 'memory', 'workingSetBytes')),
    cpuSeconds: Number(at(stats, 'cpu', 'usageCoreNanoSeconds')) / 1e9,
  };
}

async function read(part: Part): Promise<readonly Reading[]> {
  const selector = `app.kubernetes.io/component=${part}`;
  const list: unknown = JSON.parse(await platformKubectl('get', 'pods', '-l', selector, '-o', 'json'));
  return Promise.all(
    itemsOf(list, 'items').map(async (item) => {
      const pod = String(at(item, 'metadata', 'name'));
      const calls = await kubeCalls(String(at(item, 'status', 'podIP')), METRICS[part]);
      const reported = { readySeconds: readySeconds(item), requested: requestedOf(item) };
      return { pod, part, kubeCalls: calls, ...reported, ...(await measured(pod)) };
    }),
  );
}

const readAll = async (): Promise<readonly Reading[]> => (await Promise.all(PARTS.map(read))).flat();

const round = (value: number): number => Math.round(value * 100) / 100;

function footprintOf(first: Reading, last: Reading): Footprint {
  const seconds = (last.atMs - first.atMs) / 1000;
  return {
    pod: last.part,
    memoryMib: Math.round(last.workingSetBytes / MIB),
    cpuMillicores: round(((last.cpuSeconds - first.cpuSeconds) / seconds) * 1000),
    kubeCallsPerSecond: round((last.kubeCalls - first.kubeCalls) / seconds),
    readySeconds: last.readySeconds,
    requested: last.requested,
  };
}

async function imageMib(): Promise<number> {
  const { tag } = await imagePlace();
  const found: unknown = JSON.parse(await kubectlOk(node, ['get', 'node', `${place.name}-node`, '-o', 'json']));
  const image = itemsOf(found, 'status', 'images').find((one) => JSON.stringify(one).includes(`"${tag}"`));
  return Math.round(Number(at(image, 'sizeBytes')) / MIB);
}

describe(`what the platform takes in ${PLATFORM_NAMESPACE} while nobody calls`, () => {
  let stage: Stage;
  before(async () => {
    stage = await setStage();
  });
  after(() => stage.close());

  it('stays within what its pods request', async () => {
    await delay(SETTLE_MS);
    const first = await readAll();
    await delay(IDLE_MS);
    const last = await readAll();
    const pods = last.flatMap((reading) => {
      const before = first.find(({ pod }) => pod === reading.pod);
      return before === undefined ? [] : [footprintOf(before, reading)];
    });
    say(JSON.stringify({ image_mib_unpacked: await imageMib(), pods }));
    expect(pods.map(({ pod }) => pod).toSorted()).to.deep.equal(['api', 'operator', 'operator']);
    for (const { pod, requested, memoryMib, cpuMillicores, kubeCallsPerSecond, readySeconds: seconds } of pods) {
      say(
        `      ${pod.padEnd(9)}${memoryMib} MiB, ${cpuMillicores} m CPU, ${kubeCallsPerSecond} calls/s, ready ${seconds} s`,
      );
      expect(memoryMib, `memory of ${pod}`).to.be.lessThan(requested.memoryMib);
      expect(cpuMillicores, `CPU of ${pod}`).to.be.lessThan(requested.cpuMillicores);
      expect(kubeCallsPerSecond, `calls of ${pod}`).to.be.within(0, 2);
    }
  });
});
