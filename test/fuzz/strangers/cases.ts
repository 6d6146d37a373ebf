import { isIP } from 'node:net';
import { checkUrl } from '../../../adapters/egress/url-guard.ts';
import { PROVIDER_PORTS } from '../../../core/egress/provider-ports.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { lookup, parsePointer } from '../../../core/json/pointer.ts';
import { childPointer } from '../../../core/manifest/child-pointer.ts';
import { checkDocument } from '../../../core/manifest/documents.ts';
import { readJson } from '../../../core/manifest/read-json.ts';
import { compileOrb } from '../../../core/orb/compile-orb.ts';
import { parseJws } from '../../../core/receipt/jws.ts';
import { compileRequest } from '../../../core/template/compile-request.ts';
import { verifyCertificate } from '../../../core/verify/verify-certificate.ts';
import { verifyBundle } from '../../../core/verify/verify.ts';
import { mail } from '../../unit/core/manifest/a-manifest.ts';
import { aJwt, certificateKeys } from '../../unit/core/verify/a-certificate.ts';
import { aBundle, bytesOf, primitives, root } from '../../unit/core/verify/a-world.ts';
import { anyValue } from '../ingestion/bodies.ts';
import { anyText, below, mutated, pick, type Random } from '../ingestion/random.ts';
import { changedIn } from './changed.ts';
import { checkFindings, tryFile, tryPolicy } from './documents.ts';

/** One case from random numbers. @returns whether it got through @throws Error what must not happen */
type Case = (random: Random) => boolean | Promise<boolean>;

const SECRET = 'canary-of-a-secret';
const PIECES = [
  '{{inputs.a}}',
  '{{ inputs.b }}',
  '{{',
  '}}',
  '"',
  '\\',
  '&',
  '=',
  '/',
  '..',
  '%2e',
  '<',
  '[',
  '{"k":',
  '}',
];
const HOSTILE = [
  '{{orbiset.secrets.K}}',
  '"},"admin":true,"x":"',
  '$&',
  '../x',
  '@evil.com',
  'a\r\nX: b',
  '#',
  '\u0000',
  '\ud800',
];

function must(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(what);
}

const anyOf = (random: Random, list: readonly string[]): string =>
  random() < 0.7 ? pick(random, list) : anyText(random);
const joined = (random: Random, list: readonly string[], most: number): string =>
  Array.from({ length: below(random, most) }, () => anyOf(random, list)).join('');

/** No input becomes a secret, the host stays, and a JSON body is JSON. */
function tryTemplate(random: Random): boolean {
  const isJson = random() < 0.5;
  const template = {
    url: `https://acme.example/v1/${joined(random, PIECES, 4)}`,
    headers: { 'content-type': isJson ? 'application/json' : 'text/plain', 'x-a': joined(random, PIECES, 3) },
    body_template: isJson
      ? JSON.stringify({ a: joined(random, PIECES, 4), b: ['{{inputs.b}}'] })
      : joined(random, PIECES, 6),
  };
  const compiled = compileRequest(template, { a: {}, b: {} }, '/execution');
  if (!compiled.ok) return false;
  const inputs = { a: anyOf(random, HOSTILE), b: anyOf(random, HOSTILE) };
  const rendered = compiled.value.render({ inputs, secret: () => SECRET });
  if (!rendered.ok) return false;
  const { url, headers, body } = rendered.request;
  must(new URL(url).host === 'acme.example' && new URL(url).href === url, `the URL became ${url}`);
  must(!JSON.stringify([url, headers, body]).includes(SECRET), 'an input became a secret');
  if (isJson) must(isJsonObject(JSON.parse(body ?? '')), `the body is ${body}`);
  return true;
}

/** A header holds visible ASCII characters, blanks and tabs, and is not followed by another one. */
function tryHeader(random: Random): boolean {
  const compiled = compileRequest({ url: 'https://a.example/', headers: { 'x-a': 'k={{inputs.a}}' } }, { a: {} }, '');
  if (!compiled.ok) throw new Error('the template is good');
  const value = anyOf(random, HOSTILE) + anyText(random);
  const rendered = compiled.value.render({ inputs: { a: value }, secret: () => undefined });
  if (!rendered.ok) return false;
  const [header] = rendered.request.headers;
  const [name, text] = header ?? ['', ''];
  must(name === 'x-a' && /^[\t\x20-\x7e]*$/.test(text) && text === `k=${value}`, `the header became ${text}`);
  return true;
}

const URLS = [
  'https://api.example.com/',
  'https://[::1]/',
  'https://127.1/',
  'http://a.example/',
  'https://a@b.example:443/x?y#z',
  'https://１２７.0.0.1/',
];
const RULES = { ports: new Set(PROVIDER_PORTS), exceptions: new Map() };

/** What the first layer lets through is https to a name on a known port, and the same for another parser. */
function tryUrl(random: Random): boolean {
  const checked = checkUrl(mutated(random, pick(random, URLS)), RULES);
  if (!checked.ok) return false;
  const { protocol, hostname, username, password, port, href } = checked.url;
  must(protocol === 'https:' && port === '' && username === '' && password === '', `it lets ${href} through`);
  const isName = isIP(hostname) === 0 && /^[a-z0-9_.-]+$/.test(hostname);
  must(isName && new URL(href).hostname === hostname, `it lets ${href} through`);
  return true;
}

