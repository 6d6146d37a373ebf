import { expect } from 'chai';
import type { JsonObject } from '../../../../core/json/json-value.ts';
import { problem, refused, rendered, withHeader, withUrl } from './templates.ts';

describe('compileHeaders', () => {
  const names: readonly (readonly [name: string, code: string, pointer: string])[] = [
    ['X-{{inputs.a}}', 'template-placeholder-not-allowed', 'X-{{inputs.a}}'],
    ['{{orbiset.secrets.K}}', 'template-placeholder-not-allowed', '{{orbiset.secrets.K}}'],
    ['a/b~', 'template-header-name-not-allowed', 'a~1b~0'],
    ['a\r\nb', 'template-header-name-not-allowed', 'a\r\nb'],
    ['a b', 'template-header-name-not-allowed', 'a b'],
    ['é', 'template-header-name-not-allowed', 'é'],
    ['', 'template-header-name-not-allowed', ''],
  ];
  for (const [name, code, pointer] of names)
    it(`refuses the name ${JSON.stringify(name)}`, () => {
      expect(refused(withHeader('1', name))).to.deep.equal([[code, `/execution/headers/${pointer}`]]);
    });

  const reserved =
    'Host content-length Transfer-Encoding Connection keep-alive TE Trailer Upgrade Expect Proxy-Authorization proxy-x Accept-Encoding';
  for (const name of reserved.split(' '))
    it(`leaves ${name} to the platform`, () => {
      const expected = [['template-header-name-not-allowed', `/execution/headers/${name}`]];
      expect(refused(withHeader('1', name))).to.deep.equal(expected);
    });

  it('refuses a header twice, whatever its case', () => {
    const execution = { ...withUrl('https://x.example/'), headers: { 'X-A': '1', 'x-a': '2' } };
    expect(refused(execution)).to.deep.equal([['template-header-duplicate', '/execution/headers/x-a']]);
  });

  it('refuses a placeholder in the content type', () => {
    for (const name of ['content-type', 'Content-Type']) {
      const expected = [['template-placeholder-not-allowed', `/execution/headers/${name}`]];
      expect(refused(withHeader('text/{{inputs.a}}', name))).to.deep.equal(expected);
    }
  });

  const literals: readonly (readonly [why: string, value: string])[] = [
    ['a line end', 'a\r\nX: {{inputs.a}}'],
    ['a letter outside ASCII', 'é {{inputs.a}}'],
    ['a NUL', 'a\u0000'],
    ['a DEL', 'a\u007f'],
    ['a space at the end', 'a '],
    ['a tab at the start', '\ta'],
    ['more than 8 KiB', 'a'.repeat(8193)],
  ];
  for (const [why, value] of literals)
    it(`refuses a literal value with ${why}`, () => {
      expect(refused(withHeader(value))).to.deep.equal([['template-invalid-header-value', '/execution/headers/X-A']]);
    });

  const fillings: readonly (readonly [why: string, value: string, given: JsonObject, expected: string])[] = [
    ['both kinds', 'Bearer {{orbiset.secrets.K}}; {{ inputs.a }}', { a: 'tab\there' }, 'Bearer key-1; tab\there'],
    [
      'all of printable ASCII',
      '{{inputs.a}}',
      { a: '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~' },
      '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
    ],
    ['nothing', '{{inputs.a}}', { a: '' }, ''],
    ['8 KiB', '{{inputs.a}}', { a: 'a'.repeat(8192) }, 'a'.repeat(8192)],
    ['a space between two values', '{{inputs.a}} {{inputs.b}}', { a: 'x', b: 'y' }, 'x y'],
    ['a number as its JSON text', '{{inputs.n}}', { n: 1e21 }, '1e+21'],
  ];
  for (const [why, value, given, expected] of fillings)
    it(`fills in ${why}`, () => {
      expect(rendered(withHeader(value), given).headers).to.deep.equal([['X-A', expected]]);
    });

  const values: readonly (readonly [why: string, template: string, value: string])[] = [
    ['a space at the start', '{{inputs.a}}', ' a'],
    ['a tab at the end', 'x {{inputs.a}}', 'a\t'],
    ['nothing behind a literal space', 'Token {{inputs.a}}', ''],
    ['more than 8 KiB in all', 'x{{inputs.a}}', 'a'.repeat(8192)],
  ];
  for (const [why, template, value] of values)
    it(`refuses to fill in ${why}`, () => {
      expect(problem(withHeader(template), { a: value })).to.include({
        kind: 'input',
        code: 'template-invalid-header-value',
        pointer: '/inputs/a',
      });
    });

  it('keeps the order and the case of the manifest', () => {
    const headers = { 'x-B': '1', 'X-a': '2', Accept: '3' };
    expect(rendered({ ...withUrl('https://x.example/'), headers }, {}).headers).to.deep.equal(Object.entries(headers));
  });
});
