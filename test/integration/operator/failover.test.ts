import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { readFailoverStatus } from '../../../core/failover/status-codec.ts';
import type { FailoverStatus } from '../../../core/failover/types.ts';
import { conditionOf, statusOf } from '../../../core/reconcile/read-object.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { startScriptedMetrics, type Script, type ScriptedMetrics } from '../../chaos/rig/scripted-metrics.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import { anOrb, manifestOf, swappable } from '../../support/kube-objects.ts';
import { SHORT_LEASE, startOperator, type OperatorProcess } from '../../support/operator-process.ts';

const LEADING = 'leader_election_master_status{name="orb-operator"}';
const ORB = 'orb/echo';
/** Longer than the lease of these tests. */
const STOPPED_MS = 6000;

const orb = (members: Readonly<Record<string, unknown>> = {}): object => {
  const { apiVersion, kind, spec } = anOrb('echo', { spec: manifestOf({ ...swappable, ...members }) });
  return { apiVersion, kind, metadata: { name: 'echo' }, spec };
};
const pinTo = (provider: string, mode: string, ms: number): Readonly<Record<string, unknown>> => ({
  pin: { provider, mode, expires_at: new Date(Date.now() + ms).toISOString() },
});
const statusIn = (object: KubeObject): FailoverStatus | null => readFailoverStatus(statusOf(object)['failover']);
const isActive =
  (provider: string, seq: number): ((object: KubeObject) => boolean) =>
  (object) => {
    const status = statusIn(object);
    return status?.activeProvider === provider && status.swapSeq === seq;
  };

const leads = async (operator: OperatorProcess): Promise<true | undefined> =>
  (await operator.metric(LEADING)) === 1 ? true : undefined;
const eventsOf = ({ history }: FailoverStatus): readonly string[] =>
  history.map(({ receiptId }) => `echo-${receiptId.replace('_', '-')} once`).toSorted();

const FAILING = { main: 'failing', other: 'well' } as const;
const WELL = { main: 'well', other: 'well' } as const;

