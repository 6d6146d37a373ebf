import { expect } from 'chai';
import fc from 'fast-check';
import { compileRequest, type ExecutionTemplate } from '../../../../core/template/compile-request.ts';
import type { RenderResult } from '../../../../core/template/compiled-request.ts';
import {
  definitions,
  givenOf,
  meaning,
  meaningOfTree,
  partsOf,
  print,
  printTree,
  text,
  tree,
  world,
  worldOf,
  type World,
} from './worlds.ts';

/** 200 by default; the release's proof takes 10⁵ (security.md §4.2). */
const numRuns = Number(process.env['ORB_PROPERTY_RUNS'] ?? '200');
const timeoutMs = numRuns > 200 ? 1_800_000 : 2000;

/** Undefined: refused at load, for a default that may not stand in its place. */
function fill(execution: ExecutionTemplate, values: World): RenderResult | undefined {
  const result = compileRequest(execution, definitions(values), '/execution');
  if (result.ok) return result.value.render({ inputs: givenOf(values), secret: (entry) => values.secrets[entry] });
  expect(result.findings.filter(({ pointer }) => !pointer.endsWith('/default'))).to.deep.equal([]);
  return undefined;
}

const withBody = (contentType: string, body: string): ExecutionTemplate => ({
  url: 'https://acme.example/',
  headers: { 'content-type': contentType },
  body_template: body,
});
const bodyOf = (result: RenderResult | undefined): string => (result?.ok === true ? (result.request.body ?? '') : '');

const climbs = (part: string): boolean => ['', '.', '..'].includes(part) || part.split(/[/\\]/).includes('..');

const decodeXml = (source: string): string =>
  source
    .replace(/&#(\d+);/g, (_all, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');

describe('round trip of templates', () => {
  it('gives back from JSON the values at their places', () => {
    fc.assert(
      fc.property(tree, world, (node, values) => {
        const body = bodyOf(fill(withBody('application/json', printTree(node)), values));
        expect(JSON.stringify(JSON.parse(body))).to.equal(JSON.stringify(meaningOfTree(node, values)));
      }),
      { numRuns },
    );
  }).timeout(timeoutMs);

  const name = fc.stringMatching(/^[a-z][a-z0-9_.-]{0,5}$/);
  const urlText = fc.constantFrom('a', 'v1', 'x.', '~b-', '..c', '');
  const segment = partsOf(urlText).filter((parts) => !['', '.', '..'].includes(print(parts)));
  const pairs = fc.array(fc.tuple(name, partsOf(urlText)), { minLength: 1, maxLength: 4 });

  it('gives back from a URL the segments and the query, or refuses a segment that climbs', () => {
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), pairs, world, (segments, query, values) => {
        const path = segments.map((parts) => print(parts)).join('/');
        const search = query.map(([key, parts]) => `${key}=${print(parts)}`).join('&');
        const result = fill({ url: `https://acme.example/${path}?${search}` }, values);
        const expected = segments.map((parts) => meaning(parts, values));
        const filled = segments.filter((parts) => parts.some((part) => part.kind !== 'literal'));
        expect(result?.ok).to.equal(!filled.some((parts) => climbs(meaning(parts, values))));
        if (result?.ok !== true) return;
        const url = new URL(result.request.url);
        expect(url.pathname.split('/').map(decodeURIComponent)).to.deep.equal(['', ...expected]);
        expect([...url.searchParams]).to.deep.equal(query.map(([key, parts]) => [key, meaning(parts, values)]));
        expect([url.href, url.host, url.hash]).to.deep.equal([result.request.url, 'acme.example', '']);
      }),
      { numRuns },
    );
  }).timeout(timeoutMs);

  it('gives back from a form the values of its members', () => {
    fc.assert(
      fc.property(pairs, world, (members, values) => {
        const template = members.map(([key, parts]) => `${key}=${print(parts)}`).join('&');
        const body = bodyOf(fill(withBody('application/x-www-form-urlencoded', template), values));
        const expected = members.map(([key, parts]) => [key, meaning(parts, values)]);
        expect([...new URLSearchParams(body)]).to.deep.equal(expected);
      }),
      { numRuns },
    );
  }).timeout(timeoutMs);

  it('gives back from XML the text and the attribute, or refuses control characters', () => {
    fc.assert(
      fc.property(partsOf(urlText), partsOf(urlText), world, (attribute, content, values) => {
        const result = fill(withBody('text/xml', `<a b="${print(attribute)}">${print(content)}</a>`), values);
        const expected = [meaning(attribute, values), meaning(content, values)];
        const writable = !/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/u.test(expected.join(''));
        if (result === undefined) return;
        expect(result.ok).to.equal(writable);
        if (!writable) return;
        const read = /^<a b="(?<b>[^"<>\t\r\n]*)">(?<text>[^"<>\r]*)<\/a>$/.exec(bodyOf(result))?.groups;
        expect([read?.['b'], read?.['text']].map((value) => decodeXml(value ?? '?'))).to.deep.equal(expected);
      }),
      { numRuns },
    );
  }).timeout(timeoutMs);

  it('gives back a header as it is meant, or refuses it', () => {
    fc.assert(
      fc.property(partsOf(fc.constantFrom('Bearer ', 'x', '; ')), world, (parts, values) => {
        const template = `k=${print(parts)}.`;
        const result = fill({ url: 'https://acme.example/', headers: { 'X-A': template } }, values);
        const expected = `k=${meaning(parts, values)}.`;
        if (result?.ok === true) expect(result.request.headers).to.deep.equal([['X-A', expected]]);
        if (result?.ok === false) expect(expected).to.match(/[^\t\x20-\x7e]/);
      }),
      { numRuns },
    );
  }).timeout(timeoutMs);
});

