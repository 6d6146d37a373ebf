import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { PLATFORM_NAMESPACE } from '../../../hack/control-plane/install.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { askOk, makeNamespace, untilAggregated } from './request.ts';

const LIST = join(import.meta.dirname, 'can-i.txt');
const TENANT = 'rbac-can-i';
const RULE = /^(?<resource>\S+)\s+\[(?<urls>[^\]]*)\]\s+\[(?<names>[^\]]*)\]\s+\[(?<verbs>[^\]]*)\]$/;

/** Whom to ask for, and where: the platform's accounts, and people with Kubernetes' own roles. */
const accounts: readonly (readonly [string, string, readonly string[]])[] = [
  ...['orb-operator', 'orb-api', 'orb-status-prober', 'orb-ledger-init'].flatMap((name) =>
    [PLATFORM_NAMESPACE, TENANT, 'default'].map((namespace): [string, string, readonly string[]] => [
      name,
      namespace,
      ['--as', `system:serviceaccount:${PLATFORM_NAMESPACE}:${name}`],
    ]),
  ),
  ...['view', 'edit', 'admin'].map((role): [string, string, readonly string[]] => [
    `role ${role}`,
    TENANT,
    ['--as', `someone-with-${role}`, '--as-group', 'system:authenticated'],
  ]),
];

describe('kubectl auth can-i --list', () => {
  let plane: ControlPlane;
  let cleanUp: () => Promise<void>;
  /** What everybody who is logged in may. */
  let everybody: ReadonlySet<string>;

  async function rulesOf(namespace: string, as: readonly string[]): Promise<readonly string[]> {
    const { code, stdout, stderr } = await plane.kubectl(['auth', 'can-i', '--list', '-n', namespace, ...as]);
    if (code !== 0) throw new Error(stderr);
    const [, ...rows] = stdout.trimEnd().split('\n');
    return rows.flatMap((row) => {
      const { resource, names = '', verbs = '' } = RULE.exec(row)?.groups ?? {};
      const sorted = verbs.split(' ').toSorted().join(' ');
      return resource === undefined ? [] : [`${resource}${names === '' ? '' : ` [${names}]`}: ${sorted}`];
    });
  }

  before(async () => {
    plane = await sharedControlPlane();
    await untilAggregated(plane);
    cleanUp = await makeNamespace(plane, TENANT);
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${TENANT}/rolebindings`;
    const binding = (name: string, role: string, subject: Readonly<Record<string, string>>): Promise<unknown> =>
      askOk(plane, {
        method: 'POST',
        path,
        body: {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'RoleBinding',
          metadata: { name },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
          subjects: [subject],
        },
      });
    const reader = 'orb-vault-reader';
    await binding(reader, reader, { kind: 'ServiceAccount', name: 'orb-api', namespace: PLATFORM_NAMESPACE });
    for (const role of ['view', 'edit', 'admin'])
      await binding(role, role, { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: `someone-with-${role}` });
    everybody = new Set(await rulesOf('default', ['--as', 'nobody', '--as-group', 'system:authenticated']));
  });
  after(() => cleanUp());

  it('gives each account exactly what the committed list says', async () => {
    const blocks: string[] = [];
    for (const [who, namespace, as] of accounts) {
      const own = (await rulesOf(namespace, as)).filter((rule) => !everybody.has(rule));
      // Of Kubernetes' roles only what the platform added.
      const shown = who.startsWith('role ') ? own.filter((rule) => rule.includes('.orbs.dev')) : own;
      const place = namespace === TENANT ? 'a namespace with an Orbiset' : namespace;
      blocks.push([`# ${who} in ${place}`, ...shown.toSorted(), ''].join('\n'));
    }
    expect(blocks.join('\n')).to.equal(readFileSync(LIST, 'utf8'));
  });

  it('gives no account of the platform a wildcard, escalate, impersonate or pods/exec', async () => {
    const platform = accounts.filter(([who]) => !who.startsWith('role '));
    const rules: string[] = [];
    for (const [, namespace, as] of platform) rules.push(...(await rulesOf(namespace, as)));
    expect(rules.filter((rule) => /\*|escalate|impersonate|pods/.test(rule))).to.deep.equal([]);
  });
});

const FOLDER = join(import.meta.dirname, '../../../charts/orb-platform/files/rbac');

/** The rules of a file, one object each. */
function rulesIn(file: string): readonly JsonObject[] {
  const documents: readonly unknown[] = parseAllDocuments(readFileSync(join(FOLDER, file), 'utf8')).map((document) => {
    const value: unknown = document.toJS();
    return value;
  });
  return documents.flatMap((document) => {
    const rules = isJsonObject(document) ? document['rules'] : [];
    const list: readonly unknown[] = Array.isArray(rules) ? rules : [];
    return list.filter(isJsonObject);
  });
}

const holds = (member: JsonValue | undefined, ...words: readonly string[]): boolean =>
  Array.isArray(member) && words.some((word) => member.includes(word));

describe('operator-vault.yaml', () => {
  it('is the only file with bind or a write of RoleBindings: rbac.vault=tenant leaves it out', () => {
    const writing = readdirSync(FOLDER).filter((file) =>
      rulesIn(file).some(
        ({ resources, verbs }) =>
          holds(verbs, 'bind') ||
          (holds(resources, 'rolebindings') && holds(verbs, 'create', 'update', 'patch', 'delete')),
      ),
    );
    expect(writing).to.deep.equal(['operator-vault.yaml']);
  });
});
