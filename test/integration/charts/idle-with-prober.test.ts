import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject } from '../../../core/json/json-value.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { startCountingProxy, type CountingProxy } from '../../chaos/rig/counting-proxy.ts';
import { writesOf, type RequestEntry } from '../../chaos/rig/journal.ts';
import { readScrape } from '../../../hack/bench/scrape.ts';
import { canaryOf, startMeasuredCluster, type MeasuredCluster } from '../../support/cluster/measured-cluster.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const INTERVAL_MS = 2000;
/** Nothing is written for so long before the idle time begins. */
const SETTLED_MS = 15_000;
const IDLE_MS = 95_000;
const WAIT_MS = 120_000;

/** The head of the log follows the receipts of the canary (trust.md §2.3). */
const isLogHead = ({ resource, name }: RequestEntry): boolean => resource === 'configmaps' && name === 'orb-log-head';
/** Most writes of the head in the idle time: four times a minute. */
const MOST_HEADS = IDLE_MS / 15_000 + 1;

const shown = ({ verb, resource, namespace, name, subresource }: RequestEntry): string =>
  [verb, resource, namespace, name, subresource].filter((part) => part !== undefined).join(' ');

describe('an idle platform with a signal source and a prober, on a real API server', function () {
  this.timeout(420_000);
  const proxies: CountingProxy[] = [];
  let cluster: MeasuredCluster;

  async function proxy(plane: ControlPlane): Promise<string> {
    const made = await startCountingProxy({ upstream: plane.server.url, ca: plane.ca });
    proxies.push(made);
    return made.url;
  }
  /** Of each proxy, without the head of the log. */
  const writes = (): readonly (readonly RequestEntry[])[] =>
    proxies.map(({ journal }) => writesOf(journal).filter((entry) => !isLogHead(entry)));
  const heads = (): number => proxies.flatMap(({ journal }) => writesOf(journal).filter(isLogHead)).length;
  const works = async (): Promise<boolean> => {
    const page: unknown = await (await fetch(`${cluster.prober.url}/status`)).json();
    const services = isJsonObject(page) && isJsonObject(page['services']) ? Object.values(page['services']) : [];
    return services.length > 0 && services.every((state) => state === 'operational');
  };
  const receivedRounds = async (): Promise<number> =>
    readScrape(await (await fetch(cluster.prober.metricsUrl)).text()).sum('orb_status_probe_duration_seconds_count', {
      check: 'read',
    });

  before(async () => {
    cluster = await startMeasuredCluster({
      intervalMs: INTERVAL_MS,
      servers: async (plane) => ({ api: await proxy(plane), operator: await proxy(plane) }),
    });
    await cluster.apply(canaryOf(cluster));
    await lastAnswer(works, (isDone) => isDone, WAIT_MS);
    for (let before = -1; before !== writes().flat().length;) {
      before = writes().flat().length;
      await delay(SETTLED_MS);
    }
  });
  after(async () => {
    await cluster?.stop();
    for (const { close } of proxies) await close();
  });

  it('writes nothing to the Kubernetes API but its leases and the head of its log in 95 seconds of rounds', async () => {
    const [before, headsBefore, rounds] = [writes(), heads(), await receivedRounds()];
    expect(before.flat().length, 'the proxies see writes: statuses of the canary').to.be.above(0);
    await delay(IDLE_MS);
    expect(await receivedRounds(), 'events of the canary came meanwhile').to.be.above(rounds + 10);
    expect(await works()).to.equal(true);
    const since = writes().flatMap((all, index) => all.slice(before[index]?.length));
    expect(since.map(shown)).to.deep.equal([]);
    expect(heads() - headsBefore).to.be.within(1, MOST_HEADS);
    const leases = proxies.flatMap(({ journal }) => journal.requests.filter(({ resource }) => resource === 'leases'));
    expect(leases.length, 'the operator leads by a lease').to.be.above(0);
  });
});
