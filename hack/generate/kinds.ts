import type { Artefact } from './artefact.ts';
import { formatted } from './formatted.ts';
import { readResources } from './resources.ts';

const PATH = 'crds/kinds.ts';

/** The names of the platform's kinds: crds/kinds.ts. */
export async function kindArtefacts(root: string): Promise<readonly Artefact[]> {
  const resources = await readResources(root);
  const names = resources.map(({ name }) => `'${name}'`).join(' | ');
  const rows = resources.map(
    ({ name, group, version, kind, plural }) =>
      `  ${name}: ${JSON.stringify({ group, version, kind, plural, namespaced: true })},`,
  );
  const text = `// generated from schemas by hack/generate.ts: do not edit

interface OwnKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** The kinds of the platform, by the name of their schema. */
export const OWN_KINDS: Readonly<Record<${names}, OwnKind>> = {
${rows.join('\n')}
};
`;
  // The formatter skips crds: it gets a path outside.
  return [{ path: PATH, text: await formatted(root, 'kinds.ts', text) }];
}
