import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { SCOPE_TABLE, SCOPES, type Rights, type Scope } from '../../../../core/api-key/scopes.ts';
import { isJsonObject } from '../../../../core/json/json-value.ts';

const FILE = join(import.meta.dirname, '../../../../charts/orb-platform/files/rbac/aggregate.yaml');
const ROLES = ['view', 'edit', 'admin'];

/**
 * What a ServiceAccount needs for each scope, and the lowest role that gives it. Users have granted these rights: an
 * entry never changes.
 */
const PUBLISHED: Readonly<Record<Scope, readonly [rights: string, role: string]>> = {
  'orbs:execute': ['create orbisets/execute', 'edit'],
  'receipts:read': ['get orbisets/receipts', 'view'],
  'receipts:erase': ['delete orbisets/receipts', 'admin'],
  'providers:read': ['get orbs/swap', 'view'],
  'providers:swap': ['create orbs/swap', 'edit'],
  'reputation:read': ['get orbpublications', 'view'],
  'marketplace:read': ['list orbpublications', 'view'],
  'marketplace:publish': ['create orbpublications, patch orbpublications', 'edit'],
  'policies:read': ['get orbpolicies, list orbpolicies', 'view'],
  'policies:write': ['create orbpolicies, patch orbpolicies, delete orbpolicies', 'admin'],
  'policies:simulate': ['create orbpolicies/simulate', 'edit'],
  'policies:approve': ['create orbpolicies/approve', 'admin'],
  'decisions:read': ['get orbpolicies/decisions', 'view'],
  'ingest:read': ['get orbsignalsources/signals', 'view'],
  'ingest:admin': ['update orbsignalsources/signals', 'admin'],
  'incidents:write': ['update orbsignalsources/incidents', 'admin'],
  'status:report': ['create orbisets/status-rounds', 'none'],
  admin: ['* orbisets/admin', 'none'],
};

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const member = (value: unknown, name: string): unknown => (isJsonObject(value) ? value[name] : undefined);

/** The roles that Kubernetes adds to its own, by the name of the latter, each with `VERB RESOURCE` of its rules. */
const granted: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  parseAllDocuments(readFileSync(FILE, 'utf8')).map((document) => {
    const object: unknown = document.toJS();
    const labels = JSON.stringify(member(member(object, 'metadata'), 'labels'));
    const rights = list(member(object, 'rules')).flatMap((rule) =>
      list(member(rule, 'resources')).flatMap((resource) =>
        list(member(rule, 'verbs')).map((verb) => `${String(verb)} ${String(resource)}`),
      ),
    );
    return [/aggregate-to-(\w+)"/.exec(labels)?.[1] ?? labels, new Set(rights)];
  }),
);

const needed = ({ verbs, resource, subresource }: Rights): readonly string[] =>
  verbs.map((verb) => `${verb} ${subresource === undefined ? resource : `${resource}/${subresource}`}`);

/** The roles that have a right by their own rules; a role also has what those before it have. */
const rolesWith = (right: string): readonly string[] => ROLES.filter((role) => granted.get(role)?.has(right));

describe('the roles of the chart', () => {
  it('are added to view, edit and admin', () => {
    expect([...granted.keys()]).to.deep.equal(ROLES);
  });

  it('give each scope from its role on, and no lower role all of its rights', () => {
    const found = Object.entries(SCOPE_TABLE).map(([scope, rights]) => {
      const first = needed(rights).map((right) => ROLES.indexOf(rolesWith(right)[0] ?? 'none'));
      return [scope, first.includes(-1) ? 'none' : ROLES[Math.max(...first)]];
    });
    expect(found).to.deep.equal(Object.entries(SCOPE_TABLE).map(([scope, { role }]) => [scope, role]));
  });

  it('have no right on a subresource that no scope needs', () => {
    const known = new Set(Object.values(SCOPE_TABLE).flatMap(needed));
    const ours = [...granted.values()].flatMap((rights) => [...rights]).filter((right) => right.includes('/'));
    expect(ours.filter((right) => !known.has(right))).to.deep.equal([]);
  });
});

describe('SCOPE_TABLE', () => {
  it('has the published rights and roles', () => {
    const found = Object.entries(SCOPE_TABLE).map(([scope, row]) => [scope, [needed(row).join(', '), row.role]]);
    expect(Object.fromEntries(found)).to.deep.equal(PUBLISHED);
    expect(SCOPES).to.deep.equal(Object.keys(PUBLISHED));
  });

  it('says of each scope what it allows', () => {
    const short = Object.entries(SCOPE_TABLE).filter(([, { allows }]) => !/^[a-z].{8,}[^.]$/.test(allows));
    expect(short).to.deep.equal([]);
  });
});
