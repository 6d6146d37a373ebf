import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SERVICES } from '../../api-server/services/services.ts';
import { SCOPE_TABLE, SCOPES, type Rights, type ScopeRow } from '../../core/api-key/scopes.ts';
import type { Artefact } from './artefact.ts';
import { formatted } from './formatted.ts';
import { code, prose } from './reference.ts';

const ROLES = 'charts/orb-platform/files/rbac/aggregate.yaml';
const REFERENCE = 'docs/reference/scopes.md';

/** Scopes by name, as in `SCOPE_TABLE`. */
type Table = Readonly<Record<string, ScopeRow>>;

// What stands below this line in a role is generated; what stands above it is written by hand.
const START = '  # Scopes, from core/api-key/scopes.ts: npm run generate.\n';
const BETWEEN = '---\n';

const placeOf = ({ resource, subresource }: Rights): string =>
  subresource === undefined ? resource : `${resource}/${subresource}`;

/**
 * The rules that give a role its scopes, one for each set of verbs. A right on a kind itself is part of the role's rules
 * for kinds.
 */
function rulesOf(role: string, table: Table): string {
  const given = Object.entries(table).filter(([, row]) => row.role === role && row.subresource !== undefined);
  const byVerbs = Map.groupBy(given, ([, { verbs }]) => verbs.join(', '));
  return [...byVerbs]
    .map(([verbs, rows]) => {
      const places = [...new Set(rows.map(([, row]) => placeOf(row)))];
      const comment = `  # ${rows.map(([scope]) => scope).join(', ')}\n`;
      return `${comment}  - apiGroups: [orbs.dev]\n    resources: [${places.join(', ')}]\n    verbs: [${verbs}]\n`;
    })
    .join('');
}

function withScopes(document: string, table: Table): string {
  const role = /aggregate-to-(\w+):/.exec(document)?.[1];
  const at = document.indexOf(START);
  if (role === undefined || at < 0) throw new TypeError(`${ROLES}: a role without its label or its line for scopes`);
  return `${document.slice(0, at)}${START}${rulesOf(role, table)}`;
}

/** @param roles the chart's roles, as YAML; @returns the same with the rules that the scopes need */
export const rolesWithScopes = (roles: string, table: Table): string =>
  roles
    .split(BETWEEN)
    .map((document) => withScopes(document, table))
    .join(BETWEEN);

const INTRODUCTION = `# Scopes

An API key has scopes: \`orb keys create --scope SCOPE\`. A ServiceAccount has none. The platform asks Kubernetes whether it has
the right in the group \`orbs.dev\`, in the namespace of the tenant. The chart adds the right to a role of Kubernetes, and to
the roles that include it: \`edit\` includes \`view\`, and \`admin\` includes both. A right without a role is granted by name. A
reserved scope can be given and has no effect: no route needs it yet.

| Scope | Allows to | Right | Role |
| --- | --- | --- | --- |
`;

function referenceRow(scope: string, row: ScopeRow, isUsed: boolean): string {
  const allows = `${isUsed ? '' : 'Reserved: '}${prose(row.allows)}`;
  const right = `${row.verbs.map(code).join(', ')} on ${code(placeOf(row))}`;
  return `| ${code(scope)} | ${allows} | ${right} | ${row.role === 'none' ? '–' : code(row.role)} |\n`;
}

/** The chart's roles with the rules of all scopes, and the reference of scopes. */
export async function scopeArtefacts(root: string): Promise<readonly Artefact[]> {
  const used = new Set(SERVICES.flatMap(({ scopes }) => scopes));
  const rows = SCOPES.map((scope) => referenceRow(scope, SCOPE_TABLE[scope], used.has(scope)));
  const roles = rolesWithScopes(await readFile(join(root, ROLES), 'utf8'), SCOPE_TABLE);
  return [
    { path: ROLES, text: await formatted(root, ROLES, roles) },
    { path: REFERENCE, text: await formatted(root, REFERENCE, INTRODUCTION + rows.join('')) },
  ];
}
