import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { SCOPE_RIGHTS, type Rights } from '../../../../api-server/cluster/scope-rights.ts';
import { isJsonObject } from '../../../../core/json/json-value.ts';

const ROLES = join(import.meta.dirname, '../../../../charts/orb-platform/files/rbac/aggregate.yaml');

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** `VERB RESOURCE` of every rule of the roles that people and ServiceAccounts get. */
const granted: ReadonlySet<string> = new Set(
  parseAllDocuments(readFileSync(ROLES, 'utf8'))
    .flatMap((document) => {
      const role: unknown = document.toJS();
      return isJsonObject(role) ? list(role['rules']).filter(isJsonObject) : [];
    })
    .flatMap(({ resources, verbs }) =>
      list(resources).flatMap((resource) => list(verbs).map((verb) => `${String(verb)} ${String(resource)}`)),
    ),
);

const needed = ({ verbs, resource, subresource }: Rights): readonly string[] =>
  verbs.map((verb) => `${verb} ${subresource === undefined ? resource : `${resource}/${subresource}`}`);

describe('the roles of the chart', () => {
  it('give every scope but admin, which is granted by name', () => {
    const missing = Object.entries(SCOPE_RIGHTS)
      .filter(([, rights]) => needed(rights).some((right) => !granted.has(right)))
      .map(([scope]) => scope);
    expect(missing).to.deep.equal(['admin']);
  });

  it('have no right on a subresource that no scope needs', () => {
    const known = new Set(Object.values(SCOPE_RIGHTS).flatMap(needed));
    const ours = [...granted].filter((right) => right.includes('/'));
    expect(ours.filter((right) => !known.has(right))).to.deep.equal([]);
  });
});
