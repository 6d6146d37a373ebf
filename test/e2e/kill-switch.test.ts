import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { kubectlOk, PLATFORM_NAMESPACE } from '../../hack/control-plane/install.ts';
import { at } from '../../hack/control-plane/json.ts';
import { node, say } from '../support/e2e/node.ts';
import { connectApi, type ApiAnswer, type ApiClient } from './support/api-client.ts';
import { untilServed } from './support/load.ts';
import { eventually } from './support/patience.ts';
import {
  executionOf,
  loadOrb,
  loadOrbiset,
  removeProviders,
  startProviders,
  TENANT,
  type ProviderPods,
} from './support/provider-pods.ts';
import { ensureRelease, platformKubectl, removeRelease } from './support/release.ts';
import { watchWire, type Wire } from './support/wire.ts';

const ORB = 'load.switched@1.0.0';
const LIMIT_MS = 5000;
const WATCH_MS = 5000;
const SLOW_MS = 60_000;
const CALL_EVERY_MS = 20;
// Fewer than our own connections: one more call is never kept waiting by those that wait for the slow provider.
const CALLERS = 64;

const SWITCH = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'orb-egress', namespace: PLATFORM_NAMESPACE },
  data: { stop: 'true' },
};
const stopEgress = (): Promise<string> =>
  kubectlOk(node, ['apply', '--server-side', '-f', '-'], JSON.stringify(SWITCH));
const allowEgress = (): Promise<string> => platformKubectl('delete', 'configmap/orb-egress', '--ignore-not-found');
const podAddress = (namespace: string, selector: string): Promise<string> =>
  kubectlOk(node, ['-n', namespace, 'get', 'pods', '-l', selector, '-o', 'jsonpath={.items[0].status.podIP}']);

describe('the kill switches, on running pods', () => {
  let providers: ProviderPods;
  let api: ApiClient;
  let wire: Wire;
  let calling = new AbortController();
  let count = 0;
  let waiting = 0;

  const suspend = (suspended: boolean): Promise<string> =>
    providers.tenant.kubectl('patch', 'orbiset/default', '--type=merge', '-p', JSON.stringify({ spec: { suspended } }));
  const nextId = (): string => {
    count += 1;
    return `slow-${count}`;
  };
  const run = (id = nextId()): Promise<ApiAnswer> => {
    const options = { headers: {}, signal: AbortSignal.timeout(SLOW_MS) };
    return api.post(`/orbisets/${TENANT}.default/execute`, { orb_id: ORB, inputs: { id } }, options);
  };
  const untilStatus = (status: number): Promise<ApiAnswer | undefined> =>
    eventually(async () => {
      const answer = await run();
      return answer.status === status ? answer : undefined;
    });
  const call = async (): Promise<void> => {
    if (waiting >= CALLERS) return;
    waiting += 1;
    await run().catch(() => undefined);
    waiting -= 1;
  };

  /** Comes 50 times a second, whatever the answer, until the switch has been looked at. */
  function callers(): void {
    calling = new AbortController();
    const { signal } = calling;
    const timer = setInterval(() => void call(), CALL_EVERY_MS);
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  }

  /**
   * Throws a switch under load and under a run that waits for its provider.
   * @param sent what has gone to the provider so far
   */
  async function checkThrown(code: string, flip: () => Promise<unknown>, sent: () => Promise<number>): Promise<void> {
    const before = await sent();
    callers();
    const flowing = await eventually(async () => ((await sent()) > before ? 'flowing' : undefined));
    expect(flowing, 'sent before the switch').to.equal('flowing');
    const [alpha] = providers.all;
    await alpha?.take(SLOW_MS);
    const id = nextId();
    const running = run(id);
    const there = await eventually(async () => ((await alpha?.posted())?.includes(id) === true ? 'there' : undefined));
    expect(there, 'the run at its provider').to.equal('there');
    await flip();
    const thrown = performance.now();
    const { status, body } = await running;
    expect([status, at(body, 'code'), at(body, 'run', 'status')]).to.deep.equal([503, code, 'failed']);
    expect(at(body, 'run', 'receipt', 'receipt_id')).to.match(/^rcpt_/);
    const ended = performance.now() - thrown;
    expect(ended, 'ms until the run was ended').to.be.below(LIMIT_MS);
    await delay(LIMIT_MS - ended);
    expect(waiting, 'callers who wait: others may come').to.be.below(CALLERS);
    const stopped = await sent();
    await delay(WATCH_MS);
    expect((await sent()) - stopped, 'sent after the limit').to.equal(0);
    const refused = await run();
    expect([refused.status, at(refused.body, 'code')]).to.deep.equal([503, code]);
    say(
      `${code}: a run in flight was ended ${Math.round(ended)} ms after the switch, nothing sent from ${LIMIT_MS} ms on`,
    );
  }

  async function checkReleased(flip: () => Promise<unknown>): Promise<void> {
    calling.abort();
    await providers.all[0]?.take(20);
    await flip();
    expect((await untilStatus(200))?.status, 'after the switch').to.equal(200);
  }

  before(async () => {
    await removeProviders();
    await removeRelease();
    providers = await startProviders('alpha');
    await ensureRelease(providers.values);
    await providers.tenant.apply(
      ...loadOrbiset('alpha'),
      loadOrb('switched', { provider: 'alpha', execution: { ...executionOf('alpha', 'POST'), idempotent: true } }),
    );
    await providers.tenant.kubectl('wait', 'orb/switched', '--for=condition=Ready', '--timeout=180s');
    api = await connectApi();
    await untilServed(api, ORB);
    const to = await podAddress(TENANT, 'app=alpha');
    wire = await watchWire(await podAddress(PLATFORM_NAMESPACE, 'app.kubernetes.io/component=api'), [to]);
  });
  after(async () => {
    await allowEgress();
    calling.abort();
    await wire.remove();
    await api.close();
    await removeProviders();
    await removeRelease();
  });

  it('ConfigMap orb-egress: no byte leaves 5 s after it says stop', () =>
    checkThrown('egress-stopped', stopEgress, () => wire.bytes()));

  it('calls go on when it is deleted', () => checkReleased(allowEgress));

  // Idle connections of other Orbisets stay open: requests are what counts.
  it('a suspended Orbiset: no request of its runs is sent 5 s later', () =>
    checkThrown(
      'orbiset-suspended',
      () => suspend(true),
      async () => (await providers.all[0]?.posted())?.length ?? Number.NaN,
    ));

  it('its runs go on when it is no longer suspended', () => checkReleased(() => suspend(false)));
});
