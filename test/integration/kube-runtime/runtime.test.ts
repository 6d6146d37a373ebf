import { expect } from 'chai';
import { isJsonObject } from '../../../core/json/json-value.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import { directConnection } from '../../../adapters/kube/connection.ts';
import { createElection, type Election } from '../../../adapters/kube/election.ts';
import { createEventRecorder } from '../../../adapters/kube/event-recorder.ts';
import { KINDS } from '../../../adapters/kube/kinds.ts';
import { createKubeClient } from '../../../adapters/kube/kube-client.ts';
import { KubeError, type KubeClient } from '../../../adapters/kube/port.ts';
import { createStatusWriter, type StatusOwner, type StatusWriteResult } from '../../../adapters/kube/status-writer.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { untilAborted } from '../../support/kube/candidates.ts';
import { recordLog, recordMetrics } from '../../support/kube/runtime-recorders.ts';

const NS = 'kube-runtime';
const signal = new AbortController().signal;

const condition = (type: string, status = 'True'): object => ({
  type,
  status,
  reason: 'Tested',
  message: '',
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

const eventOf = (object: KubeObject | undefined): Readonly<Record<string, unknown>> => ({ ...object });

const leads = (election: Election) => async (): Promise<true | undefined> => (election.isLeading() ? true : undefined);

/** `signal` and leadership are not what these tests are about. */
const write = (
  client: KubeClient,
  owner: StatusOwner,
  object: KubeObject,
  status: object,
): Promise<StatusWriteResult> =>
  createStatusWriter({ client, assertLeading: () => undefined }).write(owner, object, status, signal);

describe('the working side of adapters/kube against a real API server', function () {
  let client: KubeClient;
  let space: TestNamespace;

  before(async function () {
    this.timeout(120_000);
    const plane = await sharedControlPlane();
    const { token } = plane.users.admin;
    client = createKubeClient({
      connection: await directConnection({ server: plane.server.url, token, caFile: plane.caFile }),
      clock: systemClock,
      random: Math.random,
      logger: recordLog().logger,
      metrics: recordMetrics().metrics,
      userAgent: 'test',
    });
    space = await testNamespace(plane, NS);
  });
  after(async () => {
    await space.remove();
    await client.close();
  });

  const anElection = (identity: string): Election =>
    createElection({
      client,
      namespace: NS,
      name: 'runtime',
      identity,
      clock: systemClock,
      random: Math.random,
      logger: recordLog().logger,
      metrics: recordMetrics().metrics,
      leaseMs: 8000,
      renewMs: 6000,
      retryMs: 400,
    });

  it('elects one leader, hands over at a release and takes over when a lease runs out', async () => {
    const epochs: string[] = [];
    const begin = (identity: string): { readonly election: Election; readonly stop: () => Promise<void> } => {
      const election = anElection(identity);
      const ending = new AbortController();
      const ended = election.run(ending.signal, async (scope, epoch) => {
        epochs.push(`${identity} ${epoch}`);
        await untilAborted(scope);
      });
      const stop = async (): Promise<void> => {
        ending.abort();
        await ended;
      };
      return { election, stop };
    };
    const a = begin('a');
    expect(await waitFor(leads(a.election))).to.equal(true);
    const b = begin('b');
    await systemClock.sleep(8500, signal);
    expect([a.election.isLeading(), b.election.isLeading()]).to.deep.equal([true, false]);
    await a.stop();
    // Before it could have run out.
    expect(await waitFor(leads(b.election), 5000)).to.equal(true);
    await b.stop();
    await space.apply({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'runtime' },
      spec: { holderIdentity: 'dead', leaseDurationSeconds: 6, leaseTransitions: 7 },
    });
    const c = begin('c');
    await systemClock.sleep(1000, signal);
    expect(c.election.isLeading()).to.equal(false);
    expect(await waitFor(leads(c.election))).to.equal(true);
    await space.kubectl('delete', 'lease', 'runtime');
    expect(await waitFor(async () => (c.election.epoch() === 9 ? true : undefined))).to.equal(true);
    await c.stop();
    expect(epochs).to.deep.equal(['a 1', 'b 2', 'c 8', 'c 9']);
  });

  it('writes Events and their series as the API server wants them', async () => {
    const clock = createFakeClock(Date.now());
    const log = recordLog();
    const recorder = createEventRecorder({
      client,
      clock,
      logger: log.logger,
      metrics: recordMetrics().metrics,
      reportingController: 'orbs.dev/operator',
      reportingInstance: 'orb-operator-0',
    });
    const ending = new AbortController();
    const ended = recorder.run(ending.signal);
    const long = 'a.'.repeat(126);
    await space.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${long}b` } });
    const object = await client.get(KINDS.configMap, { namespace: NS, name: `${long}b` }, signal);
    if (object === undefined) throw new Error('the ConfigMap is not there');
    const spec = { type: 'Warning', reason: 'Tested', action: 'Test', note: 'ä€😀'.repeat(400) } as const;
    const poll = async (): Promise<readonly KubeObject[]> =>
      (await client.list(KINDS.event, { namespace: NS }, signal)).items;
    recorder.record(object, [spec]);
    const [first] = (await waitFor(async () => ((await poll()).length > 0 ? poll() : undefined))) ?? [];
    expect(log.lines).to.deep.equal([]);
    expect(eventOf(first)).to.include({ type: 'Warning', reason: 'Tested', action: 'Test' });
    for (let n = 0; n < 4; n += 1) recorder.record(object, [spec]);
    await clock.advance(60_000);
    const seriesOf = async (): Promise<unknown> => {
      const [event] = await poll();
      const series = eventOf(event)['series'];
      return isJsonObject(series) ? series['count'] : undefined;
    };
    expect(await waitFor(seriesOf)).to.equal(5);
    expect(await poll()).to.have.length(1);
    ending.abort();
    await ended;
  });

  describe('status', () => {
    const ORB = { namespace: NS, name: 'status' };
    const store = { offer: () => undefined };
    const operator: StatusOwner = {
      kind: KINDS.orb,
      fieldManager: 'orb-operator',
      members: ['observedGeneration', 'validDigest'],
      conditions: ['Ready', 'Stalled'],
      store,
    };
    const failover: StatusOwner = {
      ...operator,
      fieldManager: 'another',
      members: [],
      conditions: ['PinValid'],
    };
    const orb = {
      apiVersion: 'orbs.dev/v1alpha1',
      kind: 'Orb',
      metadata: { name: ORB.name },
      spec: {
        orb_id: 'runtime.status@1.0.0',
        provider: 'one',
        inputs: {},
        outputs: {},
        execution: { type: 'http', method: 'GET', url: 'https://api.example.com/' },
      },
    };
    const live = async (): Promise<KubeObject> => {
      const object = await client.get(KINDS.orb, ORB, signal);
      if (object === undefined) throw new Error('the Orb is not there');
      return object;
    };

    beforeEach(() => space.apply(orb));
    afterEach(() => space.kubectl('delete', 'orb', 'status', '--ignore-not-found'));

    it('holds the parts of two managers, and loses what one of them leaves out', async () => {
      const digest = `sha256:${'0'.repeat(64)}`;
      const whole = {
        observedGeneration: 1,
        validDigest: digest,
        conditions: [condition('Ready'), condition('Stalled', 'False')],
      };
      expect(await write(client, operator, await live(), whole)).to.equal('written');
      expect(await write(client, failover, await live(), { conditions: [condition('PinValid')] })).to.equal('written');
      const both = await live();
      expect(await write(client, operator, both, whole)).to.equal('unchanged');
      expect(await write(client, failover, both, { conditions: [condition('PinValid')] })).to.equal('unchanged');
      const less = { observedGeneration: 1, conditions: [condition('Ready')] };
      expect(await write(client, operator, both, less)).to.equal('written');
      expect((await live()).status).to.deep.equal({
        observedGeneration: 1,
        conditions: [condition('Ready'), condition('PinValid')],
      });
    });

    it('refuses a status for an object that was changed, or deleted and made again', async () => {
      const read = await live();
      await space.kubectl('annotate', 'orb', 'status', 'example.com/a=b');
      const late = (): Promise<unknown> =>
        write(client, operator, read, { observedGeneration: 1 }).catch((error: unknown) =>
          error instanceof KubeError ? error.status : error,
        );
      expect(await late()).to.equal(409);
      await space.kubectl('delete', 'orb', 'status');
      expect(await late()).to.equal('gone');
      await space.apply(orb);
      expect(await late()).to.equal(409);
      expect((await live()).status).to.deep.equal({ observedGeneration: 0 });
    });
  });
});
