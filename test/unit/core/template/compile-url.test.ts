import { expect } from 'chai';
import type { JsonObject } from '../../../../core/json/json-value.ts';
import { compileRequest } from '../../../../core/template/compile-request.ts';
import { compiled, inputs, problem, refused, rendered, withUrl } from './templates.ts';

const NOT_ALLOWED = 'template-placeholder-not-allowed';
const INPUT = 'manifest-input-in-host';
const MALFORMED = 'template-malformed-url';

describe('compileUrl', () => {
  const refusals: readonly (readonly [why: string, url: string, code: string])[] = [
    ['an input as scheme', '{{inputs.a}}://x.example/', INPUT],
    ['a secret as scheme', '{{orbiset.secrets.K}}://x.example/', NOT_ALLOWED],
    ['an input as the whole URL', '{{inputs.a}}', MALFORMED],
    ['an input as host', 'https://{{inputs.a}}/', INPUT],
    ['an input as a label', 'https://{{inputs.a}}.acme.example/', INPUT],
    ['an input behind the host', 'https://acme.example{{inputs.a}}/', INPUT],
    ['an input as port', 'https://acme.example:{{inputs.n}}/', INPUT],
    ['an input as user info', 'https://{{inputs.a}}@acme.example/', INPUT],
    ['an input with a secret default as host', 'https://{{inputs.from}}/', INPUT],
    ['a secret as port', 'https://acme.example:{{orbiset.secrets.ONE}}/', NOT_ALLOWED],
    ['a secret as part of a label', 'https://x{{orbiset.secrets.LABEL}}.acme.example/', NOT_ALLOWED],
    ['two secrets in one label', 'https://{{orbiset.secrets.A}}{{orbiset.secrets.B}}.example/', NOT_ALLOWED],
    ['a secret as user info', 'https://u:{{orbiset.secrets.K}}@acme.example/', MALFORMED],
    ['literal user info', 'https://user@acme.example/', MALFORMED],
    ['a literal fragment', 'https://acme.example/#top', MALFORMED],
    ['a placeholder in a fragment', 'https://acme.example/#{{inputs.a}}', MALFORMED],
    ['an input as name of a query parameter', 'https://acme.example/?{{inputs.a}}=1', NOT_ALLOWED],
    ['a secret in the name of a query parameter', 'https://acme.example/?a=1&x{{orbiset.secrets.K}}=1', NOT_ALLOWED],
    ['an input as a whole parameter', 'https://acme.example/?{{inputs.a}}', NOT_ALLOWED],
    ['another scheme', 'ftp://acme.example/', MALFORMED],
    ['a relative URL', '/v1/{{inputs.a}}', MALFORMED],
    ['no host', 'https:///v1', MALFORMED],
    ['an empty label', 'https://api..example/', MALFORMED],
    ['a dot at the end of the host', 'https://api.example./', MALFORMED],
    ['a host in percent form', 'https://%61pi.example/', MALFORMED],
    ['a full-width host', 'https://ａpi.example/', MALFORMED],
    ['a host that is a number', 'https://2130706433/', MALFORMED],
    ['a backslash for a slash', 'https://acme.example\\v1', MALFORMED],
    ['a backslash in the path', 'https://acme.example/v1\\..\\x', MALFORMED],
    ['a tab', 'https://acme.example/v\t1', MALFORMED],
    ['a NUL', 'https://acme.example/v\u00001', MALFORMED],
    ['a space', 'https://acme.example/v 1', MALFORMED],
    ['a literal dot segment', 'https://acme.example/a/../b', MALFORMED],
    ['a literal dot segment in percent form', 'https://acme.example/a/%2e%2E/b', MALFORMED],
    ['more than 8192 characters', `https://acme.example/${'a'.repeat(8192)}`, 'template-too-large'],
  ];
  for (const [why, url, code] of refusals)
    it(`refuses ${why}`, () => {
      expect(refused(withUrl(url))).to.deep.equal([[code, '/execution/url']]);
    });

  const fillings: readonly (readonly [why: string, url: string, given: JsonObject, expected: string])[] = [
    ['a literal URL in the form of parsers', 'HTTPS://API.Acme.example:443', {}, 'https://api.acme.example/'],
    ['a query without a path', 'https://acme.example?q={{inputs.a}}', { a: 'x' }, 'https://acme.example/?q=x'],
    ['a port', 'https://acme.example:8443/', {}, 'https://acme.example:8443/'],
    ['plain http, which other checks judge', 'http://acme.example:80/', {}, 'http://acme.example/'],
    ['empty literal segments', 'https://acme.example/a//b/', {}, 'https://acme.example/a//b/'],
    ['a secret label', 'https://{{orbiset.secrets.LABEL}}.acme.example/v', {}, 'https://eu-1.acme.example/v'],
    ['a secret as segment', 'https://acme.example/{{orbiset.secrets.K}}', {}, 'https://acme.example/key-1'],
    [
      'a secret as query value',
      'https://acme.example/?k={{inputs.from}}',
      {},
      'https://acme.example/?k=me%2Bx%40acme.example',
    ],
    [
      'a value beside literals',
      'https://acme.example/v1/{{inputs.a}}.json',
      { a: 'a/b c' },
      'https://acme.example/v1/a%2Fb%20c.json',
    ],
    [
      'delimiters',
      'https://acme.example/{{inputs.a}}',
      { a: "-._~!'()*;:@&=+$,%é" },
      'https://acme.example/-._~%21%27%28%29%2A%3B%3A%40%26%3D%2B%24%2C%25%C3%A9',
    ],
    [
      'query values',
      'https://acme.example/?a=x{{inputs.a}}&b&c={{inputs.n}}',
      { a: '&y=1 #+', n: 1.5 },
      'https://acme.example/?a=x%26y%3D1%20%23%2B&b&c=1.5',
    ],
    [
      'behind an equals sign in a value',
      'https://acme.example/?a=b={{inputs.a}}',
      { a: '=' },
      'https://acme.example/?a=b=%3D',
    ],
    [
      'a text between two values',
      'https://acme.example/{{inputs.a}}~{{inputs.a}}',
      { a: 'x' },
      'https://acme.example/x~x',
    ],
    ['an empty query value', 'https://acme.example/?a={{inputs.a}}', { a: '' }, 'https://acme.example/?a='],
  ];
  for (const [why, url, given, expected] of fillings)
    it(`writes ${why}`, () => {
      expect(rendered(withUrl(url), given).url).to.equal(expected);
    });

  const traversals: readonly (readonly [why: string, url: string, value: string])[] = [
    ['nothing as a segment', 'https://x.example/a/{{inputs.a}}', ''],
    ['a dot', 'https://x.example/{{inputs.a}}/b', '.'],
    ['two dots', 'https://x.example/{{inputs.a}}/b', '..'],
    ['a dot beside a literal one', 'https://x.example/.{{inputs.a}}/b', '.'],
    ['a dot beside a literal one in percent form', 'https://x.example/%2e{{inputs.a}}', '.'],
    ['nothing beside a literal dot in percent form', 'https://x.example/%2E{{inputs.a}}', ''],
    ['nothing beside a secret with dots', 'https://x.example/{{orbiset.secrets.DOTDOT}}{{inputs.a}}', ''],
    ['nothing beside a literal dot', 'https://x.example/.{{inputs.a}}', ''],
    ['dots behind an encoded slash', 'https://x.example/{{inputs.a}}', 'a/../b'],
    ['dots behind an encoded backslash', 'https://x.example/{{inputs.a}}', 'a\\..'],
    ['dots behind a literal encoded slash', 'https://x.example/a%2f{{inputs.a}}', '..'],
    ['nothing as the last segment', 'https://x.example/{{inputs.a}}?q=1', ''],
  ];
  for (const [why, url, value] of traversals)
    it(`refuses to fill in ${why}`, () => {
      expect(problem(withUrl(url), { a: value })).to.include({
        kind: 'input',
        code: 'template-path-traversal',
        pointer: '/inputs/a',
      });
    });

  const sayings: readonly (readonly [why: string, url: string, said: RegExp])[] = [
    ['a secret as the whole URL', '{{orbiset.secrets.K}}', /never a whole URL/],
    ['an input as the whole URL, which is no secret', '{{inputs.a}}', /absolute URL/],
    ['a fragment', 'https://acme.example/#top', /remove the "#"/],
    ['a relative URL', '/v1/x', /absolute URL/],
  ];
  for (const [why, url, said] of sayings)
    it(`says how to mend ${why}`, () => {
      expect(
        compileRequest(withUrl(url), inputs, '/execution')
          .findings.map(({ detail }) => detail)
          .join(' '),
      ).to.match(said);
    });

  it('keeps the URL as written, and knows the host only when it is literal', () => {
    const url = 'https://{{orbiset.secrets.LABEL}}.acme.example/{{orbiset.secrets.K}}?q={{inputs.from}}';
    expect(compiled(withUrl(url)).sealedUrl).to.equal(url);
    expect(compiled(withUrl(url)).literalHost).to.equal(undefined);
    expect(compiled(withUrl('https://API.acme.example:8443/')).literalHost).to.equal('api.acme.example');
  });

  it('says which secrets the URL can hold, those of defaults too', () => {
    const url = 'https://{{orbiset.secrets.LABEL}}.acme.example/{{orbiset.secrets.LABEL}}?q={{inputs.from}}';
    const headers = { Authorization: '{{orbiset.secrets.K}}' };
    expect(compiled({ url, headers }).secretsInUrl).to.deep.equal(['LABEL', 'FROM']);
    expect(compiled({ url: 'https://acme.example/', headers }).secretsInUrl).to.deep.equal([]);
  });
});
