import { expect } from 'chai';
import { KINDS } from '../../../../../adapters/kube/kinds.ts';
import type { KubeObject } from '../../../../../core/reconcile/kube-object.ts';
import { conditionOf, statusOf } from '../../../../../core/reconcile/read-object.ts';
import { reconcileFailover } from '../../../../../operator/kinds/orb/reconcile-failover.ts';
import { reconcileOrb } from '../../../../../operator/kinds/orb/reconcile.ts';
import { anOrb, manifestOf, sent } from '../../../../support/kube-objects.ts';
import { kstatus } from '../../../../support/kstatus.ts';
import { LostLead, operatorContext, type OperatorContext } from '../../../../support/operator-context.ts';

const { signal } = new AbortController();
const KEY = 'acme/echo';

const bare = (name: string, spec: unknown = manifestOf()): KubeObject => {
  const { apiVersion, kind } = anOrb(name);
  return { apiVersion, kind, metadata: { name, namespace: 'acme' }, spec };
};

/** Both controllers, as their queues would have them. */
async function run({ context, syncCaches }: OperatorContext, key = KEY): Promise<void> {
  await syncCaches();
  await reconcileOrb(key, context, signal);
  await reconcileFailover(key, context, signal);
}

const stored = ({ client }: OperatorContext): KubeObject => {
  const [orb] = client.objects(KINDS.orb);
  if (orb === undefined) throw new Error('no Orb');
  return orb;
};

describe('reconcileOrb and reconcileFailover', () => {
  let operator: OperatorContext;
  beforeEach(() => {
    operator = operatorContext();
    operator.client.put(KINDS.orb, sent(bare('echo')));
  });

  it('write the status by their own managers, once each, and report it once', async () => {
    await run(operator);
    await run(operator);
    expect(operator.writes()).to.deep.equal([
      `apply Orb ${KEY} orb-operator`,
      `apply Orb ${KEY} orb-operator-failover`,
    ]);
    expect(operator.events).to.deep.equal(['Orb/echo Normal Ready']);
    expect(statusOf(stored(operator))['failover']).to.include({ activeProvider: 'main' });
    expect(kstatus(stored(operator))).to.equal('Current');
  });

  it('judge each generation of a manifest once, and the new one after an edit', async () => {
    await run(operator);
    operator.client.put(KINDS.orb, sent(bare('echo', manifestOf({ provider: 7 }))));
    await run(operator);
    expect(conditionOf(stored(operator), 'Ready')).to.include({ reason: 'ManifestInvalid' });
    expect(statusOf(stored(operator))['failover']).to.include({ activeProvider: 'main' });
    expect(operator.events).to.deep.equal(['Orb/echo Normal Ready', 'Orb/echo Warning ManifestInvalid']);
    expect(kstatus(stored(operator))).to.equal('Failed');
  });

  it('decide again instead of writing over a change that the cache has not seen', async () => {
    await operator.syncCaches();
    operator.client.put(KINDS.orb, sent(bare('echo', manifestOf({ provider: 7 }))));
    const failed = await reconcileOrb(KEY, operator.context, signal).catch((error: unknown) => error);
    expect(failed).to.include({ status: 409 });
    expect(operator.events).to.deep.equal([]);
    await run(operator);
    expect(kstatus(stored(operator))).to.equal('Failed');
  });

  it('never make an Orb again that is gone, and report nothing', async () => {
    await operator.syncCaches();
    operator.client.remove(KINDS.orb, { namespace: 'acme', name: 'echo' });
    expect(await reconcileOrb(KEY, operator.context, signal)).to.deep.equal({ kind: 'done' });
    expect(operator.client.objects(KINDS.orb)).to.deep.equal([]);
    expect(operator.events).to.deep.equal([]);
  });

  it('write nothing when somebody else leads', async () => {
    operator.loseLead();
    await operator.syncCaches();
    const failed = await reconcileOrb(KEY, operator.context, signal).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(LostLead);
    expect(operator.writes()).to.deep.equal([]);
  });

  it('finish what a lost answer left unknown, with one Event', async () => {
    operator.client.after = (): void => {
      operator.client.after = () => undefined;
      throw new Error('the connection was reset');
    };
    await operator.syncCaches().catch(() => undefined);
    await operator.syncCaches();
    operator.client.after = ({ verb }): void => {
      if (verb === 'apply') throw new Error('the connection was reset');
    };
    await reconcileOrb(KEY, operator.context, signal).catch(() => undefined);
    operator.client.after = () => undefined;
    await run(operator);
    expect(operator.writes()).to.deep.equal([
      `apply Orb ${KEY} orb-operator`,
      `apply Orb ${KEY} orb-operator-failover`,
    ]);
    expect(kstatus(stored(operator))).to.equal('Current');
  });

  it('give the id to the next Orb when the holder is gone', async () => {
    operator.client.put(KINDS.orb, sent(bare('zulu')));
    await run(operator, 'acme/zulu');
    operator.client.remove(KINDS.orb, { namespace: 'acme', name: 'echo' });
    await run(operator, 'acme/zulu');
    expect(operator.events).to.deep.equal(['Orb/zulu Warning OrbIdConflict', 'Orb/zulu Normal Ready']);
    expect(kstatus(stored(operator))).to.equal('Current');
  });

  it('leave the id to an Orb whose edit is broken, and give it on with the edit that is mended', async () => {
    await run(operator);
    operator.client.put(KINDS.orb, sent(bare('echo', manifestOf({ orb_id: 'acme.two@1.0.0', provider: 7 }))));
    operator.client.put(KINDS.orb, sent(bare('two', manifestOf({ orb_id: 'acme.two@1.0.0' }))));
    operator.client.put(KINDS.orb, sent(bare('young')));
    for (const name of ['echo', 'two', 'young']) await run(operator, `acme/${name}`);
    const reported = (): readonly (string | undefined)[] =>
      operator.client.objects(KINDS.orb).map((orb) => `${orb.metadata.name} ${conditionOf(orb, 'Ready')?.reason}`);
    expect(reported()).to.have.members(['echo ManifestInvalid', 'two Ready', 'young OrbIdConflict']);
    operator.client.put(KINDS.orb, sent(bare('echo', manifestOf({ orb_id: 'acme.two@1.0.0' }))));
    for (const name of ['echo', 'two', 'young']) await run(operator, `acme/${name}`);
    expect(reported()).to.have.members(['echo Ready', 'two OrbIdConflict', 'young Ready']);
  });

  it('know no twin in another namespace', async () => {
    operator.client.put(KINDS.orb, { ...bare('alpha'), metadata: { name: 'alpha', namespace: 'globex' } });
    await run(operator);
    expect(operator.events).to.deep.equal(['Orb/echo Normal Ready']);
    expect(kstatus(stored(operator))).to.equal('Current');
  });
});
