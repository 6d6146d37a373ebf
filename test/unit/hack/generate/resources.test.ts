import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import { readResources } from '../../../../hack/generate/resources.ts';
import { aWidgetSchema, schemaFolder } from '../../../support/schema-folder.ts';

const COLUMN = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Age.' };
const WIDGETS = { plural: 'widgets', shortName: 'wid', columns: [COLUMN] };

describe('readResources', () => {
  let root = '';
  afterEach(() => rm(root, { recursive: true, force: true }));

  async function read(schemas: Readonly<Record<string, object>>): ReturnType<typeof readResources> {
    root = await schemaFolder(schemas);
    return readResources(root);
  }

  /** @returns the message of the error */
  const refusal = (schemas: Readonly<Record<string, object>>): Promise<string> =>
    read(schemas).then(() => 'accepted', String);

  it('gives a schema with x-resource its names, and leaves x-resource out of the schema', async () => {
    const [widget, ...others] = await read({ note: { title: 'Note' }, widget: aWidgetSchema(WIDGETS) });
    expect(others).to.deep.equal([]);
    const names = { name: 'widget', kind: 'Widget', group: 'orbs.dev', version: 'v1alpha1' };
    expect(widget).to.deep.equal({ ...names, ...WIDGETS, schema: aWidgetSchema(undefined) });
  });

  const broken: readonly (readonly [why: string, resource: unknown])[] = [
    ['no object', 'widgets'],
    ['no plural', { ...WIDGETS, plural: undefined }],
    ['an unknown member', { ...WIDGETS, selectible: ['.spec.name'] }],
    ['a column of an unknown type', { ...WIDGETS, columns: [{ ...COLUMN, type: 'text' }] }],
    ['an extra that is unknown', { ...WIDGETS, extras: { '': { default: 1 } } }],
  ];
  for (const [why, resource] of broken)
    it(`refuses an x-resource with ${why}`, async () => {
      expect(await refusal({ widget: aWidgetSchema(resource) })).to.include('x-resource of widget.schema.json');
    });

  it('refuses a file that does not have the name of its kind', async () => {
    expect(await refusal({ gadget: aWidgetSchema(WIDGETS) })).to.include('the name of its kind, Widget');
  });
});
