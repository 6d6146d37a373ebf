import { expect } from 'chai';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { isJsonObject } from '../../../core/json/json-value.ts';
import { conditionOf } from '../../../core/reconcile/read-object.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { testNamespace, writeStatus, type TestNamespace } from '../../support/cluster.ts';
import { waitFor, lastAnswer } from '../../support/wait-for.ts';
import { kstatus } from '../../support/kstatus.ts';
import { anOrb, aPublication, manifestOf } from '../../support/kube-objects.ts';
import { SHORT_LEASE, startOperator, type OperatorProcess } from '../../support/operator-process.ts';

const BINDING = 'rolebinding/orb-vault-reader';
/** The garbage collector learns of new kinds every 30 s. */
const COLLECTED_MS = 45_000;

const orbiset = (name: string, spec: object = {}): object => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'Orbiset',
  metadata: { name },
  spec,
});
const secrets = { vault: { secrets: [{ name: 'mail', allowedHosts: ['api.example.com'] }] } };

/** What the API reports; the operator only reads it. */
async function reportVault(plane: ControlPlane, object: KubeObject, status: 'True' | 'False'): Promise<void> {
  const condition = {
    type: 'VaultReady',
    status,
    reason: status === 'True' ? 'VaultComplete' : 'SecretNotFound',
    message: 'Create the Secret mail.',
    observedGeneration: object.metadata.generation ?? 0,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  await writeStatus(plane, object, { conditions: [condition] }, { as: 'api', manager: 'orb-api-vault' });
}

const isReady =
  (reason: string): ((object: KubeObject) => boolean) =>
  (object) =>
    conditionOf(object, 'Ready')?.reason === reason &&
    conditionOf(object, 'Ready')?.observedGeneration === object.metadata.generation;

const owners = ({ metadata }: KubeObject): readonly string[] =>
  (metadata.ownerReferences ?? []).map(({ name }) => name).toSorted();

describe('operator, Orbisets', () => {
  let plane: ControlPlane;
  let operator: OperatorProcess;
  let space: TestNamespace;

  before(async () => {
    plane = await sharedControlPlane();
    operator = await startOperator(plane, { flags: SHORT_LEASE });
  });
  after(async () => {
    await operator.stop();
  });
  beforeEach(async () => {
    space = await testNamespace(plane, `sets-${Math.random().toString(36).slice(2, 8)}`);
  });
  afterEach(async () => {
    await space.remove();
  });

  it('derives Ready from what the API says of the vault', async () => {
    await space.apply(orbiset('support', secrets));
    const waiting = await space.until('orbiset/support', isReady('AwaitingVaultReport'));
    expect(kstatus(waiting)).to.equal('InProgress');
    await reportVault(plane, waiting, 'False');
    const incomplete = await space.until('orbiset/support', isReady('VaultIncomplete'));
    expect(conditionOf(incomplete, 'Ready')?.message).to.equal('Create the Secret mail.');
    await reportVault(plane, incomplete, 'True');
    const ready = await space.until('orbiset/support', isReady('Ready'));
    expect(kstatus(ready)).to.equal('Current');
    await space.apply(orbiset('support', { ...secrets, suspended: true }));
    const suspended = await space.until('orbiset/support', isReady('Suspended'));
    expect(kstatus(suspended)).to.equal('InProgress');
  });

  it('takes what an Orbiset says about policies', async () => {
    await space.apply(orbiset('support', { ...secrets, policies: { defaultEffect: 'deny', requireReady: true } }));
    await space.apply(orbiset('empty', { policies: {} }));
    await space.until('orbiset/empty', isReady('AwaitingVaultReport'));
    const waiting = await space.until('orbiset/support', isReady('AwaitingVaultReport'));
    await reportVault(plane, waiting, 'True');
    expect(kstatus(await space.until('orbiset/support', isReady('Ready')))).to.equal('Current');
  });

  it('binds the vault reader while there is an Orbiset, and the garbage collector unbinds it with the last', async () => {
    await space.apply(orbiset('one'), orbiset('two'));
    const bound = await space.until(BINDING, (object) => owners(object).join() === 'one,two');
    expect(bound['subjects']).to.deep.equal([{ kind: 'ServiceAccount', name: 'orb-api', namespace: 'orb-system' }]);
    await space.kubectl('delete', 'orbiset', 'one');
    await space.until(BINDING, (object) => owners(object).join() === 'two');
    await space.kubectl('delete', 'orbiset', 'two');
    await space.untilGone(BINDING, COLLECTED_MS);
  });

  it('makes the RoleBinding again when it is deleted, and mends its subjects', async () => {
    await space.apply(orbiset('one'));
    const first = await space.until(BINDING, () => true);
    await space.kubectl('delete', BINDING);
    const second = await space.until(BINDING, ({ metadata }) => metadata.uid !== first.metadata.uid);
    const intruder = [{ op: 'add', path: '/subjects/-', value: { kind: 'User', name: 'mallory' } }];
    await space.kubectl('patch', BINDING, '--type=json', `--patch=${JSON.stringify(intruder)}`);
    const mended = await space.until(
      BINDING,
      ({ metadata, subjects }) =>
        metadata.resourceVersion !== second.metadata.resourceVersion &&
        Array.isArray(subjects) &&
        subjects.length === 1,
    );
    expect(mended.metadata.uid).to.equal(second.metadata.uid);
  });

  it('removes its RoleBinding when the last Orbiset left it behind', async () => {
    await space.apply(orbiset('one'));
    await space.until(BINDING, () => true);
    await space.kubectl('delete', 'orbiset', 'one', '--cascade=orphan');
    await space.untilGone(BINDING, COLLECTED_MS);
    expect(await space.list('rolebinding')).to.deep.equal([]);
  });

  it('never touches a RoleBinding of that name that somebody else made, and says so', async () => {
    const foreign = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'orb-vault-reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'somebody' }],
    };
    await space.apply(foreign);
    const before = await space.get(BINDING);
    await space.apply(orbiset('one'));
    const reported = await space.until('orbiset/one', isReady('RoleBindingForeign'));
    expect(kstatus(reported)).to.equal('InProgress');
    expect((await space.get(BINDING))?.metadata.resourceVersion).to.equal(before?.metadata.resourceVersion);
    await space.kubectl('delete', BINDING);
    const made = await space.until(
      BINDING,
      ({ roleRef }) => isJsonObject(roleRef) && roleRef['name'] === 'orb-vault-reader',
    );
    expect(owners(made)).to.deep.equal(['one']);
    await space.until('orbiset/one', isReady('AwaitingVaultReport'));
  });

  it('tells on the Orbiset that its RoleBinding is refused, and by which command a person makes it', async () => {
    const hard = { 'count/rolebindings.rbac.authorization.k8s.io': '0' };
    await space.apply({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'none' }, spec: { hard } });
    // No controller of quotas runs here: what it would count.
    const status = JSON.stringify({ status: { hard, used: hard } });
    await space.kubectl('patch', 'resourcequota', 'none', '--subresource=status', '--type=merge', '-p', status);
    await space.apply(orbiset('one'));
    const note = await waitFor(async () => {
      const events = await space.list('events.events.k8s.io');
      const reported = events.find(({ reason }) => reason === 'RoleBindingRefused');
      return reported === undefined ? undefined : String(reported['note']);
    });
    expect(note)
      .to.include('answered 403 Forbidden')
      .and.include(`kubectl -n ${space.name} create rolebinding orb-vault-reader`);
    await space.kubectl('delete', 'resourcequota', 'none');
    await space.until(BINDING, () => true, 30_000);
  });

  it('names listed Orbs that nobody has, until somebody has them', async () => {
    await space.apply(orbiset('one', { orbs: [`globex.${space.name}`] }));
    const unknown = await space.until(
      'orbiset/one',
      (object) => conditionOf(object, 'OrbsResolved')?.status === 'False',
    );
    expect(conditionOf(unknown, 'OrbsResolved')?.message).to.include(`globex.${space.name}`);
    const { apiVersion, kind, spec } = anOrb('shared', { spec: manifestOf({ orb_id: `globex.${space.name}@1.0.0` }) });
    const shared = { apiVersion, kind, metadata: { name: space.name, namespace: 'orb-system' }, spec };
    const { code, stderr } = await plane.kubectl(['apply', '--server-side', '-f', '-'], {
      input: JSON.stringify(shared),
    });
    expect(stderr, String(code)).not.to.include('rror');
    await space.until('orbiset/one', (object) => conditionOf(object, 'OrbsResolved')?.status === 'True');
    await plane.kubectl(['-n', 'orb-system', 'delete', 'orb', space.name]);
    const again = await space.until('orbiset/one', (object) => conditionOf(object, 'OrbsResolved')?.status === 'False');
    expect(kstatus(again)).to.equal('InProgress');
  });

  it('takes a publication up to its evaluation', async () => {
    const { apiVersion, kind, spec } = aPublication('echo');
    await space.apply({ apiVersion, kind, metadata: { name: 'echo' }, spec });
    const publication = await space.until('orbpublication/echo', isReady('AwaitingEvaluation'));
    expect(JSON.stringify(publication.status)).to.match(/"manifestDigest":"sha256:[0-9a-f]{64}"/);
    expect(kstatus(publication)).to.equal('InProgress');
  });

  it('leaves a namespace that goes with everything in it', async () => {
    await space.apply(orbiset('one'), orbiset('two', secrets));
    await space.until(BINDING, () => true);
    await space.remove();
    const gone = async (): Promise<boolean> => (await plane.kubectl(['get', 'namespace', space.name])).code !== 0;
    expect(await lastAnswer(gone, (isGone) => isGone)).to.equal(true);
  });
});

describe('operator with rbac.vault=tenant', () => {
  it('makes no RoleBinding, names the missing one, and takes any that the tenant makes', async () => {
    const plane = await sharedControlPlane();
    const space = await testNamespace(plane, `tenant-${Math.random().toString(36).slice(2, 8)}`);
    const operator = await startOperator(plane, { flags: [...SHORT_LEASE, '--rbac-vault', 'tenant'] });
    try {
      await space.apply(orbiset('support', secrets));
      const missing = await space.until('orbiset/support', isReady('RoleBindingMissing'));
      const [, command] = /kubectl -n \S+ create (.*)$/.exec(conditionOf(missing, 'Ready')?.message ?? '') ?? [];
      expect(await space.get(BINDING)).to.equal(undefined);
      await space.kubectl('create', ...(command ?? '').split(' '));
      const waiting = await space.until('orbiset/support', isReady('AwaitingVaultReport'));
      await reportVault(plane, waiting, 'True');
      const ready = await space.until('orbiset/support', isReady('Ready'));
      expect(kstatus(ready)).to.equal('Current');
    } finally {
      await operator.stop();
      await space.remove();
    }
  });
});
