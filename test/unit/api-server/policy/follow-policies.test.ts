import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { followPolicies, type PolicyFollower } from '../../../../api-server/policy/follow-policies.ts';
import type { PoliciesInForce } from '../../../../api-server/policy/policies.ts';
import type { OrbPolicySpec } from '../../../../crds/orbpolicy.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { conditionOf, statusOf } from '../../../../core/reconcile/read-object.ts';
import { anObjectStore, type AnObjectStore } from '../../../support/an-object-store.ts';
import { recordLog, recordMetrics } from '../../../support/kube/runtime-recorders.ts';
import { BROKEN_POLICY, DENIES, EXPENSIVE, unreadPolicies } from '../../../support/policies-in-force.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';
import { untilTrue } from '../../../support/wait-for.ts';

const never = new AbortController().signal;

/** A process that follows the policies of a store. */
interface Followed {
  readonly policies: PoliciesInForce;
  readonly follower: PolicyFollower;
  readonly stop: () => Promise<void>;
}

describe('policies of a cluster', () => {
  let fixture: SqliteFixture;
  let store: AnObjectStore;
  let running: Followed[];

  beforeEach(async () => {
    fixture = await openSqliteFixture();
    store = await anObjectStore();
    running = [];
  });
  afterEach(async () => {
    for (const { stop } of running) await stop();
    await fixture.dispose();
  });

  function start(policies: PoliciesInForce): Followed {
    const follower = followPolicies({
      policies,
      platformNamespace: 'orb-system',
      clock: store.clock,
      logger: recordLog().logger,
      client: store.client,
      metrics: recordMetrics().metrics,
      reflect: store.reflect,
      random: () => 0.5,
      lease: { assertLeading: () => undefined },
    });
    const stopping = new AbortController();
    const { signal } = stopping;
    const parts = [follower.reflector.run(signal), follower.run(signal), follower.lead(signal)];
    const stop = async (): Promise<void> => {
      stopping.abort();
      await Promise.all(parts);
    };
    const followed = { policies, follower, stop };
    running.push(followed);
    return followed;
  }
  async function follow(): Promise<Followed> {
    const followed = start(await unreadPolicies(await fixture.current()));
    await untilTrue('every policy is read', followed.follower.isRead);
    return followed;
  }
  const apply = (name: string, spec: OrbPolicySpec, namespace = 'acme'): Promise<KubeObject> => {
    const object = { apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbPolicy', metadata: { name, namespace }, spec };
    return store.client.apply(KINDS.orbpolicy, object, { fieldManager: 'test', force: true }, never);
  };
  const stored = (name: string): Promise<KubeObject | undefined> =>
    store.client.get(KINDS.orbpolicy, { namespace: 'acme', name }, never);
  const remove = async (name: string): Promise<void> => {
    const uid = (await stored(name))?.metadata.uid ?? '';
    await store.client.delete(KINDS.orbpolicy, { namespace: 'acme', name }, { uid }, never);
  };
  const members = ({ policies }: Followed): readonly string[] => policies.of('acme')?.members.map(({ id }) => id) ?? [];
  const shown = async (name: string, type: string): Promise<string> => {
    const policy = await stored(name);
    const condition = policy && conditionOf(policy, type);
    return condition === undefined ? '' : `${condition.status} ${condition.reason}`;
  };

  const budget = (): Promise<string> => shown('second', 'WithinBudget');
  const activeDigest = async (): Promise<unknown> => {
    const policy = await stored('limits');
    return policy && statusOf(policy)['activeDigest'];
  };

  it('are in force when the process is ready, follow each change, and end with their objects', async () => {
    await apply('limits', DENIES);
    const followed = await follow();
    expect(members(followed)).to.deep.equal(['acme/limits']);
    const [version] = await fixture.ledger.policiesInForce();
    expect([version?.by, version?.mode, version?.tests]).to.deep.equal(['test', 'Enforce', '{"passed":0,"failed":0}']);
    await apply('more', DENIES);
    await untilTrue('the new one is in force', () => members(followed).length === 2);
    await remove('limits');
    await untilTrue('the deleted one is not', () => members(followed).length === 1);
    expect(members(followed)).to.deep.equal(['acme/more']);
  });

  it('that were deleted while no process ran are in force nowhere', async () => {
    await apply('limits', DENIES);
    await (await follow()).stop();
    await remove('limits');
    const { policies } = await follow();
    await untilTrue('the ledger forgets it', () => [...policies.feed.keys()].length === 0);
    expect(policies.of('acme')).to.equal(undefined);
  });

  it('show what is in force, and whether gate and budget let it', async () => {
    await apply('limits', { ...DENIES, promotion: { requireReplay: {} } });
    const { policies } = await follow();
    await untilTrue('the gate is reported', async () => (await shown('limits', 'ReplayGatePassed')) !== '');
    expect(await shown('limits', 'ReplayGatePassed')).to.equal('False ReplayMissing');
    expect(await shown('limits', 'WithinBudget')).to.equal('True WithinBudget');
    const digest = policies.state('acme', 'limits')?.inForce?.digest;
    expect([typeof digest, await activeDigest()]).to.deep.equal(['string', digest]);
    await apply('limits', { ...BROKEN_POLICY, promotion: { requireReplay: {} } });
    await untilTrue(
      'nothing is said of a generation that is refused',
      async () => (await shown('limits', 'WithinBudget')) === '',
    );
    expect(await activeDigest()).to.equal(digest);
  });

  it('say when another policy took the budget, or gave it back', async () => {
    await apply('first', EXPENSIVE);
    await follow();
    await apply('second', EXPENSIVE);
    await untilTrue('it is over', async () => (await budget()).startsWith('False'));
    expect(await budget()).to.equal('False CostBudget');
    await remove('first');
    await untilTrue('it fits', async () => (await budget()).startsWith('True'));
    expect(await budget()).to.equal('True WithinBudget');
  });

  it('show the newest replay, and that it met the gate', async () => {
    await apply('limits', { ...DENIES, promotion: { requireReplay: { window: '1h', minReceipts: 1 } } });
    const { policies } = await follow();
    const policyDigest = policies.state('acme', 'limits')?.inForce?.digest ?? '';
    const { ledger } = fixture;
    const of = { tenant: 'acme', namespace: 'acme', name: 'limits', policyDigest, owner: 'here' };
    await ledger.addReplay({ replayId: 'rpl_1', ...of, startedAt: 1, request: '{}' }, 2);
    const totals = { windowMs: 3_600_000, evaluated: 7, indeterminate: 0, newDenies: 0 };
    await ledger.updateReplay('rpl_1', { status: 'completed', endedAt: 1000, result: '{}', totals });
    await policies.replayed('acme', 'limits');
    await untilTrue('it passed', async () => (await shown('limits', 'ReplayGatePassed')) === 'True ReplayPassed');
    const policy = await stored('limits');
    expect(policy && statusOf(policy)['lastReplay']).to.deep.equal({
      id: 'rpl_1',
      policyDigest,
      evaluated: 7,
      newDenies: 0,
      indeterminate: 0,
      at: '1970-01-01T00:00:01.000Z',
    });
  });

  it('are not read, and deny every run, while one of them can not be taken over', async () => {
    await apply('limits', { ...DENIES, promotion: { requireReplay: {} } });
    let asked = 0;
    let isAway = true;
    const replayTotals: typeof fixture.ledger.replayTotals = (...version) => {
      asked += 1;
      return isAway ? Promise.reject(new Error('away')) : fixture.ledger.replayTotals(...version);
    };
    const { policies, follower } = start(await unreadPolicies({ ...fixture.ledger, replayTotals }));
    await untilTrue('it was tried', () => asked > 0);
    expect([follower.isRead(), policies.of('globex')?.missing.length]).to.deep.equal([false, 1]);
    isAway = false;
    await untilTrue('it is tried again', async () => {
      await store.clock.advance(1000);
      return follower.isRead();
    });
    expect([policies.of('globex'), policies.of('acme')?.members.length]).to.deep.equal([undefined, 1]);
  });
});
