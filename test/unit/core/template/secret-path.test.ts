import { expect } from 'chai';
import fc from 'fast-check';
import { compileOrb } from '../../../../core/orb/compile-orb.ts';
import { compileRequest, type ExecutionTemplate } from '../../../../core/template/compile-request.ts';
import type { RenderResult } from '../../../../core/template/compiled-request.ts';
import type { InputShape } from '../../../../core/template/scope.ts';
import { aManifest } from '../manifest/a-manifest.ts';

const HOOK = 'https://hooks.example.com/services/{{orbiset.secrets.HOOK:path}}';
const NOT_ALLOWED = 'template-placeholder-not-allowed';

function codesOf(
  execution: ExecutionTemplate,
  inputs: Readonly<Record<string, InputShape>> = { a: {} },
): readonly string[] {
  return compileRequest(execution, inputs, '/execution').findings.map(({ code, pointer }) => `${code} ${pointer}`);
}

function rendered(value: string, url = HOOK): RenderResult {
  const compiled = compileRequest({ url }, { a: {} }, '/execution');
  if (!compiled.ok) throw new TypeError(JSON.stringify(compiled.findings));
  return compiled.value.render({ inputs: { a: 'x/y' }, secret: () => value });
}

const urlOf = (result: RenderResult): string => (result.ok ? result.request.url : result.problem.code);
const segment = fc.stringMatching(/^[A-Za-z0-9._~-]{1,12}$/).filter((text) => text !== '.' && text !== '..');

describe('a secret as the rest of a path, {{orbiset.secrets.KEY:path}}', () => {
  it('keeps its slashes', () => {
    expect(urlOf(rendered('T012/B345/x-y_z.~'))).to.equal('https://hooks.example.com/services/T012/B345/x-y_z.~');
    expect(urlOf(rendered('alone'))).to.equal('https://hooks.example.com/services/alone');
  });

  it('is written with spaces, behind other placeholders, and before a query', () => {
    const url = 'https://{{orbiset.secrets.H}}.example.com/{{inputs.a}}/{{ orbiset.secrets.K:path }}?b={{inputs.a}}';
    expect(urlOf(rendered('t1', url))).to.equal('https://t1.example.com/x%2Fy/t1?b=x%2Fy');
  });

  it('encodes the slashes of a secret without the mark, as before', () => {
    expect(urlOf(rendered('T012/B345', 'https://hooks.example.com/{{orbiset.secrets.HOOK}}'))).to.equal(
      'https://hooks.example.com/T012%2FB345',
    );
  });

  it('is sealed as it is written, and counts as a secret in the URL', () => {
    const compiled = compileRequest({ url: HOOK }, {}, '/execution');
    const request = compiled.ok ? compiled.value : undefined;
    const sealed = request?.seal({});
    expect(sealed?.ok === true && sealed.request.url).to.equal(HOOK);
    expect([request?.secretsInUrl, request?.literalHost, request?.secretsFor({})]).to.deep.equal([
      ['HOOK'],
      'hooks.example.com',
      ['HOOK'],
    ]);
  });

  const places: readonly (readonly [why: string, execution: ExecutionTemplate])[] = [
    ['before more of the path', { url: `${HOOK}/more` }],
    ['before a slash', { url: `${HOOK}/` }],
    ['beside a literal', { url: 'https://h.example.com/x{{orbiset.secrets.K:path}}' }],
    ['beside another placeholder', { url: 'https://h.example.com/{{inputs.a}}{{orbiset.secrets.K:path}}' }],
    ['twice', { url: 'https://h.example.com/{{orbiset.secrets.K:path}}/{{orbiset.secrets.K:path}}' }],
    ['in a host', { url: 'https://{{orbiset.secrets.K:path}}.example.com/' }],
    ['as a host', { url: 'https://{{orbiset.secrets.K:path}}' }],
    ['in a query', { url: 'https://h.example.com/?a={{orbiset.secrets.K:path}}' }],
    ['in a query behind a slash', { url: 'https://h.example.com/?a=/{{orbiset.secrets.K:path}}' }],
  ];
  for (const [why, execution] of places)
    it(`is refused ${why}`, () => {
      expect(codesOf(execution)).to.deep.equal([`${NOT_ALLOWED} /execution/url`]);
    });

  it('is refused outside of a URL', () => {
    const url = 'https://h.example.com/';
    expect(codesOf({ url, headers: { 'X-A': '{{orbiset.secrets.K:path}}' } })).to.deep.equal([
      `${NOT_ALLOWED} /execution/headers/X-A`,
    ]);
    expect(codesOf({ url, body_template: '{{orbiset.secrets.K:path}}' })).to.deep.equal([
      `${NOT_ALLOWED} /execution/body_template`,
    ]);
    const inputs = { a: { default: '{{orbiset.secrets.K:path}}' } };
    expect(codesOf({ url: 'https://h.example.com/{{inputs.a}}' }, inputs)).to.deep.equal([
      `${NOT_ALLOWED} /inputs/a/default`,
    ]);
  });

  it('is for secrets only, never for inputs', () => {
    expect(codesOf({ url: 'https://h.example.com/{{inputs.a:path}}' })).to.deep.equal([
      'template-unknown-reference /execution/url',
    ]);
  });

  const values: readonly string[] = [
    ['', '/', '/a', 'a/', 'a//b', '.', '..', 'a/..', '../a', 'a/./b', 'a/../b'],
    ['a?b', 'a#b', 'a%2fb', 'a%2e%2e/b', 'a b', 'a\\b', 'a:b', 'a@b', 'a;b', 'a\nb', 'a\n', 'é', 'ａ', '\0'],
    ['https://evil.example/x', '//evil.example/x', 'a'.repeat(4097)],
  ].flat();
  for (const value of values)
    it(`refuses the value ${JSON.stringify(value.slice(0, 30))}, and names the entry alone`, () => {
      const result = rendered(value);
      expect(result).to.deep.equal({
        ok: false,
        problem: { kind: 'secret', code: 'secret-not-header-safe', entry: 'HOOK' },
      });
    });

  it('gives exactly the path of the value, for every list of segments', () => {
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 8 }), (segments) => {
        const value = segments.join('/');
        const url = new URL(urlOf(rendered(value, `${HOOK}?q={{inputs.a}}`)));
        expect([url.origin, url.pathname, url.search, url.hash]).to.deep.equal([
          'https://hooks.example.com',
          `/services/${value}`,
          '?q=x%2Fy',
          '',
        ]);
      }),
    );
  });

  it('never changes anything but the path below, for any value', () => {
    const part = fc.constantFrom('a', '/', '.', '..', '%2e', '?', '#', '@', ':', '\\', ' ', '%', '~', 'é');
    const any = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(part).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(any, (value) => {
        const result = rendered(value);
        if (!result.ok) return;
        const url = new URL(result.request.url);
        expect([url.href, url.origin]).to.deep.equal([
          `https://hooks.example.com/services/${value}`,
          'https://hooks.example.com',
        ]);
        expect(value.split('/').every((one) => one !== '' && one !== '.' && one !== '..')).to.equal(true);
      }),
    );
  });

  it('is what the refusal of a whole URL says to write', () => {
    const { findings } = compileOrb(aManifest({ url: '{{orbiset.secrets.HOOK_URL}}' }), {
      namespace: 'acme',
      allowedOrigins: [],
    });
    expect(findings.map(({ code }) => code)).to.deep.equal(['manifest-url-not-https']);
    expect(findings[0]?.detail)
      .to.include('A secret is never a whole URL')
      .and.to.include('https://hooks.example.com/{{orbiset.secrets.KEY:path}}');
  });
});
