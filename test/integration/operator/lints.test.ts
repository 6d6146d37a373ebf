import { expect } from 'chai';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { conditionOf } from '../../../core/reconcile/read-object.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { LINT_ROWS, lintOrb } from '../../support/crds/lint-rows.ts';
import { kstatus } from '../../support/kstatus.ts';
import { SHORT_LEASE, startOperator, type OperatorProcess } from '../../support/operator-process.ts';

const has =
  (type: string, reason: string): ((object: KubeObject) => boolean) =>
  (object) =>
    conditionOf(object, type)?.reason === reason;

const nameOf = (index: number): string => `bad-${index}`;
const orbiset = (host: string): object => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'Orbiset',
  metadata: { name: 'team' },
  spec: { vault: { secrets: [{ name: 'keys', allowedHosts: [host] }] } },
});

describe('operator, lints', () => {
  let plane: ControlPlane;
  let operator: OperatorProcess;
  let space: TestNamespace;

  before(async () => {
    plane = await sharedControlPlane();
    operator = await startOperator(plane, { flags: SHORT_LEASE });
    space = await testNamespace(plane, 'lints');
  });
  after(async () => {
    await operator.stop();
    await space.remove();
  });

  it('says in the status of each Orb that the server took what is wrong with it, and none stops another', async () => {
    const taken = LINT_ROWS.filter(({ refusal, severity }) => refusal === undefined && severity !== 'info');
    await space.apply(...taken.map(({ spec }, index) => lintOrb(nameOf(index), spec)), lintOrb('good', {}));
    expect(kstatus(await space.until('orb/good', has('Ready', 'Ready')))).to.equal('Current');
    for (const [index, { severity, finds }] of taken.entries()) {
      const reason = severity === 'error' ? 'ManifestInvalid' : 'Ready';
      const orb = await space.until(`orb/${nameOf(index)}`, has('Ready', reason));
      expect(conditionOf(orb, 'Ready')?.message).to.include(`(${finds.split(' ')[0] ?? ''})`);
      expect(kstatus(orb)).to.equal(severity === 'error' ? 'Failed' : 'Current');
    }
  });

  it('says which secret may not go to its provider’s host, until an Orbiset binds it', async () => {
    const execution = { url: 'https://api.example.com/', headers: { 'x-key': '{{orbiset.secrets.KEY}}' } };
    await space.apply(orbiset('other.example.com'), lintOrb('keyed', { execution }));
    const lost = await space.until('orb/keyed', has('SecretsBound', 'HostNotBound'));
    expect(conditionOf(lost, 'SecretsBound')?.message).to.include('bind KEY with api.example.com');
    expect(kstatus(lost)).to.equal('Current');
    await space.apply(orbiset('api.example.com'));
    await space.until('orb/keyed', has('SecretsBound', 'HostsBound'));
    await space.kubectl('delete', 'oset', 'team');
    await space.until('orb/keyed', (orb) => conditionOf(orb, 'SecretsBound') === undefined);
  });
});
