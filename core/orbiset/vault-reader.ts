import { isJsonObject } from '../json/json-value.ts';
import type { KubeObject, OwnerReference } from '../reconcile/kube-object.ts';

/**
 * Which side creates the RoleBinding that lets the API read bound Secrets (security.md §6.1). `local`: Secrets are
 * objects of this process, so there is no RoleBinding (operator.md A16).
 */
export type VaultMode = 'operator' | 'tenant' | 'local';

/** Name of the RoleBinding, and of the ClusterRole that it grants. */
export const VAULT_READER = 'orb-vault-reader';
/** Name of the API's ServiceAccount unless the chart was installed with other names. */
export const API_ACCOUNT = 'orb-api';
const GROUP = 'rbac.authorization.k8s.io';
const OWNER_LABEL = 'app.kubernetes.io/managed-by';
const OPERATOR = 'orb-operator';

/** The ServiceAccount of the API. */
export interface ApiIdentity {
  readonly platformNamespace: string;
  /** Its name in the platform namespace. */
  readonly apiAccount: string;
}

/** A RoleBinding as the operator applies it. */
export interface VaultReaderBinding {
  readonly apiVersion: 'rbac.authorization.k8s.io/v1';
  readonly kind: 'RoleBinding';
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly ownerReferences: readonly OwnerReference[];
  };
  readonly roleRef: Readonly<Record<'apiGroup' | 'kind' | 'name', string>>;
  readonly subjects: readonly Readonly<Record<'kind' | 'name' | 'namespace', string>>[];
}

/** The RoleBinding of one namespace. The operator creates no other binding. */
export function vaultReaderBinding(
  namespace: string,
  { platformNamespace, apiAccount }: ApiIdentity,
  ownerReferences: readonly OwnerReference[],
): VaultReaderBinding {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: VAULT_READER, namespace, labels: { [OWNER_LABEL]: OPERATOR }, ownerReferences },
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: VAULT_READER },
    subjects: [{ kind: 'ServiceAccount', name: apiAccount, namespace: platformNamespace }],
  };
}

/** Whether the operator made this RoleBinding. It never touches others. */
export function isOperatorOwned({ metadata }: KubeObject): boolean {
  const labels: unknown = metadata.labels;
  return isJsonObject(labels) && labels[OWNER_LABEL] === OPERATOR;
}

const subjectsOf = ({ subjects }: KubeObject): readonly unknown[] => (Array.isArray(subjects) ? subjects : []);

/** Whether one of the subjects is the API's ServiceAccount. */
export const bindsTheApi = (binding: KubeObject, { platformNamespace, apiAccount }: ApiIdentity): boolean =>
  subjectsOf(binding).some(
    (subject) =>
      isJsonObject(subject) &&
      subject['kind'] === 'ServiceAccount' &&
      subject['name'] === apiAccount &&
      subject['namespace'] === platformNamespace,
  );

const hasVaultReaderRole = ({ roleRef }: KubeObject): boolean =>
  isJsonObject(roleRef) && roleRef['kind'] === 'ClusterRole' && roleRef['name'] === VAULT_READER;

/** Whether it grants `orb-vault-reader` to the API and to no other subject. */
export const hasWantedContent = (binding: KubeObject, api: ApiIdentity): boolean =>
  hasVaultReaderRole(binding) && subjectsOf(binding).length === 1 && bindsTheApi(binding, api);

/**
 * Another writer made it and it grants something else, or it can't be repaired: the role of a RoleBinding is immutable.
 */
export const isForeign = (binding: KubeObject, api: ApiIdentity): boolean =>
  !hasWantedContent(binding, api) && !(isOperatorOwned(binding) && hasVaultReaderRole(binding));

/** The command that creates the RoleBinding by hand. */
export const bindingCommand = (namespace: string, { platformNamespace, apiAccount }: ApiIdentity): string =>
  `kubectl -n ${namespace} create rolebinding ${VAULT_READER} --clusterrole=${VAULT_READER} --serviceaccount=${platformNamespace}:${apiAccount}`;