const TOKENS = ['a', '0', '01', '-', '', '__proto__', 'constructor', 'length', '~', 'a/b'];

/** Tokens that are printed and read again are the same, and only own members are found. */
function tryPointer(random: Random): boolean {
  const tokens = Array.from({ length: below(random, 6) }, () => anyOf(random, TOKENS));
  const printed = tokens.reduce<string>(childPointer, '');
  must(JSON.stringify(parsePointer(printed)) === JSON.stringify(tokens), `${printed} is read as another pointer`);
  const read = parsePointer(mutated(random, printed));
  if (read === undefined) return false;
  const found = lookup({ a: { '0': [1, { a: 2 }] }, length: 3 }, read);
  must(typeof found !== 'function', 'it found a member of a prototype');
  return true;
}

/** A manifest of any shape is judged, with pointers that can be read. */
function tryManifest(random: Random): boolean {
  const once = changedIn(random, mail, 3, ['swap_config']);
  const manifest = random() < 0.5 ? once : changedIn(random, once, 3, ['swap_config']);
  const document =
    random() < 0.5
      ? manifest
      : { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { name: 'a' }, spec: manifest };
  const checked = checkDocument(document);
  const compiled = isJsonObject(manifest) ? compileOrb(manifest, { namespace: 'acme', allowedOrigins: [] }) : undefined;
  checkFindings([...checked.findings, ...(compiled?.findings ?? [])]);
  return compiled?.ok ?? false;
}

const BUNDLE = aBundle();
const BYTES = bytesOf(BUNDLE);
const textOf = ({ jws }: JsonObject): string => (typeof jws === 'string' ? jws : '');
const isValid = async (bytes: Uint8Array): Promise<boolean> =>
  (await verifyBundle(bytes, root, {}, primitives)).code === 'ok';

/** No changed signature, header or payload verifies. */
async function tryJws(random: Random): Promise<boolean> {
  const jws = textOf(BUNDLE);
  const changed = mutated(random, jws);
  const isRead = parseJws(changed) !== undefined;
  const verified = await isValid(bytesOf({ ...BUNDLE, jws: changed }));
  must(verified === (changed === jws), `another JWS verifies: ${changed}`);
  return isRead;
}

/** No changed bundle verifies, unless it is the same JSON. */
async function tryBundle(random: Random): Promise<boolean> {
  const text = Buffer.from(BYTES).toString('latin1');
  const changed = Buffer.from(mutated(random, text), 'latin1');
  const verified = await isValid(changed);
  if (verified)
    must(JSON.stringify(JSON.parse(changed.toString())) === JSON.stringify(BUNDLE), 'another bundle verifies');
  return verified;
}

const JWT = aJwt();

/** No changed certificate verifies. */
async function tryCertificate(random: Random): Promise<boolean> {
  const changed = mutated(random, JWT);
  const subject = { jws: changed, proof: null, document: certificateKeys() };
  const { verdict } = await verifyCertificate(subject, { allowUnlogged: true }, primitives);
  must((verdict === 'valid') === (changed === JWT), `another certificate verifies: ${changed}`);
  return parseJws(changed) !== undefined;
}

/** A body is read as `JSON.parse` reads it, or refused. */
function tryBody(random: Random): boolean {
  const text = JSON.stringify({ orb_id: 'example.echo@1.0.0', inputs: anyValue(random, 4) });
  const bytes = Buffer.from(random() < 0.4 ? text : mutated(random, text));
  if (random() < 0.1) bytes[below(random, bytes.length)] = below(random, 256);
  const read = readJson(bytes);
  if (!read.ok) {
    must(
      read.findings.length > 0 && read.findings.every(({ pointer }) => parsePointer(pointer) !== undefined),
      'no finding',
    );
    return false;
  }
  must(JSON.stringify(read.value) === JSON.stringify(JSON.parse(bytes.toString())), 'it was read in another way');
  return true;
}

/** What strangers send, of one kind. */
export interface Strangers {
  readonly take: Case;
  /** The least share of cases that must get through: a fuzz of refusals alone shows nothing. */
  readonly least: number;
}

export const STRANGERS: Readonly<Record<string, Strangers>> = {
  templates: { take: tryTemplate, least: 0.02 },
  headers: { take: tryHeader, least: 0.05 },
  urls: { take: tryUrl, least: 0.02 },
  pointers: { take: tryPointer, least: 0.3 },
  manifests: { take: tryManifest, least: 0.003 },
  jws: { take: tryJws, least: 0.02 },
  bundles: { take: tryBundle, least: 0.001 },
  certificates: { take: tryCertificate, least: 0.02 },
  bodies: { take: tryBody, least: 0.1 },
  policies: { take: tryPolicy, least: 0.05 },
  files: { take: tryFile, least: 0.1 },
};
