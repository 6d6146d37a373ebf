import type { Manifest } from '../../crds/manifest.ts';
import { childPointer } from '../manifest/child-pointer.ts';
import type { Finding } from '../manifest/finding.ts';
import { requestsOf, textsOf } from './executions.ts';

// Formats that are used for credentials only.
const TOKENS = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  // Each run of its characters is searched once: with \b, `eyJ-eyJ-…` of 256 kB would take 40 s.
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bAIza[0-9A-Za-z_-]{35}\b/,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/,
  /\bgh[oprsu]_[A-Za-z0-9]{36,}\b/,
  /\bgithub_pat_[A-Za-z0-9_]{22,}\b/,
  /\bglpat-[A-Za-z0-9_-]{20,}/,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/,
  /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}\b/,
  /\bsk-(?:[a-z]+-)*[A-Za-z0-9_-]{32,}/,
  /\bkey-[0-9a-f]{32}\b/,
  /\borb_[A-Za-z0-9]+_[A-Za-z0-9]{20,}_[A-Za-z0-9]+\b/,
];
/** Every token has one of these parts: one search instead of thirteen, as suites have a hundred thousand texts. */
const TOKEN_MARK = /-----BEGIN|eyJ|A[KS]IA|AIza|SG\.|gh[oprsu]_|github_pat_|glpat-|xox|[rs]k[_-]|key-|orb_/;
/** The shortest text with a token, or with a random value in a query. */
const SHORTEST = 15;
const PLACEHOLDER = /\{\{[^{}]*\}\}/;
const CREDENTIAL_HEADER =
  /^(?:(?:proxy-)?authorization|x-(?:[a-z]+-)*(?:api-?key|auth-?token|access-?token|secret(?:-key)?)|api-?key|(?:[a-z]+-)?(?:auth|access)-token|private-token)$/i;
const CREDENTIAL_NAME = /(?:^|[_-])(?:password|passwd|secret|token|api_?key|access_?key|private_?key|credential)$/i;
const SCHEME = /^(?:basic|bearer|token|apikey|digest|bot)\s+/i;
const MIN_LENGTH = 8;
const URL_CREDENTIAL =
  /[?&](?:api[_-]?key|access[_-]?token|auth[_-]?token|token|secret|password|sig|key)=(?<value>[^&#]*)/gi;
// Random text is long and has letters and digits. A name or a word in a query is not random.
const isRandom = (text: string): boolean => text.length >= 16 && /[0-9]/.test(text) && /[A-Za-z]/.test(text);

const isToken = (text: string): boolean =>
  text.length >= SHORTEST && TOKEN_MARK.test(text) && TOKENS.some((token) => token.test(text));

const isCredential = (text: string): boolean =>
  !PLACEHOLDER.test(text) && text.replace(SCHEME, '').trim().length >= MIN_LENGTH;

const finding = (pointer: string): Finding => ({
  code: 'manifest-secret-literal',
  pointer,
  detail:
    'This looks like a credential; put it into the vault, write {{orbiset.secrets.NAME}} here, and replace the credential.',
  severity: 'error',
});

const inUrl = (url: string): boolean =>
  url.length >= SHORTEST && [...url.matchAll(URL_CREDENTIAL)].some(({ groups }) => isRandom(groups?.['value'] ?? ''));

function ofRequests(manifest: Manifest): readonly Finding[] {
  return requestsOf(manifest).flatMap((place) => {
    const { headers = {}, url = '' } = place.request;
    const named = Object.entries(headers)
      .filter(([name, value]) => CREDENTIAL_HEADER.test(name) && isCredential(value))
      .map(([name]) => childPointer(`${place.pointer}/headers`, name));
    const formed = textsOf(place)
      .filter(({ text }) => isToken(text))
      .map(({ pointer }) => pointer);
    const query = inUrl(url) ? [`${place.pointer}/url`] : [];
    return [...new Set([...named, ...formed, ...query])].map(finding);
  });
}

function ofDefaults(manifest: Manifest): readonly Finding[] {
  return Object.entries(manifest.inputs).flatMap(([name, { default: value }]) => {
    if (value === undefined) return [];
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const isNamed = typeof value === 'string' && CREDENTIAL_NAME.test(name) && isCredential(text);
    return isNamed || isToken(text) ? [finding(`${childPointer('/inputs', name)}/default`)] : [];
  });
}

/**
 * Whether a text has a form that only credentials have: a known format of tokens, or a random value in the query of a
 * URL. Names of headers and members do not count.
 */
export const hasCredentialForm = (text: string): boolean => isToken(text) || inUrl(text);

/**
 * `manifest-secret-literal`: a credential in a header, a URL, a body or a default, where every reader of manifests sees
 * it. The check looks for well-known formats of tokens, and for names of headers and inputs that hold credentials only.
 * A text that looks like a word passes.
 */
export const checkSecretLiterals = (manifest: Manifest): readonly Finding[] => [
  ...ofRequests(manifest),
  ...ofDefaults(manifest),
];
