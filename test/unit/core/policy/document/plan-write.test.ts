import { expect } from 'chai';
import { managerElsewhere, planPolicyWrite } from '../../../../../core/policy/document/plan-write.ts';
import type { JsonObject } from '../../../../../core/json/json-value.ts';
import type { KubeObject } from '../../../../../core/reconcile/kube-object.ts';

interface Owner {
  readonly manager: string;
  readonly spec?: readonly string[];
  readonly labels?: readonly string[];
  readonly subresource?: string;
}

const fields = (names: readonly string[] = []): JsonObject =>
  Object.fromEntries(names.map((name) => [`f:${name}`, {}]));

/** A policy as an API server sends it. */
const aPolicyOf = (owners: readonly Owner[], metadata: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'OrbPolicy',
  metadata: {
    name: 'limits',
    namespace: 'acme',
    labels: { team: 'a', tool: 'b' },
    managedFields: owners.map(({ manager, spec, labels, subresource }) => ({
      manager,
      operation: 'Apply',
      ...(subresource === undefined ? {} : { subresource }),
      fieldsV1: {
        ...(spec === undefined ? {} : { 'f:spec': fields(spec) }),
        ...(labels === undefined ? {} : { 'f:metadata': { 'f:labels': fields(labels) } }),
      },
    })),
    ...metadata,
  },
  spec: { mode: 'Audit', rules: [], priority: 5 },
});

const wanted = (
  spec: JsonObject,
  labels?: Readonly<Record<string, string>>,
): Parameters<typeof planPolicyWrite>[1] => ({
  spec,
  labels,
  annotations: undefined,
});
const ALL = ['mode', 'rules', 'priority'];
const OURS: Owner = { manager: 'orb-api', spec: ALL, labels: ['team'] };
const ENFORCED = { mode: 'Enforce', rules: [], priority: 5 };

describe('planPolicyWrite', () => {
  it('names every field that is ours, so that none goes', () => {
    const plan = planPolicyWrite(aPolicyOf([OURS]), wanted(ENFORCED));
    expect(plan).to.deep.include({ kind: 'apply', spec: ENFORCED, patch: { spec: { mode: 'Enforce' } } });
  });

  it('leaves out a field that is to go', () => {
    const plan = planPolicyWrite(aPolicyOf([OURS]), wanted({ mode: 'Audit', rules: [] }));
    expect(plan).to.deep.include({ spec: { mode: 'Audit', rules: [] }, patch: { spec: { priority: null } } });
  });

  it('changes a field without an owner beside those of another manager, and leaves these to it', () => {
    const others: Owner = { manager: 'flux', spec: ['rules', 'priority'] };
    const plan = planPolicyWrite(aPolicyOf([others]), wanted(ENFORCED));
    expect(plan).to.deep.include({ kind: 'apply', spec: { mode: 'Enforce' } });
  });

  it('leaves one default when no field remains', () => {
    const plan = planPolicyWrite(aPolicyOf([OURS]), wanted({}));
    expect(plan).to.deep.include({ kind: 'apply', spec: { engine: 'cel' } });
  });

  it('keeps the labels that are ours, and leaves the others to their managers', () => {
    const tool: Owner = { manager: 'tool', labels: ['tool'] };
    const { metadata } = { metadata: {}, ...planPolicyWrite(aPolicyOf([OURS, tool]), wanted(ENFORCED)) };
    expect(metadata).to.deep.equal({ labels: { team: 'a' }, annotations: {} });
    const named = { metadata: {}, ...planPolicyWrite(aPolicyOf([OURS, tool]), wanted(ENFORCED, { team: 'c' })) };
    expect(named.metadata).to.deep.equal({ labels: { team: 'c' }, annotations: {} });
  });

  const elsewhere: readonly [why: string, object: KubeObject, manager: string][] = [
    ['another manager owns the field', aPolicyOf([{ manager: 'argocd-controller', spec: ALL }]), 'argocd-controller'],
    ['another manager owns it too', aPolicyOf([OURS, { manager: 'kubectl', spec: ['mode'] }]), 'kubectl'],
    ['a file has the policy', aPolicyOf([], { annotations: { 'orbs.dev/file': 'a.yaml' } }), 'file:a.yaml'],
  ];
  for (const [why, object, manager] of elsewhere)
    it(`says which change to make elsewhere when ${why}`, () => {
      expect(planPolicyWrite(object, wanted(ENFORCED))).to.deep.equal({
        kind: 'managed-elsewhere',
        manager,
        patch: { spec: { mode: 'Enforce' } },
      });
    });

  it('finds nothing to make elsewhere when nothing changes', () => {
    const object = aPolicyOf([{ manager: 'kubectl', spec: ALL }]);
    const plan = planPolicyWrite(object, wanted({ priority: 5, rules: [], mode: 'Audit' }));
    expect(plan).to.deep.include({ kind: 'apply', spec: {}, patch: { spec: {} } });
  });
});

describe('managerElsewhere', () => {
  const rows: readonly [why: string, object: KubeObject, manager: string | undefined][] = [
    ['our own policy', aPolicyOf([OURS]), undefined],
    ['one whose status others write', aPolicyOf([OURS, { manager: 'orb-operator', subresource: 'status' }]), undefined],
    ['one whose labels others write', aPolicyOf([OURS, { manager: 'tool', labels: ['tool'] }]), undefined],
    ['one with a field of another manager', aPolicyOf([OURS, { manager: 'kubectl', spec: ['mode'] }]), 'kubectl'],
    ['one with an empty spec of another manager', aPolicyOf([{ manager: 'flux', spec: [] }]), 'flux'],
    ['one of a file', aPolicyOf([OURS], { annotations: { 'orbs.dev/file': 'a.yaml' } }), 'file:a.yaml'],
  ];
  for (const [why, object, manager] of rows)
    it(`of ${why}: ${manager ?? 'nobody'}`, () => {
      expect(managerElsewhere(object)).to.equal(manager);
    });
});
