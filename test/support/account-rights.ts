import { SCOPE_TABLE, type Rights, type Scope } from '../../core/api-key/scopes.ts';
import type { TestNamespace } from './cluster.ts';

const RBAC = 'rbac.authorization.k8s.io';

const ruleOf = ({ verbs, resource, subresource }: Rights): object => ({
  apiGroups: ['orbs.dev'],
  resources: [subresource === undefined ? resource : `${resource}/${subresource}`],
  verbs,
});

/** Makes a ServiceAccount with the rights of these scopes in its namespace, and no other. @returns its token */
export async function accountWith(team: TestNamespace, name: string, scopes: readonly Scope[]): Promise<string> {
  await team.kubectl('create', 'serviceaccount', name);
  await team.apply(
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'Role',
      metadata: { name },
      rules: scopes.map((scope) => ruleOf(SCOPE_TABLE[scope])),
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { name },
      roleRef: { apiGroup: RBAC, kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace: team.name }],
    },
  );
  return (await team.kubectl('create', 'token', name, '--audience=orb-api')).trim();
}

/** The right of a scope, as a refusal names it. */
export function rightText(scope: Scope): string {
  const { verbs, resource, subresource }: Rights = SCOPE_TABLE[scope];
  return `${verbs.join(' and ')} ${subresource === undefined ? resource : `${resource}/${subresource}`}`;
}
