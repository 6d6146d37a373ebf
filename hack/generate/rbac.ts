import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMap, isSeq, parseAllDocuments, type Document } from 'yaml';
import { OWN_GROUP } from '../../adapters/kube/kinds.ts';
import type { Artefact } from './artefact.ts';
import { formatted } from './formatted.ts';
import type { Resource } from './resources.ts';

const PATH = 'charts/orb-platform/files/rbac/operator.yaml';
/** Kinds of later versions: scopes name them already. The operator may read and report them when they come. */
const LATER = ['orbpolicies', 'orbsignalsources'];

/** Sets the resources of the one rule of our group that has exactly these verbs; keeps the style of its list. */
function setResources(role: Document, verbs: readonly string[], resources: readonly string[]): void {
  const rules = role.get('rules');
  const wanted = JSON.stringify({ apiGroups: [OWN_GROUP], verbs });
  const found = (isSeq(rules) ? rules.items : []).filter(isMap).filter((rule) => {
    const [apiGroups, its]: readonly unknown[] = [rule.get('apiGroups'), rule.get('verbs')];
    return JSON.stringify({ apiGroups, verbs: its }) === wanted;
  });
  const list = found.length === 1 ? found[0]?.get('resources') : undefined;
  if (!isSeq(list)) throw new Error(`${PATH} needs one rule for ${OWN_GROUP} with the verbs ${verbs.join(', ')}`);
  list.items = resources.map((resource) => role.createNode(resource));
}

/** The operator's rights on the platform's kinds: it reads each, and writes its status. The rest stays as written. */
export async function rbacArtefacts(root: string, resources: readonly Resource[]): Promise<readonly Artefact[]> {
  const documents = parseAllDocuments(await readFile(join(root, PATH), 'utf8'));
  const [role] = documents;
  if (!Array.isArray(documents) || role === undefined) throw new Error(`${PATH} is empty`);
  const plurals = [...new Set([...resources.map(({ plural }) => plural), ...LATER])];
  setResources(role, ['get', 'list', 'watch'], plurals);
  setResources(
    role,
    ['patch'],
    plurals.map((plural) => `${plural}/status`),
  );
  const text = documents.map((document) => document.toString({ lineWidth: 0 })).join('');
  return [{ path: PATH, text: await formatted(root, PATH, text) }];
}
