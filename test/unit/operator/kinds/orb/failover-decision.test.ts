import { expect } from 'chai';
import { KINDS } from '../../../../../adapters/kube/kinds.ts';
import { createWorkQueue } from '../../../../../adapters/kube/work-queue.ts';
import type { SwapRecord } from '../../../../../core/failover/types.ts';
import type { Outcome } from '../../../../../core/reconcile/outcome.ts';
import { statusOf } from '../../../../../core/reconcile/read-object.ts';
import { evaluatedOrb, type PendingEvaluation } from '../../../../../operator/failover/evaluated-orbs.ts';
import { reconcileOrb } from '../../../../../operator/kinds/orb/reconcile.ts';
import { evaluateOrb } from '../../../../../operator/swap-loop/evaluate.ts';
import { fresh } from '../../../../support/failover.ts';
import { kubeError } from '../../../../support/kube/fake-kube-client.ts';
import { sent } from '../../../../support/kube-objects.ts';
import { recordMetrics } from '../../../../support/kube/runtime-recorders.ts';
import { failing, mail, providersOf, startLoop } from '../../../../support/operator-loop.ts';

const KEY = 'acme/mail';
const HOUR = 3_600_000;

interface World {
  readonly world: Awaited<ReturnType<typeof startLoop>>;
  /** The decision of the tick, which no reconcile came to yet. */
  readonly pending: PendingEvaluation;
  readonly reconcile: () => Promise<Outcome>;
  readonly lastSwap: () => SwapRecord | undefined;
}

/** A swap from a to b is decided and not yet written. */
async function decided(): Promise<World> {
  const world = await startLoop();
  await world.apply(mail());
  await world.ticks(2);
  const { context, clock } = world;
  const { orbs } = context.failover;
  const queue = createWorkQueue({ name: 'orb', clock, metrics: recordMetrics().metrics });
  const logger = { error: (): void => undefined };
  for (let times = 0; times < 2; times += 1) {
    const at = clock.now();
    const measured = { snapshot: () => fresh(providersOf(failing, at), at), origin: null, oldestMs: 0 };
    evaluateOrb(KEY, { at, measured }, { context, queue, logger });
  }
  const orb = evaluatedOrb(world.orb());
  const pending = orbs.takePending(KEY, orb);
  if (pending?.plan.swap === undefined) throw new Error('no swap was decided');
  orbs.setPending(KEY, orb, pending);
  const { signal } = new AbortController();
  return {
    world,
    pending,
    reconcile: async () => {
      const outcome = await reconcileOrb(KEY, context, signal);
      await world.syncCaches();
      return outcome;
    },
    lastSwap: () => world.status().history.at(-1),
  };
}

describe('decideFailover', () => {
  it('writes the plan of the tick, and makes no second one', async () => {
    const { world, pending, reconcile, lastSwap } = await decided();
    await reconcile();
    expect(world.status()).to.include({ activeProvider: 'b', swapSeq: 1 });
    expect(lastSwap()?.receiptId).to.equal(pending.plan.swap?.receiptId);
    await world.stop();
  });

  it('plans anew when a pin came since: the pin wins', async () => {
    const { world, lastSwap } = await decided();
    const pin = { provider: 'c', expires_at: new Date(world.clock.now() + HOUR).toISOString() };
    await world.apply(mail({}, { pin }));
    expect(world.status()).to.include({ activeProvider: 'c', swapSeq: 1 });
    expect(lastSwap()?.reason).to.equal('manual');
    await world.stop();
  });

  it('plans anew when the status was written since', async () => {
    const { world, pending, reconcile, lastSwap } = await decided();
    world.client.put(KINDS.orb, sent({ ...mail(), status: { ...statusOf(world.orb()), validDigest: 'other' } }));
    await world.syncCaches();
    await reconcile();
    expect(world.status()).to.include({ activeProvider: 'b', swapSeq: 1 });
    expect(lastSwap()?.receiptId).not.to.equal(pending.plan.swap?.receiptId);
    await world.stop();
  });

  it('plans anew when another Orb claims the id since: nothing of this one runs', async () => {
    const { world, reconcile } = await decided();
    const { metadata, ...other } = mail();
    const creationTimestamp = '2020-01-01T00:00:00Z';
    world.client.put(KINDS.orb, sent({ ...other, metadata: { ...metadata, name: 'elder', creationTimestamp } }));
    await world.syncCaches();
    await reconcile();
    expect(statusOf(world.orb())).not.to.have.property('failover');
    await world.stop();
  });

  for (const [when, waited, isKept] of [
    ['keeps the plan until a pin or a freeze ends', 400, true],
    ['plans anew once a pin or a freeze has ended', 1000, false],
  ] as const) {
    it(when, async () => {
      const { world, pending, reconcile, lastSwap } = await decided();
      const outcome: Outcome = { kind: 'requeue-after', ms: 1000, why: 'a pin or a freeze ends' };
      const plan = { ...pending.plan, outcome };
      const moment = { ...pending.moment, now: pending.moment.now - waited };
      world.context.failover.orbs.setPending(KEY, evaluatedOrb(world.orb()), { ...pending, moment, plan });
      const next = await reconcile();
      expect(lastSwap()?.receiptId === plan.swap?.receiptId).to.equal(isKept);
      if (isKept) expect(next).to.deep.equal({ ...outcome, ms: 600 });
      await world.stop();
    });
  }

  it('drops the plan when its write meets a conflict', async () => {
    const { world, reconcile } = await decided();
    world.client.before = ({ verb }) => {
      if (verb === 'apply') throw kubeError(409, 'Conflict');
    };
    await reconcile().catch(() => undefined);
    world.client.before = () => undefined;
    await reconcile();
    expect(world.status()).to.include({ activeProvider: 'a', swapSeq: 0 });
    await world.stop();
  });
});
