import { expect } from 'chai';
import { KINDS } from '../../../../../adapters/kube/kinds.ts';
import { isJsonObject } from '../../../../../core/json/json-value.ts';
import { planFailover } from '../../../../../core/orb/plan-failover.ts';
import { planOrb } from '../../../../../core/orb/plan-orb.ts';
import { formerManagerOf } from '../../../../../core/reconcile/former-managers.ts';
import type { KubeObject } from '../../../../../core/reconcile/kube-object.ts';
import { conditionOf, statusOf } from '../../../../../core/reconcile/read-object.ts';
import { gatherOrb } from '../../../../../operator/kinds/orb/gather.ts';
import { reconcileOrb } from '../../../../../operator/kinds/orb/reconcile.ts';
import { kubeError } from '../../../../support/kube/fake-kube-client.ts';
import { anOrb, manifestOf, sent, swappable } from '../../../../support/kube-objects.ts';
import { operatorContext, type OperatorContext } from '../../../../support/operator-context.ts';

const { signal } = new AbortController();
const KEY = 'acme/echo';
const FORMER = 'orb-operator-failover';
const HOUR = 3_600_000;

const withSpec = (members: Readonly<Record<string, unknown>>): KubeObject => {
  const { apiVersion, kind } = anOrb('echo');
  return { apiVersion, kind, metadata: { name: 'echo', namespace: 'acme' }, spec: manifestOf(members) };
};

describe('reconcileOrb of a status that two managers wrote', () => {
  let operator: OperatorContext;
  beforeEach(() => {
    operator = operatorContext();
  });

  const stored = (): KubeObject => {
    const [orb] = operator.client.objects(KINDS.orb);
    if (orb === undefined) throw new Error('no Orb');
    return orb;
  };
  const store = async (members: Readonly<Record<string, unknown>>): Promise<void> => {
    operator.client.put(KINDS.orb, sent(withSpec(members)));
    await operator.syncCaches();
  };
  const applyStatus = async (fieldManager: string, status: object): Promise<void> => {
    const { apiVersion, kind, metadata } = withSpec({});
    const object = { apiVersion, kind, metadata: { ...metadata }, status };
    await operator.client.apply(KINDS.orb, object, { fieldManager, subresource: 'status' }, signal);
  };
  /** An Orb as the version before left it, each plan by its own manager. @returns its status */
  const writtenBefore = async (
    members: Readonly<Record<string, unknown>>,
    failover: object = {},
  ): Promise<Readonly<Record<string, unknown>>> => {
    await store(members);
    const { context } = operator;
    const snapshot = gatherOrb(stored(), context);
    await applyStatus('orb-operator', planOrb(snapshot, context.clock.now()).status);
    const { status } = planFailover(snapshot, context.failover.moment());
    const written = isJsonObject(status['failover']) ? status['failover'] : {};
    await applyStatus(FORMER, { ...status, failover: { ...written, ...failover } });
    await operator.syncCaches();
    expect(formerManagerOf(stored())).to.equal(FORMER);
    return statusOf(stored());
  };
  const run = async (): Promise<void> => {
    await reconcileOrb(KEY, operator.context, signal);
    await operator.syncCaches();
  };
  const countWrites = async (action: () => Promise<unknown>): Promise<number> => {
    const { length } = operator.writes();
    await action();
    return operator.writes().length - length;
  };
  const pinFor = (ms: number): object => ({
    provider: 'other',
    expires_at: new Date(operator.clock.now() + ms).toISOString(),
  });

  it('changes no value when it takes the status over, and writes no more after that', async () => {
    const before = await writtenBefore({ ...swappable, pin: pinFor(HOUR) });
    expect(await countWrites(run)).to.equal(2);
    expect(statusOf(stored())).to.deep.equal(before);
    expect(formerManagerOf(stored())).to.equal(undefined);
    expect(await countWrites(run)).to.equal(0);
    expect(operator.events).to.deep.equal(['Orb/echo Normal ProviderChanged']); // of the leader before, again
  });

  it('removes the condition of a pin that ends later', async () => {
    await writtenBefore({ ...swappable, pin: pinFor(HOUR) });
    await run();
    expect(conditionOf(stored(), 'PinValid')).to.include({ reason: 'PinFollowed' });
    await store(swappable);
    await run();
    expect(conditionOf(stored(), 'PinValid')).to.equal(undefined);
    expect(statusOf(stored())['failover']).to.not.have.nested.property('pin.firstSeenAt');
    expect(statusOf(stored())['failover']).to.include({ activeProvider: 'other', swapSeq: 1 });
  });

  it('removes a ramp that ends with the first reconcile', async () => {
    const ramp = { provider: 'other', percent: 10, stepStartedAt: '2026-02-01T09:59:00.000Z', trial: false };
    await writtenBefore({ providers: swappable['providers'] }, { ramp });
    expect(await countWrites(run)).to.equal(3);
    expect(statusOf(stored())['failover']).to.include({ activeProvider: 'main' }).and.not.to.have.property('ramp');
    expect(await countWrites(run)).to.equal(0);
  });

  it('loses nothing when the process ends after the first half, and finishes in the next run', async () => {
    const before = await writtenBefore({ ...swappable, pin: pinFor(HOUR) });
    operator.client.before = ({ fieldManager }) => {
      if (fieldManager === FORMER) throw kubeError(503, 'ServiceUnavailable');
    };
    const failed = await run().catch((error: unknown) => error);
    expect(failed).to.include({ status: 503 });
    expect(statusOf(stored())).to.deep.equal(before);
    operator.client.before = () => undefined;
    await operator.syncCaches();
    await run();
    expect(statusOf(stored())).to.deep.equal(before);
    expect(formerManagerOf(stored())).to.equal(undefined);
  });

  it('decides on the newer object when it changed before it could be taken over', async () => {
    await writtenBefore({ ...swappable, pin: pinFor(HOUR) });
    operator.client.put(KINDS.orb, sent(withSpec(swappable)));
    const failed = await reconcileOrb(KEY, operator.context, signal).catch((error: unknown) => error);
    expect(failed).to.include({ status: 409 });
    expect(formerManagerOf(stored())).to.equal(FORMER);
    await operator.syncCaches();
    await run();
    expect(conditionOf(stored(), 'PinValid')).to.equal(undefined);
    expect(formerManagerOf(stored())).to.equal(undefined);
  });

  it('writes nothing when somebody else leads', async () => {
    await writtenBefore(swappable);
    operator.loseLead();
    expect(await countWrites(() => run().catch(() => undefined))).to.equal(0);
  });

  it('ends quietly for an Orb that is gone', async () => {
    await writtenBefore(swappable);
    operator.client.remove(KINDS.orb, { namespace: 'acme', name: 'echo' });
    expect(await reconcileOrb(KEY, operator.context, signal)).to.deep.equal({ kind: 'done' });
    expect(operator.client.objects(KINDS.orb)).to.deep.equal([]);
  });
});
