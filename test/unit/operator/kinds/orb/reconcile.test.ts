import { expect } from 'chai';
import { KINDS } from '../../../../../adapters/kube/kinds.ts';
import type { KubeObject } from '../../../../../core/reconcile/kube-object.ts';
import { conditionOf, statusOf } from '../../../../../core/reconcile/read-object.ts';
import { reconcileOrb } from '../../../../../operator/kinds/orb/reconcile.ts';
import { kubeError } from '../../../../support/kube/fake-kube-client.ts';
import { anOrb, manifestOf, sent, swappable } from '../../../../support/kube-objects.ts';
import { kstatus } from '../../../../support/kstatus.ts';
import { LostLead, operatorContext, type OperatorContext } from '../../../../support/operator-context.ts';

const { signal } = new AbortController();
const KEY = 'acme/echo';

const bare = (name: string, spec: unknown = manifestOf()): KubeObject => {
  const { apiVersion, kind } = anOrb(name);
  return { apiVersion, kind, metadata: { name, namespace: 'acme' }, spec };
};

/** One reconcile of what the server has. */
async function run({ context, syncCaches }: OperatorContext, key = KEY): Promise<void> {
  await syncCaches();
  await reconcileOrb(key, context, signal);
}

const stored = ({ client }: OperatorContext): KubeObject => {
  const [orb] = client.objects(KINDS.orb);
  if (orb === undefined) throw new Error('no Orb');
  return orb;
};

describe('reconcileOrb', () => {
  let operator: OperatorContext;
  beforeEach(() => {
    operator = operatorContext();
    operator.client.put(KINDS.orb, sent(bare('echo')));
  });

  it('makes an Orb Ready by one write, without an Event', async () => {
    await run(operator);
    await run(operator);
    expect(operator.writes()).to.deep.equal([`apply Orb ${KEY} orb-operator`]);
    expect(operator.events).to.deep.equal([]);
    expect(statusOf(stored(operator))['failover']).to.include({ activeProvider: 'main' });
    expect(kstatus(stored(operator))).to.equal('Current');
  });

  it('judges each generation of a manifest once, and the new one after an edit', async () => {
    await run(operator);
    operator.client.put(KINDS.orb, sent(bare('echo', manifestOf({ provider: 7 }))));
    await run(operator);
    expect(conditionOf(stored(operator), 'Ready')).to.include({ reason: 'ManifestInvalid' });
    expect(statusOf(stored(operator))['failover']).to.include({ activeProvider: 'main' });
    expect(operator.events).to.deep.equal(['Orb/echo Warning ManifestInvalid']);
    expect(kstatus(stored(operator))).to.equal('Failed');
  });

  it('decides again instead of writing over a change that the cache has not seen', async () => {
    await operator.syncCaches();
    operator.client.put(KINDS.orb, sent(bare('echo', manifestOf({ provider: 7 }))));
    const failed = await reconcileOrb(KEY, operator.context, signal).catch((error: unknown) => error);
    expect(failed).to.include({ status: 409 });
    expect(operator.events).to.deep.equal([]);
    await run(operator);
    expect(kstatus(stored(operator))).to.equal('Failed');
  });

  it('drops verdict and provider together when the write meets a conflict', async () => {
    await run(operator);
    const pin = { provider: 'other', expires_at: new Date(operator.clock.now() + 3_600_000).toISOString() };
    operator.client.put(KINDS.orb, sent(bare('echo', manifestOf({ ...swappable, pin }))));
    await operator.syncCaches();
    const before = statusOf(stored(operator));
    operator.client.before = ({ verb }) => {
      if (verb === 'apply') throw kubeError(409, 'Conflict');
    };
    const failed = await reconcileOrb(KEY, operator.context, signal).catch((error: unknown) => error);
    expect(failed).to.include({ status: 409 });
    expect(statusOf(stored(operator))).to.deep.equal(before);
    expect(operator.events).to.deep.equal([]);
    operator.client.before = () => undefined;
    await run(operator);
    expect(statusOf(stored(operator))).to.have.nested.include({ observedGeneration: 2, 'failover.swapSeq': 1 });
    expect(operator.events).to.deep.equal(['Orb/echo Normal ProviderChanged']);
  });

  it('reports an Orb that is Ready after it was not', async () => {
    operator.client.put(KINDS.orb, sent(bare('echo', manifestOf({ provider: 7 }))));
    await run(operator);
    operator.client.put(KINDS.orb, sent(bare('echo')));
    await run(operator);
    expect(operator.events).to.deep.equal(['Orb/echo Warning ManifestInvalid', 'Orb/echo Normal Ready']);
  });

  it('never makes an Orb again that is gone, and reports nothing', async () => {
    await operator.syncCaches();
    operator.client.remove(KINDS.orb, { namespace: 'acme', name: 'echo' });
    expect(await reconcileOrb(KEY, operator.context, signal)).to.deep.equal({ kind: 'done' });
    expect(operator.client.objects(KINDS.orb)).to.deep.equal([]);
    expect(operator.events).to.deep.equal([]);
  });

  it('writes nothing when somebody else leads', async () => {
    operator.loseLead();
    await operator.syncCaches();
    const failed = await reconcileOrb(KEY, operator.context, signal).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(LostLead);
    expect(operator.writes()).to.deep.equal([]);
  });

  it('finishes what a lost answer left unknown', async () => {
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
    expect(operator.writes()).to.deep.equal([`apply Orb ${KEY} orb-operator`]);
    expect(kstatus(stored(operator))).to.equal('Current');
  });

  it('gives the id to the next Orb when the holder is gone', async () => {
    operator.client.put(KINDS.orb, sent(bare('zulu')));
    await run(operator, 'acme/zulu');
    operator.client.remove(KINDS.orb, { namespace: 'acme', name: 'echo' });
    await run(operator, 'acme/zulu');
    expect(operator.events).to.deep.equal(['Orb/zulu Warning OrbIdConflict', 'Orb/zulu Normal Ready']);
    expect(kstatus(stored(operator))).to.equal('Current');
  });

  it('leaves the id to an Orb whose edit is broken, and gives it on with the edit that is mended', async () => {
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

  it('knows no twin in another namespace', async () => {
    operator.client.put(KINDS.orb, { ...bare('alpha'), metadata: { name: 'alpha', namespace: 'globex' } });
    await run(operator);
    expect(operator.events).to.deep.equal([]);
    expect(kstatus(stored(operator))).to.equal('Current');
  });
});
