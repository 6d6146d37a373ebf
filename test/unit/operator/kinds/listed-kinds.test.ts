import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { OWN_GROUP } from '../../../../adapters/kube/kinds.ts';
import { isJsonObject } from '../../../../core/json/json-value.ts';
import { OPERATOR_KINDS } from '../../../../operator/kinds/kinds.ts';

const ROOT = join(import.meta.dirname, '../../../..');

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Plural names of the custom resource definitions in a folder; those of the chart are templates, not YAML. */
const definedIn = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder))
    .map((file) => /^ +plural: (\S+)$/m.exec(read(`${folder}/${file}`))?.[1] ?? `none in ${file}`)
    .toSorted();

interface Rule {
  readonly apiGroups: readonly unknown[];
  readonly resources: readonly unknown[];
  readonly verbs: readonly unknown[];
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Rules of the ClusterRoles in the files that a chart installs as they are. */
const rulesIn = (files: readonly string[]): readonly Rule[] =>
  files
    .flatMap((file) => parseAllDocuments(read(`charts/orb-platform/files/rbac/${file}`)))
    .flatMap((document) => {
      const object: unknown = document.toJS();
      return isJsonObject(object) && object['kind'] === 'ClusterRole' ? list(object['rules']).filter(isJsonObject) : [];
    })
    .map(({ apiGroups, resources, verbs }) => ({
      apiGroups: list(apiGroups),
      resources: list(resources),
      verbs: list(verbs),
    }));

const allows = (rules: readonly Rule[], group: string, resource: string, verb: string): boolean =>
  rules.some(
    ({ apiGroups, resources, verbs }) =>
      apiGroups.includes(group) && resources.includes(resource) && verbs.includes(verb),
  );

describe('the list of kinds', () => {
  const own = OPERATOR_KINDS.filter(({ kind }) => kind.group === OWN_GROUP).map(({ kind }) => kind.plural);

  it('has one entry for each folder', () => {
    const folders = readdirSync(join(ROOT, 'operator/kinds'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name.replaceAll('-', ''));
    expect(OPERATOR_KINDS.map(({ name }) => name.toLowerCase()).toSorted()).to.deep.equal(folders.toSorted());
  });

  for (const folder of ['crds/definitions', 'charts/orb-crds/templates'])
    it(`has the kinds that ${folder} defines, and no other`, () => {
      expect(definedIn(folder)).to.deep.equal(own.toSorted());
    });

  it('has kinds that the chart lets the operator read', () => {
    const rules = rulesIn(['operator.yaml']);
    for (const { kind } of OPERATOR_KINDS)
      for (const verb of ['get', 'list', 'watch'])
        expect(allows(rules, kind.group, kind.plural, verb), `${verb} ${kind.plural}`).to.equal(true);
  });

  it('has kinds whose status the chart lets the operator write, where a concern does', () => {
    const rules = rulesIn(['operator.yaml']);
    const written = OPERATOR_KINDS.filter(({ concerns }) => concerns.some((concern) => 'status' in concern));
    expect(written.map(({ name }) => name)).to.include.members(['orb', 'orbiset', 'publication']);
    for (const { kind } of written)
      expect(allows(rules, kind.group, `${kind.plural}/status`, 'patch'), kind.plural).to.equal(true);
  });
});
