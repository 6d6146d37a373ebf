import { expect } from 'chai';
import { createElection, type Election } from '../../../../adapters/kube/election.ts';
import { createManager, type LeaderTask, type Manager } from '../../../../adapters/kube/manager.ts';
import type { KubeError, Reflector } from '../../../../adapters/kube/port.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { LEASE, untilAborted } from '../../../support/kube/candidates.ts';
import { createFakeKubeClient, kubeError, type FakeKubeClient } from '../../../support/kube/fake-kube-client.ts';
import { recordLog, recordMetrics, type RecordedLog } from '../../../support/kube/runtime-recorders.ts';

interface FakeReflector extends Reflector {
  readonly fill: () => void;
  lastContact: number;
  why: KubeError | undefined;
}

interface Setup {
  readonly clock: FakeClock;
  readonly api: FakeKubeClient;
  readonly log: RecordedLog;
  readonly manager: Manager;
  readonly election: Election;
  readonly reflector: FakeReflector;
  /** What happened, in order, with the ms. */
  readonly story: string[];
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

const unused = (): never => {
  throw new Error('the manager reads no objects');
};

function aReflector(story: (text: string) => void): FakeReflector {
  const synced = Promise.withResolvers<undefined>();
  let filled = false;
  const made: FakeReflector = {
    store: { get: unused, list: unused, byIndex: unused, resourceVersion: unused, waitFor: unused, offer: unused },
    run: async (signal) => {
      story('reflecting');
      await untilAborted(signal);
      story('not reflecting');
    },
    synced: synced.promise,
    hasSynced: () => filled,
    state: () => 'watching',
    lastContactMs: () => made.lastContact,
    nudge: () => undefined,
    failure: () => made.why,
    fill: () => {
      filled = true;
      synced.resolve(undefined);
    },
    lastContact: 0,
    why: undefined,
  };
  return made;
}

async function setup(
  taskOf: (clock: FakeClock, story: (text: string) => void) => readonly LeaderTask[],
): Promise<Setup> {
  const clock = createFakeClock(0);
  const api = createFakeKubeClient();
  const log = recordLog();
  const lines: string[] = [];
  const story = (text: string): void => void lines.push(`${clock.monotonic()} ${text}`);
  const reflector = aReflector(story);
  const election = createElection({
    client: api,
    ...LEASE,
    identity: 'a',
    clock,
    random: () => 0,
    logger: log.logger,
    metrics: recordMetrics().metrics,
  });
  api.after = ({ verb }) => {
    const [lease] = api.objects({ group: '', version: '', kind: 'Lease', plural: '', namespaced: true });
    const { spec } = lease ?? {};
    const isFree = typeof spec === 'object' && spec !== null && 'holderIdentity' in spec && spec.holderIdentity === '';
    if (verb === 'update' && isFree) story('released');
  };
  const manager = createManager({
    reflectors: { orbs: reflector },
    election,
    controllers: taskOf(clock, story),
    recorder: {
      record: () => undefined,
      run: async (signal) => {
        await untilAborted(signal);
        story('not recording');
      },
      flush: async (ms) => {
        await clock.sleep(400, new AbortController().signal);
        story(`flushed within ${ms}`);
      },
    },
    clock,
    logger: log.logger,
  });
  const stop = new AbortController();
  const ended = manager.run(stop.signal);
  await clock.advance(0);
  return { clock, api, log, manager, election, reflector, story: lines, stop, ended };
}

const aTask = (clock: FakeClock, story: (text: string) => void): LeaderTask => ({
  name: 'orb',
  run: async (scope) => {
    story('leading');
    await untilAborted(scope);
    story('not leading');
  },
  drain: async (ms) => {
    await clock.sleep(3000, new AbortController().signal);
    story(`drained within ${ms}`);
  },
});

describe('createManager', () => {
  it('leads only after the caches are filled', async () => {
    const { clock, manager, election, reflector, story } = await setup((time, tell) => [aTask(time, tell)]);
    await clock.advance(60_000);
    expect(manager.ready()).to.deep.equal(['cache of orbs is not filled yet']);
    expect(election.isLeading()).to.equal(false);
    reflector.lastContact = 60_000;
    reflector.fill();
    await clock.advance(0);
    expect(manager.ready()).to.deep.equal([]);
    expect(story).to.deep.equal(['0 reflecting', '60000 leading']);
  });

  it('says why a cache is not filled', async () => {
    const { manager, reflector } = await setup(() => []);
    reflector.why = kubeError(403, 'Forbidden');
    expect(manager.ready()).to.deep.equal(['cache of orbs is not filled yet: 403 Forbidden']);
    reflector.why = kubeError(0, '');
    expect(manager.ready()).to.deep.equal(['cache of orbs is not filled yet: the API server does not answer']);
  });

  it('says so when the caches are not filled after 2 minutes, and keeps waiting', async () => {
    const { clock, log, reflector, story } = await setup((time, tell) => [aTask(time, tell)]);
    await clock.advance(120_000);
    const [line] = log.lines.filter(({ text }) => text.startsWith('error'));
    expect(line).to.deep.equal({
      text: 'error caches are not filled after 2 min',
      fields: { missing: 'cache of orbs is not filled yet' },
    });
    reflector.fill();
    await clock.advance(0);
    expect(story).to.include('120000 leading');
  });

  it('is not ready before it runs, while it stops, and when nothing was heard for 5 minutes', async () => {
    const { clock, manager, reflector, stop, ended } = await setup(() => []);
    reflector.fill();
    await clock.advance(300_000);
    expect(manager.ready()).to.deep.equal([]);
    await clock.advance(1);
    expect(manager.ready()).to.deep.equal(['nothing heard of orbs for 5 min']);
    reflector.lastContact = 300_001;
    expect(manager.ready()).to.deep.equal([]);
    stop.abort();
    await clock.advance(0);
    expect(manager.ready()).to.deep.equal(['stopping']);
    await clock.advance(10_000);
    await ended;
    const none = { record: () => undefined, run: async () => undefined, flush: async () => undefined };
    const unstarted = createManager({
      reflectors: {},
      election: { run: async () => undefined },
      controllers: [],
      recorder: none,
      clock,
      logger: recordLog().logger,
    });
    expect(unstarted.ready()).to.deep.equal(['not started']);
  });

  it('ends in order: work in flight, Events, leadership, lease, caches', async () => {
    const { clock, reflector, story, stop, ended } = await setup((time, tell) => [aTask(time, tell)]);
    reflector.fill();
    await clock.advance(0);
    await clock.advance(1000);
    stop.abort();
    await clock.advance(0);
    await clock.advance(10_000);
    await ended;
    expect(story).to.deep.equal([
      '0 reflecting',
      '0 leading',
      '4000 drained within 6000',
      '4400 flushed within 1000',
      '4400 not leading',
      '4400 released',
      '4400 not reflecting',
      '4400 not recording',
    ]);
  });

  it('keeps the lease while work that has ended still has Events to write', async () => {
    const { clock, api, reflector, story, stop, ended } = await setup((_clock, tell) => [
      { name: 'short', run: async () => tell('done'), drain: async () => undefined },
    ]);
    reflector.fill();
    await clock.advance(0);
    await clock.advance(5000);
    expect(api.requests.filter(({ verb }) => verb === 'create')).to.have.length(1);
    stop.abort();
    await clock.advance(0);
    await clock.advance(399);
    expect(story).to.deep.equal(['0 reflecting', '0 done']);
    await clock.advance(1);
    await ended;
    expect(story).to.include('5400 released');
  });

  it('ends within 10 s though everything hangs', async () => {
    const { clock, api, reflector, stop, ended } = await setup((time) => [
      {
        name: 'hangs',
        run: () => new Promise(() => undefined),
        drain: (ms) => time.sleep(ms, new AbortController().signal),
      },
    ]);
    reflector.fill();
    await clock.advance(1000);
    api.before = () => new Promise(() => undefined);
    stop.abort();
    await clock.advance(0);
    await clock.advance(10_000);
    await ended;
    expect(clock.monotonic()).to.equal(11_000);
  });

  it('stops at once while it waits for caches', async () => {
    const { clock, api, stop, ended } = await setup((time, tell) => [aTask(time, tell)]);
    stop.abort();
    await clock.advance(0);
    await clock.advance(3400);
    await ended;
    expect(api.requests).to.deep.equal([]);
  });

  it('begins a task again 5 s after it failed', async () => {
    let runs = 0;
    const { clock, reflector, log } = await setup(() => [
      {
        name: 'loader',
        run: async () => {
          runs += 1;
          throw new Error('no');
        },
      },
    ]);
    reflector.fill();
    await clock.advance(0);
    await clock.advance(10_000);
    expect(runs).to.equal(3);
    expect(log.texts()).to.include('error a task of the leader failed and begins again');
  });

  it('ends tasks when the lease is lost and begins them again when it is back', async () => {
    const { clock, api, reflector, story } = await setup((time, tell) => [aTask(time, tell)]);
    reflector.fill();
    await clock.advance(0);
    api.before = () => {
      throw new Error('away');
    };
    await clock.advance(30_000);
    api.before = () => undefined;
    await clock.advance(5000);
    expect(story.map((line) => line.split(' ').slice(1).join(' '))).to.deep.equal([
      'reflecting',
      'leading',
      'not leading',
      'leading',
    ]);
    expect(story[2]).to.equal('10000 not leading');
  });
});