describe('templates of any text', () => {
  const fragments = [
    '{{inputs.i0}}',
    '{{orbiset.secrets.S0}}',
    '{{',
    '}}',
    '"',
    '\\',
    '<',
    '>',
    '<!--',
    '-->',
    '&',
    '=',
  ];
  const others = [
    'https://',
    'acme.example',
    '/',
    '..',
    '?',
    '#',
    '@',
    ':',
    '%',
    '[',
    ']',
    '{',
    '}',
    'null',
    ',',
    '\0',
    'é',
  ];
  const soup = fc
    .array(fc.oneof(fc.constantFrom(...fragments, ...others), text), { maxLength: 10 })
    .map((pieces) => pieces.join(''));
  const contentType = fc.constantFrom(
    'application/json',
    'text/xml',
    'text/plain',
    'application/x-www-form-urlencoded',
    'a',
  );
  const url = fc.oneof(
    soup,
    soup.map((rest) => `https://acme.example/${rest}`),
  );
  const execution: fc.Arbitrary<ExecutionTemplate> = fc.record({
    method: fc.oneof(fc.constant('POST'), soup),
    url,
    headers: fc.oneof(
      fc.constant({}),
      contentType.map((type) => ({ 'Content-Type': type })),
      fc.dictionary(soup, soup),
    ),
    body_template: soup,
  });

  it('never throws, and names a code and a pointer for whatever it refuses', () => {
    fc.assert(
      fc.property(execution, world, (template, values) => {
        const result = compileRequest(template, definitions(values), '/execution');
        for (const { code, pointer, detail } of result.findings) {
          expect(code).to.match(/^(?:template|manifest)-[a-z-]+$/);
          expect(pointer).to.match(/^\/(?:execution|inputs)\//);
          expect(detail).to.have.length.greaterThan(10);
        }
        expect(result.ok || result.findings.length > 0).to.equal(true);
        if (!result.ok) return;
        const given = givenOf(values);
        result.value.seal(given);
        expect(result.value.render({ inputs: given, secret: () => undefined })).to.have.property('ok');
      }),
      { numRuns },
    );
  }).timeout(timeoutMs);

  it('seals without a secret, and needs exactly the secrets that it reads', () => {
    const canary = fc.stringMatching(/^cnry[a-z0-9]{16}$/);
    const target = partsOf(fc.constantFrom('a', 'b')).map((parts) => `x${print(parts)}`);
    fc.assert(
      fc.property(target, target, tree, worldOf(canary), (path, header, node, values) => {
        const template = {
          url: `https://acme.example/${path}`,
          headers: { 'X-A': header },
          body_template: printTree(node),
        };
        const result = compileRequest(template, definitions(values), '/execution');
        if (!result.ok) return;
        const given = givenOf(values);
        const read = new Set<string>();
        const plainResult = result.value.render({
          inputs: given,
          secret: (entry) => {
            read.add(entry);
            return values.secrets[entry];
          },
        });
        const sealed = JSON.stringify(result.value.seal(given)) + result.value.sealedUrl;
        for (const value of Object.values(values.secrets)) expect(sealed).not.to.contain(value);
        if (plainResult.ok) expect(result.value.secretsFor(given).toSorted()).to.deep.equal([...read].toSorted());
      }),
      { numRuns },
    );
  }).timeout(timeoutMs);
});
