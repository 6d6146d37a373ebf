import { expect } from 'chai';
import type { WorkQueue } from '../../../../adapters/kube/port.ts';
import { createWorkQueue } from '../../../../adapters/kube/work-queue.ts';
import type { ProviderMetrics } from '../../../../core/failover/metrics.ts';
import { evaluateOrb, type Tick } from '../../../../operator/swap-loop/evaluate.ts';
import { evaluatedOrb } from '../../../../operator/failover/evaluated-orbs.ts';
import { fresh } from '../../../support/failover.ts';
import { recordMetrics } from '../../../support/kube/runtime-recorders.ts';
import { failing, healthy, mail, providersOf, startLoop, type Script } from '../../../support/operator-loop.ts';

const KEY = 'acme/mail';

const evaluator = async (): Promise<{
  readonly world: Awaited<ReturnType<typeof startLoop>>;
  readonly queue: WorkQueue;
  readonly evaluate: (script: Script) => void;
}> => {
  const world = await startLoop();
  await world.apply(mail());
  await world.ticks(2);
  const { context, clock } = world;
  // Whoever would take from it is busy.
  const queue = createWorkQueue({ name: 'orb', clock, metrics: recordMetrics().metrics });
  const evaluate = (script: Script): void => {
    const at = clock.now();
    const providers: Readonly<Record<string, ProviderMetrics>> = providersOf(script, at);
    const measured: Tick['measured'] = { snapshot: () => fresh(providers, at), origin: null, oldestMs: 0 };
    evaluateOrb(KEY, { at, measured }, { context, queue, logger: { error: () => undefined } });
  };
  return { world, queue, evaluate };
};

describe('evaluateOrb', () => {
  it('drops a pending evaluation that no reconcile came to, when the next one sees no reason to write', async () => {
    const { world, evaluate } = await evaluator();
    const { orbs } = world.context.failover;
    const left = (): boolean => orbs.takePending(KEY, evaluatedOrb(world.orb())) !== undefined;
    evaluate(failing);
    expect(left()).to.equal(true);
    evaluate(failing);
    evaluate(healthy);
    expect(left()).to.equal(false);
    await world.stop();
  });

  it('has its decision written before edits that wait already', async () => {
    const { world, queue, evaluate } = await evaluator();
    for (const key of ['acme/one', 'acme/two']) queue.add(key, { lane: 'high' });
    evaluate(failing);
    expect(await queue.get(new AbortController().signal)).to.equal(KEY);
    await world.stop();
  });
});