describe('operator, failover', () => {
  let plane: ControlPlane;
  let prometheus: ScriptedMetrics;
  let space: TestNamespace;
  const running: OperatorProcess[] = [];

  before(async () => {
    plane = await sharedControlPlane();
  });
  beforeEach(async () => {
    space = await testNamespace(plane, `failover-${Math.random().toString(36).slice(2, 8)}`);
    prometheus = await startScriptedMetrics();
  });
  afterEach(async () => {
    for (const operator of running.splice(0)) await operator.stop();
    await prometheus.stop();
    await space.remove();
  });

  const say = (script: Script): void => prometheus.set({ namespace: space.name, orbId: 'acme.echo@1.0.0' }, script);
  const start = async (): Promise<OperatorProcess> => {
    const flags = [...SHORT_LEASE, '--prometheus-url', prometheus.url, '--failover-tick', '1s'];
    const operator = await startOperator(plane, { flags });
    running.push(operator);
    return operator;
  };
  /** Of swaps, by name: each has one of its own. */
  const swapEvents = async (): Promise<readonly string[]> =>
    (await space.list('events.events.k8s.io'))
      .filter((event) => event['reason'] === 'ProviderChanged')
      .map((event) => `${event.metadata.name} ${'series' in event ? 'again' : 'once'}`)
      .toSorted();
  const read = async (): Promise<FailoverStatus> => {
    const object = await space.get(ORB);
    const status = object === undefined ? null : statusIn(object);
    if (status === null) throw new Error('no status.failover');
    return status;
  };

  it('leaves a provider that fails, once, with evidence, an Event and a count, and writes nothing after it', async () => {
    const operator = await start();
    say(FAILING);
    await space.apply(orb());
    const swapped = await space.until(ORB, isActive('other', 1));
    const [swap] = statusIn(swapped)?.history ?? [];
    expect(swap).to.include({ from: 'main', to: 'other', reason: 'hard_failure', rule: 'hard-failure' });
    expect(swap?.evidence).to.include('"source":"prometheus"');
    expect(conditionOf(swapped, 'FailedOver')).to.include({ status: 'True', reason: 'HardFailure' });
    expect(conditionOf(swapped, 'MetricsAvailable')).to.include({ status: 'True' });
    const labels = `orb_namespace="${space.name}",orb_id="acme.echo@1.0.0"`;
    const series = `orb_provider_swaps_total{${labels},from="main",to="other",reason="hard_failure"}`;
    expect(await operator.metric(series)).to.equal(1);
    const queries = prometheus.queryCount();
    await waitFor(async () => (prometheus.queryCount() > queries + 2 ? true : undefined));
    const later = await space.get(ORB);
    expect(later?.metadata.resourceVersion).to.equal(swapped.metadata.resourceVersion);
    expect(await swapEvents()).to.deep.equal(eventsOf(await read()));
  });

  it('follows pins without Prometheus, and says that nothing else is swapped', async () => {
    const operator = await startOperator(plane, { flags: SHORT_LEASE });
    running.push(operator);
    await space.apply(orb());
    const first = await space.until(ORB, (object) => statusIn(object) !== null);
    expect(conditionOf(first, 'MetricsAvailable')).to.include({ status: 'Unknown', reason: 'NotConfigured' });
    await space.apply(orb(pinTo('other', 'once', 60_000)));
    const once = await space.until(ORB, isActive('other', 1));
    expect(conditionOf(once, 'PinValid')).to.include({ reason: 'PinHandled' });
    expect(statusIn(once)?.history[0]?.actor, 'its field manager').to.match(/kubectl/);
    await space.apply(orb(pinTo('main', 'hard', 8000)));
    await space.until(ORB, isActive('main', 2));
    const ended = await space.until(ORB, (object) => conditionOf(object, 'PinValid')?.reason === 'PinExpired');
    expect(statusIn(ended)).to.include({ activeProvider: 'main', swapSeq: 2 });
    expect(await swapEvents()).to.deep.equal(eventsOf(await read()));
  });

  it('continues the numbers of swaps after its leader was killed, and reports no swap twice', async () => {
    const one = await start();
    say(FAILING);
    await space.apply(orb());
    await space.until(ORB, isActive('other', 1));
    await waitFor(async () => ((await swapEvents()).length === 1 ? true : undefined));
    const two = await start();
    one.process.kill('SIGKILL');
    await waitFor(() => leads(two));
    say({ main: 'well', other: 'failing' });
    await space.until(ORB, isActive('main', 2), 25_000);
    const { history } = await read();
    expect(history.map(({ seq }) => seq)).to.deep.equal([1, 2]);
    expect(history[1]?.epoch).to.be.greaterThan(history[0]?.epoch ?? 0);
    await waitFor(async () => ((await swapEvents()).length === 2 ? true : undefined));
    expect(await swapEvents()).to.deep.equal(eventsOf(await read()));
  });

  it('has a leader that stood still write nothing when it goes on', async () => {
    const one = await start();
    say(WELL);
    await space.apply(orb());
    await space.until(ORB, (object) => conditionOf(object, 'MetricsAvailable')?.status === 'True');
    const two = await start();
    one.process.kill('SIGSTOP');
    say(FAILING);
    await delay(STOPPED_MS);
    await waitFor(() => leads(two));
    await space.until(ORB, isActive('other', 1), 25_000);
    one.process.kill('SIGCONT');
    const queries = prometheus.queryCount();
    await waitFor(async () => (prometheus.queryCount() > queries + 3 ? true : undefined));
    expect(await read()).to.include({ activeProvider: 'other', swapSeq: 1 });
    expect(await swapEvents()).to.deep.equal(eventsOf(await read()));
    expect(await leads(one)).to.equal(undefined);
  });
});
