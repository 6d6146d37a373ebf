import { expect } from 'chai';
import { KINDS } from '../../../../../adapters/kube/kinds.ts';
import { vaultReaderBinding } from '../../../../../core/orbiset/vault-reader.ts';
import type { AppliedObject } from '../../../../../adapters/kube/port.ts';
import { reconcileRoleBinding } from '../../../../../operator/kinds/role-binding/reconcile.ts';
import { kubeError } from '../../../../support/kube/fake-kube-client.ts';
import { LostLead, operatorContext, type OperatorContext } from '../../../../support/operator-context.ts';

const API = { platformNamespace: 'orb-system', apiAccount: 'orb-api' };
const { signal } = new AbortController();
const APPLY = 'apply RoleBinding acme/orb-vault-reader orb-operator-rbac';

const orbiset = (name: string): AppliedObject => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'Orbiset',
  metadata: { name, namespace: 'acme' },
  spec: {},
});
const foreign = {
  ...vaultReaderBinding('acme', API, []),
  metadata: { name: 'orb-vault-reader', namespace: 'acme' },
  subjects: [{ kind: 'User', name: 'somebody' }],
};

const owners = ({ client }: OperatorContext): readonly string[] =>
  client.objects(KINDS.roleBinding).flatMap(({ metadata }) => (metadata.ownerReferences ?? []).map(({ name }) => name));

/** The last Orbiset is gone, and the RoleBinding has lost its owner. */
function orphan({ client }: OperatorContext): void {
  const binding = vaultReaderBinding('acme', API, []);
  client.remove(KINDS.orbiset, { namespace: 'acme', name: 'one' });
  client.put(KINDS.roleBinding, { ...binding, metadata: { ...binding.metadata, ownerReferences: [] } });
}

describe('reconcileRoleBinding', () => {
  let operator: OperatorContext;
  const run = async (): Promise<void> => {
    await operator.syncCaches();
    await reconcileRoleBinding('acme', operator.context, signal);
  };
  beforeEach(() => {
    operator = operatorContext();
    operator.client.put(KINDS.orbiset, orbiset('one'));
  });

  it('waits before the next time until the cache has what it wrote', async () => {
    await operator.syncCaches();
    const noted: unknown[] = [];
    const note = (...written: readonly unknown[]): void => void noted.push(written);
    await reconcileRoleBinding('acme', { ...operator.context, bindingWrites: { note } }, signal);
    const [binding] = operator.client.objects(KINDS.roleBinding);
    expect(noted).to.deep.equal([
      ['acme', binding?.metadata.resourceVersion, { namespace: 'acme', name: 'orb-vault-reader' }],
    ]);
  });

  it('makes it once, and owns it by each Orbiset that comes', async () => {
    await run();
    await run();
    operator.client.put(KINDS.orbiset, orbiset('two'));
    await run();
    await run();
    expect(operator.writes()).to.deep.equal([APPLY, APPLY]);
    expect(owners(operator)).to.have.members(['one', 'two']);
  });

  it('takes nothing over that somebody made since the cache last heard', async () => {
    await operator.syncCaches();
    operator.client.put(KINDS.roleBinding, foreign);
    await reconcileRoleBinding('acme', operator.context, signal);
    expect(operator.writes()).to.deep.equal([]);
    expect(operator.client.objects(KINDS.roleBinding)[0]?.['subjects']).to.deep.equal(foreign.subjects);
  });

  it('makes none for an Orbiset that is gone, though the cache has not heard of it', async () => {
    await operator.syncCaches();
    operator.client.remove(KINDS.orbiset, { namespace: 'acme', name: 'one' });
    await reconcileRoleBinding('acme', operator.context, signal);
    expect(operator.writes()).to.deep.equal([]);
  });

  it('does not bring back by a late write what was deleted meanwhile', async () => {
    await run();
    operator.client.put(KINDS.orbiset, orbiset('two'));
    await operator.syncCaches();
    operator.client.remove(KINDS.roleBinding, { namespace: 'acme', name: 'orb-vault-reader' });
    const failed = await reconcileRoleBinding('acme', operator.context, signal).catch((error: unknown) => error);
    expect(failed).to.include({ status: 409 });
    expect(operator.client.objects(KINDS.roleBinding)).to.deep.equal([]);
  });

  describe('without an Orbiset', () => {
    it('deletes what no owner would take along', async () => {
      orphan(operator);
      await run();
      expect(operator.writes()).to.deep.equal(['delete RoleBinding acme/orb-vault-reader']);
      expect(operator.client.objects(KINDS.roleBinding)).to.deep.equal([]);
    });

    it('leaves the garbage collector 5 s for what it takes along, then deletes it', async () => {
      await run();
      operator.client.remove(KINDS.orbiset, { namespace: 'acme', name: 'one' });
      await operator.syncCaches();
      const first = await reconcileRoleBinding('acme', operator.context, signal);
      expect(first).to.include({ kind: 'waiting', ms: 5000 });
      await operator.clock.advance(4999);
      expect(await reconcileRoleBinding('acme', operator.context, signal)).to.include({ kind: 'waiting', ms: 1 });
      expect(operator.writes()).to.deep.equal([APPLY]);
      await operator.clock.advance(1);
      expect((await reconcileRoleBinding('acme', operator.context, signal)).kind).to.equal('done');
      expect(operator.writes()).to.deep.equal([APPLY, 'delete RoleBinding acme/orb-vault-reader']);
    });

    it('deletes nothing when an Orbiset came that the cache has not seen', async () => {
      orphan(operator);
      await operator.syncCaches();
      operator.client.put(KINDS.orbiset, orbiset('new'));
      await reconcileRoleBinding('acme', operator.context, signal);
      expect(operator.writes()).to.deep.equal([]);
    });

    it('deletes nothing that somebody made in its place', async () => {
      orphan(operator);
      await operator.syncCaches();
      operator.client.remove(KINDS.roleBinding, { namespace: 'acme', name: 'orb-vault-reader' });
      operator.client.put(KINDS.roleBinding, foreign);
      await reconcileRoleBinding('acme', operator.context, signal);
      expect(operator.writes()).to.deep.equal([]);
    });
  });

  it('minds no namespace that is going', async () => {
    operator.client.before = ({ verb }): void => {
      if (verb === 'apply') throw kubeError(403, 'Forbidden', ['NamespaceTerminating']);
    };
    await run();
    expect(operator.client.objects(KINDS.roleBinding)).to.deep.equal([]);
  });

  it('minds no namespace that is gone', async () => {
    operator.client.before = ({ verb }): void => {
      if (verb === 'apply') throw kubeError(404, 'NotFound');
    };
    await run();
    expect(operator.client.objects(KINDS.roleBinding)).to.deep.equal([]);
  });

  it('reports that it may not bind', async () => {
    operator.client.before = ({ verb }): void => {
      if (verb === 'apply') throw kubeError(403, 'Forbidden');
    };
    const failed = await run().catch((error: unknown) => error);
    expect(failed).to.include({ status: 403 });
  });

  it('writes nothing when somebody else leads', async () => {
    operator.loseLead();
    const failed = await run().catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(LostLead);
    expect(operator.writes()).to.deep.equal([]);
  });
});
