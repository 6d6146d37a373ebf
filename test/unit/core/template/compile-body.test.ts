import { expect } from 'chai';
import type { JsonObject } from '../../../../core/json/json-value.ts';
import { compileRequest } from '../../../../core/template/compile-request.ts';
import { inputs, refused, rendered, withBody, withUrl } from './templates.ts';

const NOT_ALLOWED = 'template-placeholder-not-allowed';
const NOT_OF_TYPE = 'manifest-body-template';
const JSON_TYPE = 'application/json';
const XML = 'application/xml';
const FORM = 'application/x-www-form-urlencoded';

const deep = (inner: string): string => `${'['.repeat(64)}${inner}${']'.repeat(64)}`;

describe('compileBody', () => {
  const refusals: readonly (readonly [why: string, type: string | undefined, body: string, code: string])[] = [
    ['a secret as a whole JSON value', JSON_TYPE, '{"k":{{orbiset.secrets.K}}}', NOT_ALLOWED],
    ['an input as name of a JSON member', JSON_TYPE, '{"{{inputs.a}}":1}', NOT_ALLOWED],
    ['a secret in the name of a member', JSON_TYPE, '{"a":[{"x{{orbiset.secrets.K}}" : 1}]}', NOT_ALLOWED],
    ['a name without a content type', undefined, '{"{{inputs.a}}":1}', NOT_ALLOWED],
    ['an unquoted name', JSON_TYPE, '{{{inputs.a}}:1}', 'template-unknown-reference'],
    ['an unquoted name behind a space', JSON_TYPE, '{ {{inputs.a}}:1}', NOT_OF_TYPE],
    ['two whole values side by side', JSON_TYPE, '[{{inputs.n}}{{inputs.n}}]', NOT_OF_TYPE],
    ['a digit before a whole value', JSON_TYPE, '[1{{inputs.n}}]', NOT_OF_TYPE],
    ['a digit behind a whole value', JSON_TYPE, '[{{inputs.n}}1]', NOT_OF_TYPE],
    ['a minus before a whole value', JSON_TYPE, '[-{{inputs.n}}]', NOT_OF_TYPE],
    ['a string beside a whole value', JSON_TYPE, '["x"{{inputs.n}}]', NOT_OF_TYPE],
    ['a placeholder behind a backslash', JSON_TYPE, '"\\{{inputs.a}}"', NOT_OF_TYPE],
    ['a placeholder as digits of an escape', JSON_TYPE, '"\\u00{{inputs.a}}"', NOT_OF_TYPE],
    ['an open string', JSON_TYPE, '"{{inputs.a}}', NOT_OF_TYPE],
    ['a line end in a JSON string', JSON_TYPE, '"a\n{{inputs.a}}"', NOT_OF_TYPE],
    ['a body that is not JSON', 'application/vnd.acme+json; charset=utf-8', 'a={{inputs.a}}', NOT_OF_TYPE],
    ['a NUL in JSON', JSON_TYPE, '"\u0000"', NOT_OF_TYPE],
    ['a NUL in XML', XML, '<a>\u0000</a>', NOT_OF_TYPE],
    ['a NUL in text', 'text/plain', 'a\u0000', NOT_OF_TYPE],
    ['JSON of 65 levels', JSON_TYPE, '['.repeat(65) + ']'.repeat(65), 'template-too-large'],
    ['a placeholder as a tag', XML, '<{{inputs.a}}/>', NOT_ALLOWED],
    ['a placeholder in an end tag', XML, '<a></{{inputs.a}}>', NOT_ALLOWED],
    ['a placeholder as an attribute', XML, '<a {{inputs.a}}="1"/>', NOT_ALLOWED],
    ['an attribute without quotes', XML, '<a b={{inputs.a}} />', NOT_OF_TYPE],
    ['a placeholder in a comment', XML, '<a/><!-- {{inputs.a}} -->', NOT_ALLOWED],
    ['a placeholder in a comment that looks closed', XML, '<!-->{{inputs.a}}-->', NOT_ALLOWED],
    ['a placeholder in CDATA', 'text/xml', '<a><![CDATA[{{inputs.a}}]]></a>', NOT_ALLOWED],
    ['a placeholder in an instruction', XML, '<?x {{inputs.a}}?><a/>', NOT_ALLOWED],
    ['a placeholder in a DOCTYPE', XML, '<!DOCTYPE {{inputs.a}}><a/>', NOT_ALLOWED],
    ['a DOCTYPE with entities', XML, '<!DOCTYPE a [<!ENTITY x "y">]><a>{{inputs.a}}</a>', NOT_OF_TYPE],
    ['an open tag', XML, '<a {{inputs.a}}', NOT_OF_TYPE],
    ['a placeholder in multipart', 'multipart/form-data; boundary=x', '--x\r\n\r\n{{inputs.a}}', NOT_ALLOWED],
    ['a placeholder in bytes', 'application/octet-stream', '{{orbiset.secrets.K}}', NOT_ALLOWED],
    ['a placeholder below two content types', 'text/plain, application/json', '{{inputs.a}}', NOT_ALLOWED],
    ['a placeholder below an empty content type', '', '{{inputs.a}}', NOT_ALLOWED],
    ['an input that nothing declares', JSON_TYPE, '"{{inputs.zz}}"', 'manifest-unknown-input'],
    ['half of a surrogate pair', 'text/plain', 'a\ud800', 'template-invalid-unicode'],
    ['more than 1 MiB', 'text/plain', 'a'.repeat(1_048_577), 'template-too-large'],
  ];
  for (const [why, type, body, code] of refusals)
    it(`refuses ${why}`, () => {
      expect(refused(withBody(type, body))).to.deep.equal([[code, '/execution/body_template']]);
    });

  const big = ' {"b":1.0, "1":12345678901234567890, "1":"\\/{{inputs.a}}"}\n';
  const fillings: readonly (readonly [
    why: string,
    type: string | undefined,
    body: string,
    given: JsonObject,
    expected: string,
  ])[] = [
    ['strings', JSON_TYPE, '{"a":"<{{inputs.a}}>"}', { a: '"\\\n\u0000😀é' }, '{"a":"<\\"\\\\\\n\\u0000😀é>"}'],
    ['a secret inside a string', JSON_TYPE, '"k {{orbiset.secrets.K}}"', {}, '"k key-1"'],
    ['behind an escaped backslash', JSON_TYPE, '"\\\\{{inputs.a}}"', { a: 'n' }, '"\\\\n"'],
    ['between escaped quotes', JSON_TYPE, '["\\"{{inputs.a}}\\"", 1]', { a: ',' }, '["\\",\\"", 1]'],
    ['a colon behind a string that is no name', JSON_TYPE, '["{{inputs.a}}",":"]', { a: 'x' }, '["x",":"]'],
    [
      'whole numbers and booleans',
      JSON_TYPE,
      '[{{inputs.n}}, {{inputs.flag}}]',
      { n: -1.5e300, flag: false },
      '[-1.5e+300, false]',
    ],
    ['whole arrays', JSON_TYPE, '{"l":{{inputs.list}}}', { list: [1, ['x'], null] }, '{"l":[1,["x"],null]}'],
    [
      'whole objects',
      JSON_TYPE,
      '{"o":{{inputs.object}}}',
      { object: { '"': '{{inputs.a}}' } },
      '{"o":{"\\"":"{{inputs.a}}"}}',
    ],
    ['whole strings', JSON_TYPE, '{{inputs.a}}', { a: '"' }, '"\\""'],
    [
      'other types in a string as JSON text',
      JSON_TYPE,
      '"{{inputs.n}} {{inputs.flag}} {{inputs.object}}"',
      { n: -0, flag: true, object: { a: 1 } },
      '"0 true {\\"a\\":1}"',
    ],
    ['JSON as it is written', undefined, big, { a: 'x' }, big.replace('{{inputs.a}}', 'x')],
    ['JSON without a content type', undefined, '"{{inputs.a}}"', { a: '"' }, '"\\""'],
    ['JSON of 64 levels', JSON_TYPE, deep('{{inputs.n}}'), { n: 1 }, deep('1')],
    [
      'a form',
      `${FORM}; charset=utf-8`,
      'a={{inputs.a}}&k={{orbiset.secrets.K}}',
      { a: '&y=z +' },
      'a=%26y%3Dz%20%2B&k=key-1',
    ],
    [
      'XML text',
      XML,
      '<?xml version="1.0"?><a>{{inputs.a}}</a>',
      { a: '"\'<>&\t\r\n' },
      '<?xml version="1.0"?><a>&quot;&apos;&lt;&gt;&amp;&#9;&#13;&#10;</a>',
    ],
    [
      'XML attributes',
      'text/xml',
      '<a b="{{inputs.a}}" c=\'{{inputs.b}}\'/>',
      { a: '"', b: "'" },
      '<a b="&quot;" c=\'&apos;\'/>',
    ],
    ['secrets in XML', 'image/svg+xml', '<a>{{orbiset.secrets.FROM}}</a>', {}, '<a>me+x@acme.example</a>'],
    [
      'between markup',
      XML,
      '<!DOCTYPE a><!-- < --><a>{{inputs.a}}<![CDATA[<]]></a>',
      { a: 'x' },
      '<!DOCTYPE a><!-- < --><a>x<![CDATA[<]]></a>',
    ],
    ['text', 'text/markdown', '# {{inputs.a}} {{orbiset.secrets.K}}', { a: '<"\n' }, '# <"\n key-1'],
    ['lines of JSON', 'application/x-ndjson', '{{inputs.object}}\n', { object: { a: 'x\n' } }, '{"a":"x\\n"}\n'],
    ['a literal body of any type', 'application/octet-stream', 'a}}b', {}, 'a}}b'],
    ['text between two values', 'text/plain', '{{inputs.a}}~{{inputs.a}}', { a: 'x' }, 'x~x'],
    ['an empty body', 'text/plain', '', {}, ''],
  ];
  for (const [why, type, body, given, expected] of fillings)
    it(`fills in ${why}`, () => {
      expect(rendered(withBody(type, body), given).body).to.equal(expected);
    });

  it('sends no body without a template', () => {
    expect(rendered(withUrl('https://x.example/'), {}).body).to.equal(null);
  });

  it('warns of a body that is text for want of a content type', () => {
    const { ok, findings } = compileRequest(withBody(undefined, '{"a":"{{inputs.a}}",}'), inputs, '/execution');
    expect(ok).to.equal(true);
    expect(findings.map(({ code, severity }) => [code, severity])).to.deep.equal([
      ['template-body-is-text', 'warning'],
    ]);
  });

  it('warns of no literal text without a content type: nothing is filled in that could need an escape', () => {
    expect(compileRequest(withBody(undefined, 'hello'), inputs, '/execution').findings).to.deep.equal([]);
  });

  it('names every default that is no text of Unicode, not the first alone', () => {
    const broken = { a: { default: 'x\ud800' }, b: { default: 'y\ud800' } };
    const body = '{{inputs.a}} {{inputs.b}} {{inputs.a}}';
    expect(
      compileRequest(withBody('text/plain', body), broken, '/execution').findings.map(({ pointer }) => pointer),
    ).to.deep.equal(['/inputs/a/default', '/inputs/b/default']);
  });
});
