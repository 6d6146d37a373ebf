import { rm } from 'node:fs/promises';
import { expect } from 'chai';
import { readResources } from '../../../../hack/generate/resources.ts';
import { statusSchema } from '../../../../hack/generate/status.ts';
import { aWidgetSchema, schemaFolder } from '../../../support/schema-folder.ts';

const text = { type: 'string', maxLength: 9 };
const conditions = { type: 'array', maxItems: 9, items: { $ref: '#/$defs/condition' } };
const COMMON = { properties: { observedGeneration: text, conditions }, $defs: { condition: text } };

describe('statusSchema', () => {
  let root = '';
  afterEach(() => rm(root, { recursive: true, force: true }));

  async function schemaOf(status: object): ReturnType<typeof statusSchema> {
    const widget = aWidgetSchema({ plural: 'widgets', shortName: 'wid', columns: [] });
    root = await schemaFolder({ widget, 'status/common': COMMON, 'status/widget': status });
    return statusSchema(root, await readResources(root));
  }

  it('puts the members of a kind between those of every kind', async () => {
    const size = { $ref: '#/$defs/size' };
    const schema = await schemaOf({ title: 'WidgetStatus', properties: { size }, $defs: { size: text } });
    expect(schema['properties']).to.deep.equal({ Widget: { $ref: '#/$defs/widgetStatus' } });
    const widgetStatus = { title: 'WidgetStatus', properties: { observedGeneration: text, size, conditions } };
    // As text: the order of the members is that of the reference.
    expect(JSON.stringify(schema['$defs'])).to.equal(JSON.stringify({ condition: text, widgetStatus, size: text }));
  });

  it('refuses two definitions of the same name', async () => {
    const refusal = await schemaOf({ properties: {}, $defs: { condition: text } }).then(() => 'accepted', String);
    expect(refusal).to.include('two status schemas define condition');
  });
});
