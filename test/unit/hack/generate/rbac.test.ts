import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { rbacArtefacts } from '../../../../hack/generate/rbac.ts';
import { readResources, type Resource } from '../../../../hack/generate/resources.ts';

const ROOT = join(import.meta.dirname, '../../../..');

const WIDGET: Resource = {
  name: 'widget',
  kind: 'Widget',
  group: 'orbs.dev',
  version: 'v1alpha1',
  plural: 'widgets',
  shortName: 'wid',
  columns: [],
  schema: {},
};

/** Lines that one text has and the other has not. */
const linesBeyond = (text: string, other: string): readonly string[] => {
  const known = new Set(other.split('\n'));
  return text.split('\n').filter((line) => !known.has(line));
};

describe('the rights on a new kind', () => {
  const READS = /^ {4}resources: \[orbs, .*, widgets\]$/;
  const WRITES_STATUS = /^ {6}- widgets\/status$/;
  const added: readonly (readonly [file: string, lines: readonly RegExp[]])[] = [
    ['operator.yaml', [READS, WRITES_STATUS]],
    ['api.yaml', [READS]],
  ];
  for (const [name, lines] of added)
    it(`are added to ${name}, and nothing else changes`, async () => {
      const files = await rbacArtefacts(ROOT, [...(await readResources(ROOT)), WIDGET]);
      const { path = '', text = '' } = files.find((file) => file.path.endsWith(`/${name}`)) ?? {};
      const before = readFileSync(join(ROOT, path), 'utf8');
      const found = linesBeyond(text, before);
      expect(found).to.have.length(lines.length);
      for (const [index, line] of lines.entries()) expect(found[index]).to.match(line);
      expect(linesBeyond(before, text.replace(', widgets', ''))).to.deep.equal([]);
    });
});
