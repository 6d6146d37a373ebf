import { expect } from 'chai';
import { planOrbiset, type OrbisetSnapshot } from '../../../../core/orbiset/plan-orbiset.ts';
import { vaultReaderBinding } from '../../../../core/orbiset/vault-reader.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import type { Plan } from '../../../../core/reconcile/plan.ts';
import { conditionOf } from '../../../../core/reconcile/read-object.ts';
import { settle } from '../../../support/check-plan.ts';
import { anOrbiset } from '../../../support/kube-objects.ts';
import type { Kstatus } from '../../../support/kstatus.ts';

const NOW = Date.parse('2026-02-01T10:00:00Z');

const API = { platformNamespace: 'orb-system', apiAccount: 'orb-api' };
const bound: KubeObject = { ...vaultReaderBinding('acme', API, []) };
const intruding: KubeObject = { ...bound, metadata: { ...bound.metadata, labels: {} }, subjects: [] };
const tampered: KubeObject = { ...bound, subjects: [] };

const vaultReady = (status: string, observedGeneration = 1, reason = 'SecretNotFound'): unknown => ({
  conditions: [
    {
      type: 'VaultReady',
      status,
      reason,
      message: 'Create the Secret mail.',
      observedGeneration,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ],
});
const secrets = { vault: { secrets: [{ name: 'mail', allowedHosts: ['api.example.com'] }] } };

type Around = Partial<Omit<OrbisetSnapshot, 'orbiset'>>;

const plan =
  (around: Around): ((orbiset: KubeObject) => Plan) =>
  (orbiset) =>
    planOrbiset({ orbiset, ...API, mode: 'operator', bindings: [bound], unknownOrbs: [], ...around }, NOW);

const reasons = (made: Plan): readonly string[] => made.events.map(({ type, reason }) => `${type} ${reason}`);

describe('planOrbiset', () => {
  interface Row {
    readonly why: string;
    readonly spec?: unknown;
    readonly status?: unknown;
    readonly around?: Around;
    readonly ready: string;
    readonly kstatus: Kstatus;
    readonly message?: RegExp;
  }
  const full = vaultReady('True');
  const rows: readonly Row[] = [
    {
      why: 'is not Ready while its policies hold something else',
      spec: { policies: { rules: [] } },
      status: full,
      ready: 'False SpecInvalid',
      kstatus: 'Failed',
      message: /^spec\.policies: Only defaultEffect.*OrbPolicy.*\(policies-unreadable\)/,
    },
    {
      why: 'says of policies in no shape at all',
      spec: { policies: 'strict' },
      status: full,
      ready: 'False SpecInvalid',
      kstatus: 'Failed',
      message: /policies-unreadable/,
    },
    {
      why: 'is Ready with what it says about policies',
      spec: { policies: { defaultEffect: 'deny', requireReady: true } },
      status: full,
      ready: 'True Ready',
      kstatus: 'Current',
    },
    { why: 'awaits the report of the API', ready: 'Unknown AwaitingVaultReport', kstatus: 'InProgress' },
    {
      why: 'takes no report of another generation',
      status: vaultReady('True', 0),
      ready: 'Unknown AwaitingVaultReport',
      kstatus: 'InProgress',
    },
    {
      why: 'takes no report that knows nothing',
      status: vaultReady('Unknown'),
      ready: 'Unknown AwaitingVaultReport',
      kstatus: 'InProgress',
    },
    {
      why: 'passes on what the vault lacks',
      status: vaultReady('False'),
      ready: 'False VaultIncomplete',
      message: /^Create the Secret mail\.$/,
      kstatus: 'InProgress',
    },
    {
      why: 'waits while the API has not looked again since the RoleBinding is there',
      status: vaultReady('False', 1, 'Forbidden'),
      ready: 'Unknown AwaitingVaultReport',
      message: /tries again: the RoleBinding orb-vault-reader exists/,
      kstatus: 'InProgress',
    },
    {
      why: 'passes on that a tenant has bound another role',
      status: vaultReady('False', 1, 'Forbidden'),
      around: { mode: 'tenant' },
      ready: 'False VaultIncomplete',
      message: /do not let .* delete rolebinding orb-vault-reader; kubectl -n acme create rolebinding .*:orb-api$/,
      kstatus: 'InProgress',
    },
    {
      why: 'deletes no RoleBinding of the tenant that has another name',
      status: vaultReady('False', 1, 'Forbidden'),
      around: { mode: 'tenant', bindings: [{ ...bound, metadata: { ...bound.metadata, name: 'own' } }] },
      ready: 'False VaultIncomplete',
      message: /bind a wider one: kubectl -n acme create rolebinding/,
      kstatus: 'InProgress',
    },
    { why: 'is Ready when the vault is', status: full, ready: 'True Ready', kstatus: 'Current' },
    {
      why: 'waits for its RoleBinding though an old report says that all is there',
      status: full,
      around: { bindings: [] },
      ready: 'Unknown AwaitingVaultReport',
      kstatus: 'InProgress',
    },
    {
      why: 'waits until the operator has mended its RoleBinding',
      status: full,
      around: { bindings: [tampered] },
      ready: 'Unknown AwaitingVaultReport',
      kstatus: 'InProgress',
    },
    {
      why: 'names a RoleBinding of somebody else',
      status: full,
      around: { bindings: [intruding] },
      ready: 'False RoleBindingForeign',
      message: /kubectl -n acme delete rolebinding orb-vault-reader/,
      kstatus: 'InProgress',
    },
    {
      why: 'names the RoleBinding that the tenant must make',
      spec: secrets,
      status: full,
      around: { mode: 'tenant', bindings: [] },
      ready: 'False RoleBindingMissing',
      message: /kubectl -n acme create rolebinding .*--serviceaccount=orb-system:orb-api/,
      kstatus: 'InProgress',
    },
    {
      why: 'takes a RoleBinding of the tenant under any name',
      spec: secrets,
      status: full,
      around: { mode: 'tenant', bindings: [{ ...bound, roleRef: { kind: 'Role', name: 'own' } }] },
      ready: 'True Ready',
      kstatus: 'Current',
    },
    {
      why: 'needs no RoleBinding of the tenant without bound Secrets',
      status: full,
      around: { mode: 'tenant', bindings: [] },
      ready: 'True Ready',
      kstatus: 'Current',
    },
    {
      why: 'says that it is suspended, whatever the vault says',
      spec: { suspended: true },
      status: vaultReady('False'),
      ready: 'False Suspended',
      kstatus: 'InProgress',
    },
    {
      why: 'stalls a spec with an unknown member',
      spec: { valt: {} },
      status: full,
      ready: 'False SpecInvalid',
      message: /^spec\.valt: .*vault/,
      kstatus: 'Failed',
    },
    ...[undefined, null, [], 'x', 7].map((spec): Row => ({
      why: `stalls a spec that is ${JSON.stringify(spec)}`,
      spec,
      status: full,
      ready: 'False SpecInvalid',
      message: /^spec: /,
      kstatus: 'Failed',
    })),
  ];
  for (const row of rows) {
    it(row.why, () => {
      const { status, around = {} } = row;
      const orbiset = anOrbiset('support', { ...('spec' in row ? { spec: row.spec } : {}), status });
      const { object, kstatus } = settle(orbiset, 'orb-operator', plan(around));
      const ready = conditionOf(object, 'Ready');
      expect(`${ready?.status} ${ready?.reason}`).to.equal(row.ready);
      if (row.message !== undefined) expect(ready?.message).to.match(row.message);
      expect(kstatus).to.equal(row.kstatus);
    });
  }

  it('leaves the conditions of the API alone', () => {
    const { object, kstatus } = settle(anOrbiset('support', { status: full }), 'orb-operator', plan({}));
    expect(conditionOf(object, 'VaultReady')?.status).to.equal('True');
    expect(kstatus).to.equal('Current');
  });

  it('names listed Orbs that nobody has, and is Ready all the same', () => {
    const orbs = ['globex.geocode', 'initech.translate@2.1.0'];
    const orbiset = anOrbiset('support', { spec: { orbs }, status: full });
    const { object, plan: made, kstatus } = settle(orbiset, 'orb-operator', plan({ unknownOrbs: orbs.toReversed() }));
    const condition = conditionOf(object, 'OrbsResolved');
    expect(condition).to.include({ status: 'False', reason: 'OrbUnknown' });
    expect(condition?.message).to.match(
      /^spec\.orbs: Apply .* orb-system, or remove the entry. Missing: globex\.geocode, initech\.translate@2\.1\.0\.$/,
    );
    expect(made.events.map(({ type, reason, action }) => `${type} ${reason} ${action}`)).to.deep.equal([
      'Normal Ready Admit',
      'Warning OrbUnknown ResolveOrbs',
    ]);
    expect(kstatus).to.equal('Current');
  });

  it('says nothing of Orbs when none is listed, and that all are there when they are', () => {
    const none = settle(anOrbiset('support', { status: full }), 'orb-operator', plan({})).object;
    expect(conditionOf(none, 'OrbsResolved')).to.equal(undefined);
    const listed = anOrbiset('support', { spec: { orbs: ['globex.geocode'] }, status: full });
    const { object, kstatus } = settle(listed, 'orb-operator', plan({}));
    expect(conditionOf(object, 'OrbsResolved')).to.include({ status: 'True', reason: 'AllResolved' });
    expect(kstatus).to.equal('Current');
  });

  it('names ten of a thousand unknown Orbs', () => {
    const orbs = Array.from({ length: 1000 }, (_, index) => `acme.orb-${index}`);
    const orbiset = anOrbiset('support', { spec: { orbs }, status: full });
    const { object, kstatus } = settle(orbiset, 'orb-operator', plan({ unknownOrbs: orbs }));
    expect(conditionOf(object, 'OrbsResolved')?.message).to.match(/ and 990 more\.$/);
    expect(kstatus).to.equal('Current');
  });

  it('says first what to do about ids of any length, and how many it does not name', () => {
    const orbs = Array.from({ length: 10 }, (_, index) => `acme.${'x'.repeat(230)}@1.0.${index}`);
    const orbiset = anOrbiset('support', { spec: { orbs }, status: full });
    const { object, kstatus } = settle(orbiset, 'orb-operator', plan({ unknownOrbs: orbs }));
    const message = conditionOf(object, 'OrbsResolved')?.message;
    expect(message).to.match(/^spec\.orbs: Apply the Orb in the namespace orb-system, or remove the entry\. Missing: /);
    expect(message).to.match(/@1\.0\.1 and 8 more\.$/);
    expect(kstatus).to.equal('Current');
  });

  const messageAbout = (orbs: readonly string[]): string => {
    const orbiset = anOrbiset('support', { spec: { orbs }, status: full });
    const { object } = settle(orbiset, 'orb-operator', plan({ unknownOrbs: orbs }));
    return conditionOf(object, 'OrbsResolved')?.message ?? '';
  };

  it('names one unknown Orb even when its id is longer than the room for names, cut to that room', () => {
    const message = messageAbout([`acme.${'x'.repeat(800)}`]);
    expect(message).to.match(/Missing: acme\.x{695}\.$/);
  });

  it('names as many unknown Orbs as fit into 700 characters, to the last one', () => {
    const first = 'a'.repeat(400);
    expect(messageAbout([first, 'b'.repeat(298)])).to.match(/b\.$/);
    expect(messageAbout([first, 'b'.repeat(299)])).to.match(/ and 1 more\.$/);
  });

  it('reports a suspension and its end, not waiting', () => {
    const waiting = settle(anOrbiset('support'), 'orb-operator', plan({}));
    expect(reasons(waiting.plan)).to.deep.equal([]);
    const off = anOrbiset('support', { spec: { suspended: true }, status: full });
    const suspended = settle(off, 'orb-operator', plan({}));
    expect(reasons(suspended.plan)).to.deep.equal(['Warning Suspended']);
    const on = settle({ ...suspended.object, spec: {} }, 'orb-operator', plan({}));
    expect(reasons(on.plan)).to.deep.equal(['Normal Ready']);
    expect(on.kstatus).to.equal('Current');
  });
});
