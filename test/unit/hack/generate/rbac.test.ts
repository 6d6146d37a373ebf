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

const READING = 'resources: [orbs, orbisets, orbpublications, widgets, orbpolicies, orbsignalsources]';
const STATUS = '      - widgets/status\n';

describe('the rights on a new kind', () => {
  const added: readonly (readonly [file: string, parts: readonly string[]])[] = [
    ['operator.yaml', [READING, STATUS]],
    ['api.yaml', [READING]],
  ];
  for (const [name, parts] of added)
    it(`are ${parts.length === 2 ? 'reading and the status' : 'reading'} in ${name}, and nothing else changes`, async () => {
      const files = await rbacArtefacts(ROOT, [...(await readResources(ROOT)), WIDGET]);
      const { path = '', text = '' } = files.find((file) => file.path.endsWith(`/${name}`)) ?? {};
      for (const part of parts) expect(text).to.include(part);
      const before = text.replace(READING, READING.replace(' widgets,', '')).replace(STATUS, '');
      expect(before).to.equal(readFileSync(join(ROOT, path), 'utf8'));
    });
});
