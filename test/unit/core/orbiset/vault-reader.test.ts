import { expect } from 'chai';
import {
  bindingCommand,
  bindsTheApi,
  hasWantedContent,
  isForeign,
  isOperatorOwned,
  vaultReaderBinding,
} from '../../../../core/orbiset/vault-reader.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';

const PLATFORM = 'orb-system';
const IDENTITY = { platformNamespace: PLATFORM, apiAccount: 'orb-api' };
const API = { kind: 'ServiceAccount', name: 'orb-api', namespace: PLATFORM };
const ROLE = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'orb-vault-reader' };
const OURS = { 'app.kubernetes.io/managed-by': 'orb-operator' };

const aBinding = (members: object, labels?: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: 'any', namespace: 'acme', ...(labels === undefined ? {} : { labels }) },
  ...members,
});

describe('bindsTheApi', () => {
  const rows: readonly (readonly [why: string, binds: boolean, subjects: unknown])[] = [
    ['the account of the API', true, [API]],
    ['the account beside another', true, [{ kind: 'User', name: 'eve' }, API]],
    ['another account of the platform', false, [{ ...API, name: 'orb-operator' }]],
    ['an account of that name in another namespace', false, [{ ...API, namespace: 'acme' }]],
    ['a user of that name', false, [{ ...API, kind: 'User' }]],
    ['a group of that name', false, [{ ...API, kind: 'Group' }]],
    ['an account without a namespace', false, [{ kind: 'ServiceAccount', name: 'orb-api' }]],
    [
      'name and namespace in two subjects',
      false,
      [
        { ...API, name: 'x' },
        { ...API, namespace: 'x' },
      ],
    ],
    ['no subject', false, []],
    ['no list', false, { 0: API }],
    ['subjects that are no objects', false, ['orb-api', null, 7]],
    ['nothing', false, undefined],
  ];
  for (const [why, binds, subjects] of rows)
    it(`${binds ? 'knows' : 'does not take for it'}: ${why}`, () => {
      expect(bindsTheApi(aBinding({ subjects }), IDENTITY)).to.equal(binds);
    });
});

describe('hasWantedContent and isForeign', () => {
  const rows: readonly (readonly [
    why: string,
    wanted: boolean,
    foreign: boolean,
    members: object,
    labels?: Readonly<Record<string, string>>,
  ])[] = [
    ['the role for the API alone', true, false, { roleRef: ROLE, subjects: [API] }],
    ['the same by the operator', true, false, { roleRef: ROLE, subjects: [API] }, OURS],
    ['another subject beside the API', false, true, { roleRef: ROLE, subjects: [API, { ...API, name: 'x' }] }],
    ['that by the operator, which repairs it', false, false, { roleRef: ROLE, subjects: [API, API] }, OURS],
    ['another subject alone', false, true, { roleRef: ROLE, subjects: [{ ...API, name: 'x' }] }],
    ['another ClusterRole', false, true, { roleRef: { ...ROLE, name: 'admin' }, subjects: [API] }],
    [
      'another ClusterRole by the operator: a role is immutable',
      false,
      true,
      { roleRef: { ...ROLE, name: 'x' }, subjects: [API] },
      OURS,
    ],
    ['a Role of that name', false, true, { roleRef: { ...ROLE, kind: 'Role' }, subjects: [API] }],
    ['no role', false, true, { subjects: [API] }],
    ['no role by the operator', false, true, { roleRef: 'orb-vault-reader', subjects: [API] }, OURS],
    ['no subject', false, true, { roleRef: ROLE, subjects: [] }],
  ];
  for (const [why, wanted, foreign, members, labels] of rows)
    it(`judges ${why}`, () => {
      const binding = aBinding(members, labels);
      expect([hasWantedContent(binding, IDENTITY), isForeign(binding, IDENTITY)]).to.deep.equal([wanted, foreign]);
    });
});

describe('isOperatorOwned', () => {
  it('is true for the label of the operator alone', () => {
    const labels = [OURS, { 'app.kubernetes.io/managed-by': 'Helm' }, { 'managed-by': 'orb-operator' }, {}, undefined];
    expect(labels.map((one) => isOperatorOwned(aBinding({}, one)))).to.deep.equal([true, false, false, false, false]);
  });
});

describe('vaultReaderBinding', () => {
  it('grants the role to the API of the platform namespace, in the namespace of the Orbiset, and says whose it is', () => {
    const owner = { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orbiset', name: 'a', uid: 'u' };
    expect(vaultReaderBinding('acme', IDENTITY, [owner])).to.deep.equal({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'orb-vault-reader', namespace: 'acme', labels: OURS, ownerReferences: [owner] },
      roleRef: ROLE,
      subjects: [API],
    });
  });

  it('is the same as the command makes by hand', () => {
    expect(bindingCommand('acme', IDENTITY)).to.equal(
      'kubectl -n acme create rolebinding orb-vault-reader --clusterrole=orb-vault-reader --serviceaccount=orb-system:orb-api',
    );
  });
});
