import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMap, isSeq, parseAllDocuments, type Document } from 'yaml';
import { OWN_GROUP } from '../../adapters/kube/kinds.ts';
import type { Artefact } from './artefact.ts';
import { formatted } from './formatted.ts';
import type { Resource } from './resources.ts';

const FOLDER = 'charts/orb-platform/files/rbac';

/** A rule for every kind of the platform, in the first role of a file. */
interface Rule {
  readonly verbs: readonly string[];
  readonly subresource?: string;
}

const READS: Rule = { verbs: ['get', 'list', 'watch'] };
const WRITES_STATUS: Rule = { verbs: ['patch'], subresource: 'status' };
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  'operator.yaml': [READS, WRITES_STATUS],
  'api.yaml': [READS],
};

/** Sets the resources of the one rule of our group that has these verbs; keeps the style of its list. */
function setResources(role: Document, { verbs, subresource }: Rule, plurals: readonly string[]): void {
  const rules = role.get('rules');
  const wanted = JSON.stringify({ apiGroups: [OWN_GROUP], verbs });
  const found = (isSeq(rules) ? rules.items : []).filter(isMap).filter((rule) => {
    const [apiGroups, its]: readonly unknown[] = [rule.get('apiGroups'), rule.get('verbs')];
    return JSON.stringify({ apiGroups, verbs: its }) === wanted;
  });
  const list = found.length === 1 ? found[0]?.get('resources') : undefined;
  if (!isSeq(list)) throw new Error(`a role needs one rule for ${OWN_GROUP} with the verbs ${verbs.join(', ')}`);
  list.items = plurals.map((plural) =>
    role.createNode(subresource === undefined ? plural : `${plural}/${subresource}`),
  );
}

/**
 * The rights on every kind of the platform: operator and API read them, and the operator writes their status. All other
 * rules of charts/orb-platform/files/rbac are written by hand.
 */
export async function rbacArtefacts(root: string, resources: readonly Resource[]): Promise<readonly Artefact[]> {
  const plurals = resources.map(({ plural }) => plural);
  return Promise.all(
    Object.entries(RULES).map(async ([file, rules]) => {
      const path = `${FOLDER}/${file}`;
      const documents = parseAllDocuments(await readFile(join(root, path), 'utf8'));
      const [role] = documents;
      if (!Array.isArray(documents) || role === undefined) throw new Error(`${path} is empty`);
      for (const rule of rules) setResources(role, rule, plurals);
      const text = documents.map((document) => document.toString({ lineWidth: 0 })).join('');
      return { path, text: await formatted(root, path, text) };
    }),
  );
}
