import { expect } from 'chai';
import type { ScopeRow } from '../../../../core/api-key/scopes.ts';
import { rolesWithScopes } from '../../../../hack/generate/scopes.ts';

const START = '  # Scopes, from core/api-key/scopes.ts: npm run generate.\n';
const roleOf = (name: string, generated: string): string =>
  `metadata: { labels: { rbac.authorization.k8s.io/aggregate-to-${name}: 'true' } }\nrules:\n  - written: by hand\n${START}${generated}`;
const right = (verb: string, subresource: string, role: ScopeRow['role']): ScopeRow => ({
  allows: 'test it',
  verbs: [verb],
  resource: 'things',
  subresource,
  role,
});

describe('rules of scopes in the roles of the chart', () => {
  it('are those of the role, one for each set of verbs, below what is written by hand', () => {
    const table = {
      'a:read': right('get', 'a', 'view'),
      'b:write': right('create', 'b', 'edit'),
      'c:write': right('create', 'c', 'edit'),
      'd:erase': right('delete', 'd', 'edit'),
    };
    const before = `${roleOf('view', '  # old\n')}---\n${roleOf('edit', '')}`;
    const view = '  # a:read\n  - apiGroups: [orbs.dev]\n    resources: [things/a]\n    verbs: [get]\n';
    const edit =
      '  # b:write, c:write\n  - apiGroups: [orbs.dev]\n    resources: [things/b, things/c]\n    verbs: [create]\n' +
      '  # d:erase\n  - apiGroups: [orbs.dev]\n    resources: [things/d]\n    verbs: [delete]\n';
    expect(rolesWithScopes(before, table)).to.equal(`${roleOf('view', view)}---\n${roleOf('edit', edit)}`);
  });

  it('name a subresource once that two scopes share', () => {
    const table = { 'a:read': right('get', 'a', 'view'), 'a:list': right('get', 'a', 'view') };
    expect(rolesWithScopes(roleOf('view', ''), table))
      .to.include('# a:read, a:list\n')
      .and.include('[things/a]');
  });

  it('leave out a right on a kind itself, and a scope that is granted by name', () => {
    const { subresource: _, ...kind } = right('get', '', 'view');
    const table = { 'things:read': kind, admin: right('*', 'admin', 'none') };
    expect(rolesWithScopes(roleOf('view', ''), table)).to.equal(roleOf('view', ''));
  });

  for (const [why, text] of [
    ['without the line for scopes', roleOf('view', '').replace(START, '')],
    ['without a role of Kubernetes', roleOf('view', '').replace('aggregate-to', 'x')],
  ] as const)
    it(`refuse a role ${why}`, () => {
      expect(() => rolesWithScopes(text, {})).to.throw(TypeError, 'aggregate.yaml');
    });
});
