import { extname } from 'node:path';
import { decodeUtf8 } from '../../core/json/bytes.ts';
import { parseBundle } from '../../core/receipt/bundle.ts';
import { invalid } from '../io/failure.ts';

/** The content of a file that is given to `orb verify`. */
export type Document =
  | { readonly kind: 'bundle'; readonly jws: string; readonly proof: string | null; readonly keysJws: string }
  /** A receipt alone, without the keys. */
  | { readonly kind: 'jws'; readonly jws: string }
  | { readonly kind: 'malformed' };

const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*\n?$/;
const BRACE = 0x7b;
const LATER = new Set(['.svg', '.jwt']);

const withoutLineEnd = (text: string): string => (text.endsWith('\n') ? text.slice(0, -1) : text);

/** Only a complete JWS counts as a JWS: a damaged bundle stays a malformed bundle. */
function isJws(text: string | undefined, path: string): text is string {
  return text !== undefined && (extname(path) === '.jws' || COMPACT.test(text));
}

/**
 * Distinguishes a bundle from a receipt alone.
 * @throws Failure it is a certificate or a badge
 */
export function readDocument(bytes: Uint8Array, path: string): Document {
  // Anything else begins with another character.
  const text = bytes[0] === BRACE && extname(path) === '' ? undefined : decodeUtf8(bytes);
  if (LATER.has(extname(path)) || text?.trimStart().startsWith('<svg') === true) {
    throw invalid(
      `${path}: certificates and badges can't be verified by this version of orb; receipts and bundles can`,
    );
  }
  if (isJws(text, path)) return { kind: 'jws', jws: withoutLineEnd(text) };
  const bundle = parseBundle(bytes);
  if (bundle === undefined) return { kind: 'malformed' };
  return { kind: 'bundle', jws: bundle.jws, proof: bundle.tlog_proof, keysJws: bundle.keys_jws };
}

/** The signed keys document of a file: `{"jws": …}` as `/.well-known/orb-keys.json` serves it, or its JWS alone. */
export function readKeysFile(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{')) return trimmed;
  try {
    const value: unknown = JSON.parse(trimmed);
    return typeof value === 'object' && value !== null && 'jws' in value && typeof value.jws === 'string'
      ? value.jws
      : '';
  } catch {
    return '';
  }
}
