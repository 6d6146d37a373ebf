import { expect } from 'chai';
import { createElection } from '../../../../adapters/kube/election.ts';
import { NotLeading } from '../../../../core/errors/not-leading.ts';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { candidate, LEASE, leaders, untilAborted } from '../../../support/kube/candidates.ts';
import { createFakeKubeClient } from '../../../support/kube/fake-kube-client.ts';
import { recordLog, recordMetrics } from '../../../support/kube/runtime-recorders.ts';
import { seeded } from '../../../support/seeded.ts';

const START = Date.UTC(2026, 0, 1);
/** Advances in small steps until the condition holds. @returns ms that it took */
async function msUntil(clock: FakeClock, holds: () => boolean, limitMs = 120_000): Promise<number> {
  const began = clock.monotonic();
  while (!holds() && clock.monotonic() - began < limitMs) await clock.advance(50);
  return clock.monotonic() - began;
}

describe('createElection', () => {
  it('lets one of two lead, and writes who, since when and for how long', async () => {
    const clock = createFakeClock(START);
    const api = createFakeKubeClient();
    const a = await candidate(api, clock, 'a');
    const b = await candidate(api, clock, 'b', { seed: 2 });
    await clock.advance(60_000);
    expect(leaders(a, b)).to.deep.equal([true, false]);
    expect([a.epochs, b.epochs]).to.deep.equal([[1], []]);
    expect(api.objects(KINDS.lease)[0]?.spec).to.deep.equal({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:01:00.000000Z',
      leaseTransitions: 1,
    });
  });

  it('refuses writes before it ever led', async () => {
    const { election } = await candidate(createFakeKubeClient(), createFakeClock(START), 'a', { begins: 'hangs' });
    expect(() => election.assertLeading()).to.throw(NotLeading);
    expect(election.epoch()).to.equal(0);
  });

  for (const seed of [1, 2, 3, 4, 5, 6]) {
    it(`takes over at most 20 s after the leader vanished, and not before its lease ran out (seed ${seed})`, async () => {
      const clock = createFakeClock(START);
      const api = createFakeKubeClient();
      const a = await candidate(api, clock, 'a');
      await clock.advance(1000);
      const b = await candidate(api, clock, 'b', { seed });
      await clock.advance(30_000 + seed * 300);
      a.fault = 'hangs';
      const ms = await msUntil(clock, () => b.election.isLeading());
      expect(ms).to.be.lessThanOrEqual(20_000).and.greaterThan(12_900);
      expect(b.epochs).to.deep.equal([2]);
    });

    it(`takes over at most 3 s after the leader was stopped (seed ${seed})`, async () => {
      const clock = createFakeClock(START);
      const api = createFakeKubeClient();
      const a = await candidate(api, clock, 'a');
      await clock.advance(1000);
      const b = await candidate(api, clock, 'b', { seed });
      await clock.advance(30_000 + seed * 300);
      a.stop.abort();
      await a.ended;
      expect(api.objects(KINDS.lease)[0]?.spec).to.include({ holderIdentity: '', leaseDurationSeconds: 1 });
      expect(await msUntil(clock, () => b.election.isLeading())).to.be.lessThanOrEqual(3000);
      expect(b.epochs).to.deep.equal([2]);
    });
  }

  it('releases the lease only after the work in flight has ended', async () => {
    const clock = createFakeClock(START);
    const api = createFakeKubeClient();
    const a = await candidate(api, clock, 'a', {
      lead: async (scope) => {
        await untilAborted(scope);
        await clock.sleep(2000, new AbortController().signal);
      },
    });
    await clock.advance(0);
    a.stop.abort();
    await clock.advance(0);
    await clock.advance(1999);
    expect(api.objects(KINDS.lease)[0]?.spec).to.include({ holderIdentity: 'a' });
    expect(() => a.election.assertLeading()).to.not.throw();
    await clock.advance(1);
    await a.ended;
    expect(api.objects(KINDS.lease)[0]?.spec).to.include({ holderIdentity: '' });
    expect(() => a.election.assertLeading()).to.throw(NotLeading);
  });

  it('lets the lease run out when work ignores the end of its scope', async () => {
    const clock = createFakeClock(START);
    const api = createFakeKubeClient();
    const a = await candidate(api, clock, 'a', { lead: () => new Promise(() => undefined) });
    await clock.advance(0);
    a.stop.abort();
    await clock.advance(0);
    await clock.advance(3000);
    await a.ended;
    expect(api.objects(KINDS.lease)[0]?.spec).to.include({ holderIdentity: 'a' });
    expect(a.election.isLeading()).to.equal(false);
  });

  it('stops to lead 10 s after its last renewal when the API server is away, and leads again when it is back', async () => {
    const clock = createFakeClock(START);
    const api = createFakeKubeClient();
    const a = await candidate(api, clock, 'a');
    await clock.advance(2000);
    a.fault = 'refused';
    await clock.advance(9999);
    expect(a.election.isLeading()).to.equal(true);
    await clock.advance(1);
    expect(a.election.isLeading()).to.equal(false);
    await clock.advance(30_000);
    expect(a.ends).to.have.length(1);
    expect(a.ends[0]).to.be.instanceOf(NotLeading);
    a.fault = 'none';
    await clock.advance(3000);
    expect(a.epochs).to.deep.equal([1, 2]);
  });

  it('keeps leading when the answers to renewals are lost but some get through', async () => {
    const clock = createFakeClock(START);
    const a = await candidate(createFakeKubeClient(), clock, 'a');
    await clock.advance(0);
    for (let n = 0; n < 10; n += 1) {
      a.fault = 'answer lost';
      await clock.advance(6000);
      a.fault = 'none';
      await clock.advance(3000);
    }
    expect(a.epochs).to.deep.equal([1]);
    expect(a.election.isLeading()).to.equal(true);
  });

  it('refuses writes of a process that stood still, before it knows of the new leader', async () => {
    const clock = createFakeClock(START);
    const api = createFakeKubeClient();
    let stoodStillMs = 0;
    const election = createElection({
      client: api,
      ...LEASE,
      identity: 'zombie',
      clock: { ...clock, monotonic: () => clock.monotonic() + stoodStillMs },
      random: seeded(1),
      logger: recordLog().logger,
      metrics: recordMetrics().metrics,
    });
    const epochs: number[] = [];
    const stop = new AbortController();
    const ended = election.run(stop.signal, async (scope, epoch) => {
      epochs.push(epoch);
      await untilAborted(scope);
    });
    await clock.advance(0);
    election.assertLeading();
    stoodStillMs = 60_000; // no timer fired meanwhile
    expect(() => election.assertLeading()).to.throw(NotLeading);
    const b = await candidate(api, clock, 'b');
    await clock.advance(2000);
    expect(election.isLeading()).to.equal(false);
    stop.abort();
    await ended;
    await clock.advance(20_000);
    expect(b.epochs).to.deep.equal([2]);
    expect(epochs).to.deep.equal([1]);
  });

  it('does not begin to lead when the answer came after it stood still', async () => {
    const clock = createFakeClock(START);
    const api = createFakeKubeClient();
    let stoodStillMs = 0;
    api.after = ({ verb }) => {
      if (verb === 'create') stoodStillMs = 60_000;
    };
    const begun: boolean[] = [];
    const election = createElection({
      client: api,
      ...LEASE,
      identity: 'late',
      clock: { ...clock, monotonic: () => clock.monotonic() + stoodStillMs },
      random: seeded(1),
      logger: recordLog().logger,
      metrics: recordMetrics().metrics,
    });
    const stop = new AbortController();
    const ended = election.run(stop.signal, async (scope) => {
      begun.push(election.isLeading());
      await untilAborted(scope);
    });
    await clock.advance(0);
    expect(begun).to.deep.equal([]);
    await clock.advance(3000);
    expect(begun).to.deep.equal([true]);
    stop.abort();
    await ended;
  });

  it('treats a record with its identity that it did not write as that of another process', async () => {
    const clock = createFakeClock(START);
    const api = createFakeKubeClient();
    const a = await candidate(api, clock, 'a', { identity: 'same' });
    await clock.advance(1000);
    const b = await candidate(api, clock, 'b', { identity: 'same', seed: 2 });
    await clock.advance(60_000);
    expect(leaders(a, b)).to.deep.equal([true, false]);
  });

  it('does not take the place of a leader whose Lease was deleted before that one has stopped', async () => {
    const clock = createFakeClock(START);
    const api = createFakeKubeClient();
    const a = await candidate(api, clock, 'a');
    const b = await candidate(api, clock, 'b', { seed: 2 });
    await clock.advance(10_000);
    a.fault = 'hangs';
    api.remove(KINDS.lease, LEASE);
    while (!b.election.isLeading()) {
      await clock.advance(50);
      expect(leaders(a, b)).to.not.deep.equal([true, true]);
    }
    expect(b.epochs).to.deep.equal([2]);
  });

  it('takes a Lease with any shape of spec', async () => {
    for (const spec of [undefined, null, 'x', { holderIdentity: 7, leaseTransitions: -1, leaseDurationSeconds: 'y' }]) {
      const clock = createFakeClock(START);
      const api = createFakeKubeClient();
      api.put(KINDS.lease, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: LEASE, spec });
      const a = await candidate(api, clock, 'a');
      await clock.advance(0);
      expect(a.epochs).to.deep.equal([1]);
    }
  });

  it('campaigns again when leading failed', async () => {
    const clock = createFakeClock(START);
    const a = await candidate(createFakeKubeClient(), clock, 'a', {
      lead: async () => {
        throw new Error('no');
      },
    });
    await clock.advance(4500);
    expect(a.epochs).to.deep.equal([1, 2, 3]);
    expect(a.log.texts()).to.include('error leading failed');
  });

  it('refuses times that are not in order', () => {
    const options = {
      client: createFakeKubeClient(),
      ...LEASE,
      identity: 'a',
      clock: createFakeClock(START),
      random: () => 0,
      logger: recordLog().logger,
      metrics: recordMetrics().metrics,
      leaseMs: 10_000,
      renewMs: 10_000,
    };
    expect(() => createElection(options)).to.throw(RangeError, 'renew deadline < lease duration');
  });
});
