import { expect } from 'chai';
import { parse } from 'yaml';
import { isJsonObject } from '../../../core/json/json-value.ts';
import { compileRequest } from '../../../core/template/compile-request.ts';
import { readText } from '../../support/docs/repository.ts';

const PAGE = 'docs/reference/templates.md';
const INPUTS = { city: {}, units: {}, text: {}, count: { type: 'integer' } };

const textsOf = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(isJsonObject(value) ? value : {}).flatMap(([name, text]) =>
      typeof text === 'string' ? [[name, text]] : [],
    ),
  );

describe('the reference of templates', () => {
  it('shows executions that compile', () => {
    const blocks = [...readText(PAGE).matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text = '']) => text);
    expect(blocks).to.have.lengthOf(2);
    for (const block of blocks) {
      const read: unknown = parse(block);
      const { url = '', body_template: body, headers } = isJsonObject(read) ? read : {};
      const execution = {
        url: typeof url === 'string' ? url : '',
        headers: textsOf(headers),
        ...(typeof body === 'string' ? { body_template: body } : {}),
      };
      expect(compileRequest(execution, INPUTS, '').findings, block).to.deep.equal([]);
    }
  });

  it('tells the truth about the bundled example', () => {
    const url = /url: (\S+:path\}\})/.exec(readText(PAGE))?.[1];
    expect(url).to.be.a('string');
    expect(readText('manifests/webhook.yaml')).to.include(`url: ${url}\n`);
  });
});
