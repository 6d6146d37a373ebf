import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { replayEvidence } from '../../../../core/failover/replay-evidence.ts';
import { readJson } from '../../../../core/manifest/read-json.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { conditionOf } from '../../../../core/reconcile/read-object.ts';
import { named, readText } from '../../../support/exposition.ts';
import { busy, probed, traffic } from '../../../support/failover.ts';
import { sent } from '../../../support/kube-objects.ts';
import {
  failing,
  healthy,
  mail,
  providersOf,
  recovered,
  slow,
  startLoop,
  type Script,
} from '../../../support/operator-loop.ts';
import { kubeError } from '../../../support/kube/fake-kube-client.ts';

type World = Awaited<ReturnType<typeof startLoop>>;

const MINUTE = 60_000;
const PIN_ID = 'swp_0193a1c2-7f10-7c3e-9a41-5d2f0b6c8e11';
const swaps = (reported: World['reported']): readonly string[] =>
  reported.filter(({ reason }) => reason === 'ProviderChanged').map(({ note, id = '' }) => `${id} ${note}`);

async function series(world: World, name: string): Promise<readonly (readonly [string, number])[]> {
  let text = '';
  for await (const slice of world.state.gauges.slices()) text += slice;
  return named(readText(text), name).map(({ labels, value }) => {
    const { orb_namespace: _namespace, orb_id: _id, ...own } = labels;
    return [Object.values(own).join(' '), value];
  });
}

const nan: Script = (now) => ({
  ...providersOf(healthy, now),
  a: busy(traffic(100, 200, { p50: { kind: 'none', why: 'nan' }, pq: { kind: 'none', why: 'nan' } })),
});

