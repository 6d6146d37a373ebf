import { expect } from 'chai';
import { planRoleBinding, type RoleBindingPlan } from '../../../../core/orbiset/plan-role-binding.ts';
import { vaultReaderBinding } from '../../../../core/orbiset/vault-reader.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { anOrbiset } from '../../../support/kube-objects.ts';

const API = { platformNamespace: 'orb-system', apiAccount: 'orb-api' };
const orbiset = anOrbiset('support');
const second = anOrbiset('sales');
const deleting = anOrbiset('gone', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });

const plan = (orbisets: readonly KubeObject[], binding?: KubeObject): RoleBindingPlan =>
  planRoleBinding({ namespace: 'acme', ...API, orbisets, binding });

/** What the server stores of what was applied. */
function stored(made: RoleBindingPlan): KubeObject {
  if (made.kind !== 'apply') throw new Error(`nothing to apply: ${made.kind}`);
  const { binding } = made;
  return { ...binding, metadata: { ...binding.metadata, uid: 'uid-binding', resourceVersion: '7' } };
}

const ours = stored(plan([orbiset]));
const foreign = (change: Readonly<Record<string, unknown>>): KubeObject => ({
  ...ours,
  ...change,
  metadata: { ...ours.metadata, labels: {}, ownerReferences: [] },
});

describe('planRoleBinding', () => {
  it('binds orb-vault-reader to the API, owned by the Orbiset', () => {
    const made = plan([orbiset]);
    expect(made).to.deep.equal({
      kind: 'apply',
      uid: undefined,
      binding: {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: {
          name: 'orb-vault-reader',
          namespace: 'acme',
          labels: { 'app.kubernetes.io/managed-by': 'orb-operator' },
          ownerReferences: [{ apiVersion: 'orbs.dev/v1alpha1', kind: 'Orbiset', name: 'support', uid: 'uid-support' }],
        },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'orb-vault-reader' },
        subjects: [{ kind: 'ServiceAccount', name: 'orb-api', namespace: 'orb-system' }],
      },
    });
  });

  it('binds the ServiceAccount that the API has under names of its own, and takes that of the default names for foreign', () => {
    const api = { platformNamespace: 'orb-system', apiAccount: 'acme-api' };
    const made = planRoleBinding({ namespace: 'acme', ...api, orbisets: [orbiset], binding: undefined });
    const subject = { kind: 'ServiceAccount', name: 'acme-api', namespace: 'orb-system' };
    expect(stored(made)).to.have.deep.property('subjects', [subject]);
    const other = foreign({ subjects: [{ ...subject, name: 'orb-api' }] });
    expect(planRoleBinding({ namespace: 'acme', ...api, orbisets: [orbiset], binding: other }).kind).to.equal(
      'foreign',
    );
  });

  it('writes nothing when it is as it must be, in whatever order the owners stand', () => {
    const both = stored(plan([orbiset, second]));
    const owners = both.metadata.ownerReferences ?? [];
    const reversed = { ...both, metadata: { ...both.metadata, ownerReferences: owners.toReversed() } };
    expect(plan([second, orbiset], reversed)).to.deep.equal({ kind: 'keep' });
  });

  const changes: readonly [string, readonly KubeObject[], KubeObject, RoleBindingPlan['kind']][] = [
    ['a second Orbiset becomes an owner', [orbiset, second], ours, 'apply'],
    ['an Orbiset that is gone is no owner any more', [second], stored(plan([orbiset, second])), 'apply'],
    ['an Orbiset that is being deleted is no owner', [orbiset, deleting], ours, 'keep'],
    [
      'a subject that somebody added is removed',
      [orbiset],
      { ...ours, subjects: [...list(ours), intruder()] },
      'apply',
    ],
    ['a subject that somebody removed comes back', [orbiset], { ...ours, subjects: [] }, 'apply'],
    ['subjects of another shape are mended', [orbiset], { ...ours, subjects: 'orb-api' }, 'apply'],
    [
      'one that gives another role is nobody we know',
      [orbiset],
      { ...ours, roleRef: { kind: 'ClusterRole', name: 'admin' } },
      'foreign',
    ],
    ['somebody else’s with the same content is enough', [orbiset], foreign({}), 'keep'],
    ['somebody else’s with another subject is not touched', [orbiset], foreign({ subjects: [intruder()] }), 'foreign'],
    ['somebody else’s with another role is not touched', [orbiset], foreign({ roleRef: null }), 'foreign'],
    [
      'one that is being deleted is left alone',
      [orbiset],
      withMeta({ deletionTimestamp: 'x', ownerReferences: [] }),
      'keep',
    ],
    ['the one of a namespace without Orbisets is deleted, if the garbage collector does not', [], ours, 'delete'],
    [
      'one of a namespace without Orbisets that has lost its owners is deleted',
      [],
      withMeta({ ownerReferences: [] }),
      'delete',
    ],
    ['somebody else’s stays in a namespace without Orbisets', [], foreign({}), 'keep'],
  ];
  for (const [why, orbisets, binding, kind] of changes) {
    it(`says ${kind}: ${why}`, () => expect(plan(orbisets, binding).kind).to.equal(kind));
  }

  it('makes nothing for a namespace without Orbisets, or with none that stays', () => {
    expect(plan([])).to.deep.equal({ kind: 'keep' });
    expect(plan([deleting])).to.deep.equal({ kind: 'keep' });
  });

  it('names the object that it changes or deletes by its UID', () => {
    expect(plan([orbiset, second], ours)).to.include({ uid: 'uid-binding' });
    expect(plan([], withMeta({ ownerReferences: [] }))).to.deep.equal({
      kind: 'delete',
      uid: 'uid-binding',
      isOwned: false,
    });
  });

  it('is steady after one write, whatever stood there before', () => {
    for (const [, orbisets, binding, kind] of changes) {
      if (kind !== 'apply') continue;
      const made = plan(orbisets, binding);
      expect(plan(orbisets, stored(made))).to.deep.equal({ kind: 'keep' });
    }
    expect(vaultReaderBinding('acme', API, []).metadata.name).to.equal('orb-vault-reader');
  });
});

function list({ subjects }: KubeObject): readonly unknown[] {
  return Array.isArray(subjects) ? subjects : [];
}

function intruder(): unknown {
  return { kind: 'User', name: 'mallory' };
}

function withMeta(metadata: Partial<KubeObject['metadata']>): KubeObject {
  return { ...ours, metadata: { ...ours.metadata, ...metadata } };
}
