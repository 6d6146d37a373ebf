import { decodeBase64Url, encodeBase64Url } from '../json/base64.ts';
import { decodeUtf8, encodeUtf8 } from '../json/bytes.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import type { Signer } from './signer.ts';

/** Types of signed documents (trust.md §1.3). */
export type JwsType =
  | 'orb-receipt+jws'
  | 'orb-swap+jws'
  | 'orb-keys+jws'
  | 'orb-test-result+jws'
  | 'orb-replay+jws'
  | 'vc+jwt';

/** A protected header: its members, and the text that they were parsed from. */
export interface JwsHeader {
  readonly members: JsonObject;
  readonly text: string;
}

/** The parts of a compact JWS, parsed strictly; not yet verified. */
export interface JwsParts {
  readonly header: JwsHeader;
  readonly payload: Uint8Array;
  /** 64 bytes. */
  readonly signature: Uint8Array;
  /** `header.payload`: the signature is computed over it. */
  readonly signingInput: Uint8Array;
}

const SIGNATURE_BYTES = 64;

function parseHeader(bytes: Uint8Array): JwsHeader | undefined {
  const text = decodeUtf8(bytes);
  if (text === undefined) return undefined;
  try {
    const members: unknown = JSON.parse(text);
    return isJsonObject(members) ? { members, text } : undefined;
  } catch {
    return undefined;
  }
}

/** Three strict base64url parts, an object as header, 64 bytes of signature. @returns undefined: `malformed` */
export function parseJws(jws: string): JwsParts | undefined {
  const parts = jws.split('.');
  const [head, payload, signature] = parts.map((part) => (part === '' ? undefined : decodeBase64Url(part)));
  if (parts.length !== 3 || head === undefined || payload === undefined) return undefined;
  const header = parseHeader(head);
  if (header === undefined || signature?.length !== SIGNATURE_BYTES) return undefined;
  return { header, payload, signature, signingInput: encodeUtf8(jws.slice(0, jws.lastIndexOf('.'))) };
}

/** The type that a JWS names in its header, unverified. @returns undefined: no header can be read, or it names none */
export function claimedType(jws: string): string | undefined {
  const head = decodeBase64Url(jws.slice(0, Math.max(0, jws.indexOf('.'))));
  const { members = {} } = (head === undefined ? undefined : parseHeader(head)) ?? {};
  const type = Object.hasOwn(members, 'typ') ? members['typ'] : undefined;
  return typeof type === 'string' ? type : undefined;
}

/** Reasons to refuse a header, in the order of trust.md §3.2, row 4. */
export type HeaderFault = 'wrong_type' | 'unsupported_alg' | 'embedded_key' | 'unsupported_header' | 'unknown_key';

const KEY_MEMBERS = ['jwk', 'jku', 'x5c', 'x5u', 'x5t', 'x5t#S256'];
const MEMBERS: ReadonlySet<string> = new Set(['alg', 'kid', 'typ']);
// A credential also says that its payload is one (trust.md §6.1).
const CREDENTIAL_MEMBERS: ReadonlySet<string> = new Set([...MEMBERS, 'cty']);

const membersOf = (type: JwsType): ReadonlySet<string> => (type === 'vc+jwt' ? CREDENTIAL_MEMBERS : MEMBERS);

const headerOf = (kid: string, type: JwsType): string =>
  `{"alg":"Ed25519",${type === 'vc+jwt' ? '"cty":"vc",' : ''}"kid":${JSON.stringify(kid)},"typ":"${type}"}`;

/**
 * Checks a header (trust.md §1.3). A key inside the document does not prove the signer, so it is refused. White space,
 * another order or a duplicate member make another header: `unsupported_header`.
 * @returns the key id, or the first fault; the caller checks whether the key is known
 */
export function checkHeader(
  { members, text }: JwsHeader,
  type: JwsType,
): { readonly kid: string } | { readonly fault: HeaderFault } {
  const member = (name: string): unknown => (Object.hasOwn(members, name) ? members[name] : undefined);
  if (member('typ') !== type) return { fault: 'wrong_type' };
  if (member('alg') !== 'Ed25519') return { fault: 'unsupported_alg' };
  if (KEY_MEMBERS.some((name) => Object.hasOwn(members, name))) return { fault: 'embedded_key' };
  if (Object.keys(members).some((name) => !membersOf(type).has(name))) return { fault: 'unsupported_header' };
  const kid = member('kid');
  if (typeof kid !== 'string') return { fault: 'unknown_key' };
  return text === headerOf(kid, type) ? { kid } : { fault: 'unsupported_header' };
}

/** Fast forms of two encodings. The run path uses those of its runtime. */
export interface Encoding {
  readonly utf8: (text: string) => Uint8Array;
  /** RFC 4648 §5 without padding. */
  readonly base64Url: (bytes: Uint8Array) => string;
}

// One header per key and type, made once because every receipt begins with it.
const headers = new WeakMap<Signer, Map<JwsType, string>>();

function headerPart(signer: Signer, type: JwsType): string {
  const known = headers.get(signer) ?? new Map<JwsType, string>();
  headers.set(signer, known);
  const made = known.get(type) ?? encodeBase64Url(encodeUtf8(headerOf(signer.kid, type)));
  known.set(type, made);
  return made;
}

/**
 * The text that a compact JWS has before its signature, which is computed over it.
 * @param payload canonical text; of the profile, except for a credential
 */
export const signingInput = (payload: string, type: JwsType, signer: Signer, { utf8, base64Url }: Encoding): string =>
  `${headerPart(signer, type)}.${base64Url(utf8(payload))}`;

/** The compact JWS of what `signingInput` made (RFC 7515, `alg: Ed25519` of RFC 9864). */
export const signInput = (input: string, signer: Signer, { utf8, base64Url }: Encoding): string =>
  `${input}.${base64Url(signer.sign(utf8(input)))}`;

/** Signs a payload as compact JWS. @param payload as for `signingInput` */
export const signJws = (payload: string, type: JwsType, signer: Signer, encoding: Encoding): string =>
  signInput(signingInput(payload, type, signer, encoding), signer, encoding);