describe('swap loop of the operator', () => {
  let world: World;
  beforeEach(async () => {
    world = await startLoop();
    await world.apply(mail());
  });
  afterEach(async () => {
    await world.stop();
  });

  it('writes nothing more while nothing happens', async () => {
    await world.ticks(2);
    const before = world.statusWrites();
    await world.ticks(100);
    expect(world.statusWrites()).to.equal(before);
    expect(conditionOf(world.orb(), 'MetricsAvailable')).to.include({ status: 'True', reason: 'MetricsFresh' });
    expect(conditionOf(world.orb(), 'ProvidersHealthy')).to.include({ status: 'True' });
    expect(conditionOf(world.orb(), 'FailedOver')).to.equal(undefined);
  });

  it('leaves a provider that is slow for three evaluations: one write, one Event, one count', async () => {
    await world.ticks(2);
    const before = world.statusWrites();
    world.say(slow);
    await world.ticks(2);
    expect(world.statusWrites()).to.equal(before);
    await world.ticks(1);
    expect(world.statusWrites()).to.equal(before + 1);
    const { activeProvider, swapSeq, epoch, history } = world.status();
    expect({ activeProvider, swapSeq, epoch }).to.deep.equal({ activeProvider: 'b', swapSeq: 1, epoch: 1 });
    const [swap] = history;
    expect(swap).to.include({ seq: 1, from: 'a', to: 'b', reason: 'latency', rule: 'degraded', epoch: 1 });
    expect(swap?.receiptId).to.match(/^rcpt_[0-9a-f-]{36}$/);
    expect(swaps(world.reported)).to.deep.equal([`${swap?.receiptId} "b" is used instead of "a" (latency).`]);
    expect(conditionOf(world.orb(), 'FailedOver')).to.include({ status: 'True', reason: 'Latency' });
    const counted = await series(world, 'orb_provider_swaps_total');
    expect(counted.filter(([, value]) => value > 0)).to.deep.equal([['a b latency', 1]]);
    const active = await series(world, 'orb_provider_active');
    expect(active).to.deep.include(['b', 1]);
  });

  it('keeps what a swap was decided on, so that anybody can decide it again', async () => {
    world.say(slow);
    await world.ticks(4);
    const [swap] = world.status().history;
    if (swap === undefined) throw new Error('no swap');
    const evidence = readJson(Buffer.from(swap.evidence ?? ''));
    if (!evidence.ok) throw new Error('no evidence');
    expect(evidence.value).to.have.nested.include({ 'metrics.source': 'prometheus' });
    expect(replayEvidence(evidence.value, swap)).to.include({ follows: true });
  });

  it('comes back by a ramp of three writes, and says so', async () => {
    world.say(failing);
    await world.ticks(2);
    expect(world.status()).to.include({ activeProvider: 'b', reason: 'hard_failure' });
    const before = world.statusWrites();
    world.say(recovered);
    await world.ticks(40);
    expect(world.status()).to.include({ activeProvider: 'a', reason: 'failback', swapSeq: 2, ramp: null });
    expect(world.statusWrites() - before).to.equal(3);
    expect(conditionOf(world.orb(), 'FailedOver')).to.equal(undefined);
    expect(swaps(world.reported)).to.have.length(2);
  });

  it('drops a decision that meets a conflict, and makes it once at the next tick', async () => {
    await world.ticks(1);
    world.say(slow);
    await world.ticks(2);
    let refused = 0;
    world.client.before = ({ verb, fieldManager }) => {
      if (verb !== 'apply' || fieldManager !== 'orb-operator' || refused > 0) return;
      refused += 1;
      throw kubeError(409, 'Conflict');
    };
    await world.ticks(1);
    await world.clock.advance(1000);
    expect(refused).to.equal(1);
    expect(world.status()).to.include({ activeProvider: 'a', swapSeq: 0 });
    expect(swaps(world.reported)).to.deep.equal([]);
    await world.ticks(1);
    expect(world.status()).to.include({ activeProvider: 'b', swapSeq: 1 });
    expect(swaps(world.reported)).to.have.length(1);
  });

  it('is not held up by the Orb of somebody else that throws', async () => {
    await world.apply(mail({}, {}, 'other'));
    const good = healthy(world.clock.now());
    world.replaceMeasure(async () => ({
      snapshot: ({ orbId }) => {
        if (orbId.includes('other')) throw new TypeError('a bug');
        return typeof good === 'string'
          ? { state: 'unusable', why: good, since: 0 }
          : { state: 'fresh', evaluatedAt: world.clock.now(), ageMs: 1, providers: good };
      },
      origin: null,
      oldestMs: 1,
    }));
    await world.ticks(2);
    expect(conditionOf(world.orb(), 'MetricsAvailable')).to.include({ status: 'True' });
    expect(conditionOf(world.orb('other'), 'MetricsAvailable')).to.equal(undefined);
    const counted = await series(world, 'orb_swap_evaluations_total');
    expect(counted).to.deep.include(['exception', 2]);
    expect(world.lines.map(({ message }) => message)).to.include('an Orb could not be evaluated and stays unchanged');
  });

  it('looks at all others though one can not be judged at all', async () => {
    await world.apply(mail({}, {}, 'other'));
    const { judgements } = world.context;
    const { of } = judgements;
    Object.assign(judgements, {
      of: (orb: KubeObject) => {
        if (orb.metadata.name === 'other') throw new RangeError('Maximum call stack size exceeded');
        return of(orb);
      },
    });
    world.say(slow);
    await world.ticks(4);
    expect(world.status()).to.include({ activeProvider: 'b', swapSeq: 1 });
    expect(world.lines.map(({ message }) => message)).to.include('an Orb could not be judged and stays unchanged');
  });

  it('evaluates an Orb as seldom as it asks for', async () => {
    await world.apply(mail({ latency: { evaluation_interval: '60s' } }));
    world.say(slow);
    await world.ticks(8);
    expect(world.status()).to.include({ activeProvider: 'a' });
    await world.ticks(1);
    expect(world.status()).to.include({ activeProvider: 'b' });
  });

  it('leaves out ticks while a query takes longer, and counts them', async () => {
    const { promise: waits, resolve: answer } = Promise.withResolvers<void>();
    world.replaceMeasure(async () => {
      await waits;
      return { snapshot: () => ({ state: 'unusable', why: 'timeout', since: 0 }), origin: null, oldestMs: 1 };
    });
    let skipped = 0;
    Object.assign(world.state.gauges, { skipped: () => (skipped += 1) });
    await world.ticks(4);
    answer();
    await world.settled();
    await world.ticks(1);
    expect(skipped).to.equal(3);
  });

  const outages: readonly [string, Script][] = [
    ['that can not be asked', () => 'http'],
    ['that knows nothing', () => 'empty'],
    ['whose metrics are old', () => 'stale'],
    ['whose metrics of the active provider are no numbers', nan],
  ];
  for (const [why, script] of outages) {
    it(`decides nothing for half an hour on a Prometheus ${why}, and says so after five minutes`, async () => {
      await world.ticks(2);
      const before = world.statusWrites();
      world.say(script);
      const status = (): string | undefined => conditionOf(world.orb(), 'MetricsAvailable')?.status;
      await world.ticks(20);
      expect(status()).to.equal('True');
      await world.ticks(2);
      expect(status()).to.equal('False');
      await world.ticks(98);
      world.say(healthy);
      await world.ticks(2);
      expect(status()).to.equal('True');
      expect(world.statusWrites() - before).to.equal(2);
      expect(world.status()).to.include({ swapSeq: 0, frozen: null });
    });
  }

  it('says that every provider is down, once, and never leaves the last one', async () => {
    world.say((now) => ({
      ...providersOf(failing, now),
      b: busy(traffic(0, 0), { breaker: 'open' }),
      c: busy(traffic(0, 0), { breaker: 'open' }),
    }));
    await world.ticks(41);
    expect(world.status()).to.include({ activeProvider: 'a', swapSeq: 0 });
    expect(conditionOf(world.orb(), 'ProvidersHealthy')).to.include({ status: 'False', reason: 'AllDown' });
    expect(world.events.filter((event) => event.endsWith('AllProvidersDown'))).to.have.length(1);
    world.say(healthy);
    await world.ticks(1);
    expect(conditionOf(world.orb(), 'ProvidersHealthy')).to.include({ status: 'True' });
  });

  it('follows a pin without a tick, and leaves it by itself only when it is soft and its provider fails', async () => {
    const end = new Date(world.clock.now() + 10 * MINUTE).toISOString();
    const pin = { provider: 'b', mode: 'soft', expires_at: end, id: PIN_ID, actor: 'key:k1' };
    const orb = mail({}, { pin });
    const { apiVersion, kind, metadata } = sent(orb);
    const applied = { apiVersion, kind, metadata, spec: { pin } };
    await world.client.apply(KINDS.orb, applied, { fieldManager: 'orb-api-pin' }, new AbortController().signal);
    await world.apply(orb);
    expect(world.status()).to.include({ activeProvider: 'b', swapSeq: 1 });
    expect(world.status().history[0]).to.include({ reason: 'manual', actor: 'key:k1' });
    world.say(recovered);
    await world.ticks(20);
    expect(world.status()).to.include({ activeProvider: 'b', swapSeq: 1 });
    world.say((now) => ({ ...providersOf(recovered, now), b: busy(traffic(0, 0, { attempts: 50, bad: 50 })) }));
    await world.ticks(1);
    expect(world.status()).to.include({ activeProvider: 'a', reason: 'hard_failure', swapSeq: 2 });
    expect(world.status().pin.overriddenId).to.equal(PIN_ID);
    expect(conditionOf(world.orb(), 'PinValid')).to.include({ reason: 'PinOverridden' });
  });

  it('begins to count anew after a swap by hand', async () => {
    world.say(slow);
    await world.ticks(2);
    const end = new Date(world.clock.now() + MINUTE).toISOString();
    await world.apply(mail({}, { pin: { provider: 'b', mode: 'once', expires_at: end, id: PIN_ID } }));
    world.say((now) => ({
      a: probed(200, { lastAt: now - 10_000 }),
      b: busy(traffic(100, 1000)),
      c: probed(300, { lastAt: now - 10_000 }),
    }));
    await world.ticks(2);
    expect(world.status()).to.include({ activeProvider: 'b', swapSeq: 1 });
    await world.ticks(1);
    expect(world.status()).to.include({ activeProvider: 'a', reason: 'latency', swapSeq: 2 });
  });

  it('holds a hard pin whatever happens, tells when it ends, and goes on by the rules', async () => {
    const end = new Date(world.clock.now() + 2 * MINUTE).toISOString();
    await world.apply(mail({}, { pin: { provider: 'b', mode: 'hard', expires_at: end, id: PIN_ID } }));
    world.say((now) => ({ ...providersOf(recovered, now), b: busy(traffic(0, 0, { attempts: 50, bad: 50 })) }));
    await world.ticks(7);
    expect(world.status()).to.include({ activeProvider: 'b', swapSeq: 1 });
    await world.ticks(2);
    expect(world.events.filter((event) => event.endsWith('PinExpired'))).to.have.length(1);
    expect(world.status()).to.include({ activeProvider: 'a', swapSeq: 2 });
  });

  it('forgets an Orb that is gone: its metrics are shown no longer', async () => {
    await world.ticks(1);
    expect(await series(world, 'orb_provider_active')).to.have.length(3);
    world.client.remove(KINDS.orb, { namespace: 'acme', name: 'mail' });
    await world.syncCaches();
    await world.ticks(1);
    expect(await series(world, 'orb_provider_active')).to.deep.equal([]);
  });

  it('writes nothing when another process leads, and shows no metrics any more', async () => {
    await world.ticks(2);
    world.say(slow);
    world.loseLead();
    const before = world.statusWrites();
    await world.ticks(4);
    expect(world.statusWrites()).to.equal(before);
    expect(world.status()).to.include({ activeProvider: 'a' });
    await world.stop();
    expect(await series(world, 'orb_provider_active')).to.deep.equal([]);
  });
});
