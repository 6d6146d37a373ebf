import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../../core/json/json-value.ts';
import { compileRequest, type ExecutionTemplate } from '../../../../core/template/compile-request.ts';
import { leastCpuMs } from '../../../support/cost.ts';
import { inputs, problem, refused, render, rendered, withBody, withHeader, withUrl } from './templates.ts';

const JSON_TYPE = 'application/json';
const PATH = withUrl('https://acme.example/v1/{{inputs.a}}/x');
const QUERY = withUrl('https://acme.example/?q={{inputs.a}}&r=1');
const STRING = withBody(JSON_TYPE, '{"a":"{{inputs.a}}","b":"{{inputs.b}}"}');

const nested = (depth: number): JsonValue => (depth === 0 ? 1 : [nested(depth - 1)]);

/** What the caller reads: 422 with this code and pointer; the value is not in it. */
function refusal(execution: ExecutionTemplate, given: JsonObject): readonly string[] {
  const found = problem(execution, given);
  if (found.kind !== 'input') throw new Error(`blames ${found.entry}`);
  const { a } = given;
  if (typeof a === 'string' && a.length > 3) expect(JSON.stringify(found)).not.to.contain(a);
  return [found.code, found.pointer];
}

// The rows of security.md §4.2.
describe('attacks on templates', () => {
  const verbatim: readonly (readonly [why: string, value: string])[] = [
    ['second order', '{{orbiset.secrets.K}}'],
    ['second order with an input', '{{inputs.b}}'],
    ['JSON break-out', '"},"admin":true,"x":"'],
    ['JSON break-out by a backslash', '\\'],
    ['replacement pattern $&', '$&'],
    ['replacement pattern $1', '$1'],
    ['replacement pattern $`', '$`'],
    ['NUL', 'a\u0000b'],
    ['RTL override', 'a\u202eb'],
    ['four bytes', '😀'],
    ['combining', 'e\u0301'],
    ['line separators', '\u2028\u2029'],
    ['byte order mark', '\ufeffa'],
  ];
  for (const [why, value] of verbatim) {
    it(`writes one JSON string: ${why}`, () => {
      const { body } = rendered(STRING, { a: value, b: 'B' });
      expect(JSON.parse(body ?? '')).to.deep.equal({ a: value, b: 'B' });
    });
    it(`keeps one path segment: ${why}`, () => {
      const segments = new URL(rendered(PATH, { a: value }).url).pathname.split('/');
      expect(segments.map(decodeURIComponent)).to.deep.equal(['', 'v1', value, 'x']);
    });
    it(`keeps one query value: ${why}`, () => {
      const { searchParams } = new URL(rendered(QUERY, { a: value }).url);
      expect([...searchParams]).to.deep.equal([
        ['q', value],
        ['r', '1'],
      ]);
    });
  }

  const paths: readonly (readonly [value: string, expected: string])[] = [
    ['..%2fadmin', '..%252fadmin'],
    ['%2e%2e', '%252e%252e'],
    ['a/b', 'a%2Fb'],
    ['...', '...'],
    ['evil.com#', 'evil.com%23'],
    ['@evil.com', '%40evil.com'],
    ['\\evil.com', '%5Cevil.com'],
    ['evil.com:443/', 'evil.com%3A443%2F'],
    ['?x=1', '%3Fx%3D1'],
    ['１２７.0.0.1', '%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1'],
  ];
  for (const [value, expected] of paths)
    it(`keeps ${value} in its segment`, () => {
      const url = new URL(rendered(PATH, { a: value }).url);
      expect([url.host, url.pathname, url.search, url.hash]).to.deep.equal([
        'acme.example',
        `/v1/${expected}/x`,
        '',
        '',
      ]);
    });

  for (const value of ['../admin', '..', '.', '', 'a/..', '..\\x'])
    it(`refuses ${JSON.stringify(value)} in the path`, () => {
      expect(refusal(PATH, { a: value })).to.deep.equal(['template-path-traversal', '/inputs/a']);
    });

  it('refuses a dot beside a literal dot', () => {
    const execution = withUrl('https://acme.example/.{{inputs.a}}/x');
    expect(refusal(execution, { a: '.' })).to.deep.equal(['template-path-traversal', '/inputs/a']);
  });

  const hosts = [
    'https://{{inputs.a}}/',
    'https://acme.example{{inputs.a}}',
    '{{inputs.a}}://x/',
    'https://x:{{inputs.a}}/',
  ];
  for (const url of hosts)
    it(`refuses at load an input that could make the host: ${url}`, () => {
      expect(refused(withUrl(url))).to.deep.equal([['manifest-input-in-host', '/execution/url']]);
    });

  for (const value of ['x&admin=1', 'x#y', '+', '%00', 'a=b', ' ', ';'])
    it(`keeps ${JSON.stringify(value)} one query value and one form value`, () => {
      const { searchParams, hash } = new URL(rendered(QUERY, { a: value }).url);
      expect([...searchParams, ['hash', hash]]).to.deep.equal([
        ['q', value],
        ['r', '1'],
        ['hash', ''],
      ]);
      const form = withBody('application/x-www-form-urlencoded', 'q={{inputs.a}}&r=1');
      expect([...new URLSearchParams(rendered(form, { a: value }).body ?? '')]).to.deep.equal([
        ['q', value],
        ['r', '1'],
      ]);
    });

  for (const value of ['a\r\nX: b', 'a\n b', '\u0000', 'é', '€', 'a\rb', '\u007f', ' a', 'a ', 'a'.repeat(8193)])
    it(`refuses ${JSON.stringify(value.slice(0, 20))} in a header and does not echo it`, () => {
      const execution = withHeader('{{inputs.a}}');
      expect(refusal(execution, { a: value })).to.deep.equal(['template-invalid-header-value', '/inputs/a']);
    });

  const places: readonly (readonly [place: string, execution: (placeholder: string) => ExecutionTemplate])[] = [
    ['path', (at) => withUrl(`https://acme.example/${at}`)],
    ['query', (at) => withUrl(`https://acme.example/?q=${at}`)],
    ['header', (at) => withHeader(`x${at}`)],
    ['JSON string', (at) => withBody(JSON_TYPE, `"${at}"`)],
    ['form', (at) => withBody('application/x-www-form-urlencoded', `a=${at}`)],
    ['XML', (at) => withBody('text/xml', `<a>${at}</a>`)],
    ['text', (at) => withBody('text/plain', at)],
  ];
  for (const [place, execution] of places) {
    it(`never writes a missing input as nothing: ${place}`, () => {
      expect(refusal(execution('{{inputs.b}}'), {})).to.deep.equal(['missing-input', '/inputs/b']);
    });
    it(`never writes a missing secret as nothing: ${place}`, () => {
      const missing = { kind: 'secret', code: 'secret-missing', entry: 'GONE' };
      expect(problem(execution('{{orbiset.secrets.GONE}}'), {})).to.deep.equal(missing);
    });
    it(`refuses half of a surrogate pair: ${place}`, () => {
      const { ok } = render(execution('{{inputs.a}}'), { a: 'x\udc00' });
      expect(ok).to.equal(false);
    });
    it(`finds no input by the name of a prototype's member: ${place}`, () => {
      for (const name of ['__proto__', 'constructor', 'toString'])
        expect(refused(execution(`{{inputs.${name}}}`)).map(([code]) => code)).to.deep.equal([
          'manifest-unknown-input',
        ]);
    });
  }

  it('reads an input named constructor from its own members only', () => {
    const result = compileRequest(withHeader('x{{inputs.constructor}}'), { constructor: {} }, '');
    const code = result.ok && result.value.render({ inputs: {}, secret: () => undefined });
    expect(code).to.have.nested.property('problem.code', 'missing-input');
  });

  const values: readonly (readonly [why: string, value: JsonValue, code: string])[] = [
    ['1e400', Number('1e400'), 'template-invalid-number'],
    ['NaN', Number.NaN, 'template-invalid-number'],
    ['-Infinity inside', [{ a: -Infinity }], 'template-invalid-number'],
    ['half of a surrogate pair inside', { a: ['\ud800'] }, 'template-invalid-unicode'],
    ['half of a surrogate pair as a name', { '\udfff': 1 }, 'template-invalid-unicode'],
  ];
  for (const [why, value, code] of values)
    it(`refuses a whole value that JSON would write otherwise: ${why}`, () => {
      const execution = withBody(JSON_TYPE, '[{{inputs.n}}]');
      expect(refusal(execution, { n: value })).to.deep.equal([code, '/inputs/n']);
    });

  it('writes -0, 2^53 - 1 and a text of digits as what they are', () => {
    const execution = withBody(JSON_TYPE, '[{{inputs.n}},{{inputs.seven}},{{inputs.a}}]');
    expect(rendered(execution, { n: -0, seven: 2 ** 53 - 1, a: '1' }).body).to.equal('[0,9007199254740991,"1"]');
  });

  for (const value of [']]>', '<!ENTITY x "y">', '-->', '&amp;', '"><b c="'])
    it(`writes ${value} into XML as entities`, () => {
      const execution = withBody('application/xml', '<a b="{{inputs.a}}">{{inputs.a}}</a>');
      const body = rendered(execution, { a: value }).body ?? '';
      expect(body.match(/[<>"]/g)).to.deep.equal(['<', '"', '"', '>', '<', '>']);
    });

  it('refuses control characters in XML and NUL in text', () => {
    for (const value of ['\u0000', '\u001b', '\u0085', '\uffff'])
      expect(refusal(withBody('text/xml', '<a>{{inputs.a}}</a>'), { a: value })).to.deep.equal([
        'template-invalid-xml-value',
        '/inputs/a',
      ]);
    const text = withBody('text/plain', '{{inputs.a}}');
    expect(refusal(text, { a: '\u0000' })).to.deep.equal(['template-invalid-text-value', '/inputs/a']);
  });
});

describe('attacks on templates by size', () => {
  it('refuses what fills more than 8 MiB, before it is built', () => {
    const many = withBody('text/plain', '{{inputs.a}}'.repeat(1000));
    const cases = [
      [STRING, 10_000_000],
      [many, 1_000_000],
    ] as const;
    for (const [execution, size] of cases)
      expect(refusal(execution, { a: 'x'.repeat(size), b: '' })).to.deep.equal(['template-too-large', '/inputs/a']);
  });

  it('fills 8 MiB, and not a character more', () => {
    const execution = withBody('text/plain', '{{inputs.a}}{{inputs.b}}');
    const half = 'x'.repeat(4_194_304);
    expect(rendered(execution, { a: half, b: half }).body).to.have.length(8_388_608);
    expect(refusal(execution, { a: half, b: `${half}x` })).to.deep.equal(['template-too-large', '/inputs/a']);
  });

  it('counts levels of objects like those of arrays, and a truth value is no level', () => {
    const within = (depth: number): JsonValue => (depth === 0 ? true : { a: within(depth - 1) });
    const execution = withBody(JSON_TYPE, '{{inputs.object}}');
    expect(rendered(execution, { object: within(128) }).body).to.have.length(128 * 6 + 4);
    expect(refusal(execution, { object: within(129) })).to.deep.equal(['template-too-large', '/inputs/object']);
  });

  it('refuses a value of more than 128 levels', () => {
    const execution = withBody(JSON_TYPE, '{{inputs.list}}');
    expect(rendered(execution, { list: nested(128) }).body).to.have.length(257);
    expect(refusal(execution, { list: nested(129) })).to.deep.equal(['template-too-large', '/inputs/list']);
  });

  const large: readonly (readonly [why: string, type: string, body: string])[] = [
    ['10⁵ placeholders in text', 'text/plain', '{{inputs.a}}'.repeat(100_000)],
    ['10⁵ placeholders in JSON', JSON_TYPE, `"${'{{inputs.a}}'.repeat(100_000)}"`],
    ['8·10⁴ placeholders within 1 MiB', JSON_TYPE, `"${'{{inputs.a}}'.repeat(80_000)}"`],
    ['10⁴ levels of arrays', JSON_TYPE, '['.repeat(10_000) + ']'.repeat(10_000)],
    ['10⁴ levels of objects', JSON_TYPE, `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['10⁴ levels without a content type', '', '['.repeat(10_000)],
  ];
  for (const [why, type, body] of large)
    it(`refuses ${why} within 50 ms of CPU`, () => {
      const execution = withBody(type === '' ? undefined : type, body);
      compileRequest(withUrl('https://acme.example/'), inputs, '');
      let found: ReturnType<typeof refused> = [];
      const ms = leastCpuMs(() => (found = refused(execution)));
      expect(found).to.deep.equal([['template-too-large', '/execution/body_template']]);
      expect(ms).to.be.lessThan(50);
    });
});
