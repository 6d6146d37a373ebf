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

describe('the rights of the operator', () => {
  it('get a reader and a writer of the status for a new kind, and nothing else', async () => {
    const [file, ...others] = await rbacArtefacts(ROOT, [...(await readResources(ROOT)), WIDGET]);
    expect(others).to.deep.equal([]);
    const before = readFileSync(join(ROOT, file?.path ?? ''), 'utf8');
    const after = (file?.text ?? '')
      .replace(', widgets, orbpolicies', ', orbpolicies')
      .replace('      - widgets/status\n', '');
    expect(after).to.equal(before);
    expect(file?.text.match(/widgets/g)).to.have.length(2);
  });
});
