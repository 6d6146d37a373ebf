import { extname } from 'node:path';
import { decodeUtf8 } from '../../core/json/bytes.ts';
import { parseBundle } from '../../core/receipt/bundle.ts';
import { claimedType } from '../../core/receipt/jws.ts';

/** The content of a file that is given to `orb verify`. */
export type Document =
  | { readonly kind: 'bundle'; readonly jws: string; readonly proof: string | null; readonly keysJws: string }
  /** A receipt alone, without the keys. */
  | { readonly kind: 'jws'; readonly jws: string }
  /** A certificate alone. */
  | { readonly kind: 'certificate'; readonly jws: string }
  /** An image, to be read as a badge. */
  | { readonly kind: 'svg'; readonly bytes: Uint8Array }
  | { readonly kind: 'malformed' };

const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*\n?$/;
const BRACE = 0x7b;

/** Removes one line feed at the end. */
export const withoutLineEnd = (text: string): string => (text.endsWith('\n') ? text.slice(0, -1) : text);

/** Only a complete JWS counts as a JWS: a damaged bundle stays a malformed bundle. */
function isJws(text: string | undefined, path: string): text is string {
  return text !== undefined && (['.jws', '.jwt'].includes(extname(path)) || COMPACT.test(text));
}

/** A file that says by its name that it is a certificate is judged as one, whatever type its header names. */
function jwsDocument(text: string, path: string): Document {
  const jws = withoutLineEnd(text);
  const isCertificate = extname(path) === '.jwt' || claimedType(jws) === 'vc+jwt';
  return { kind: isCertificate ? 'certificate' : 'jws', jws };
}

const isSvg = (text: string | undefined, path: string): boolean =>
  extname(path) === '.svg' || text?.trimStart().startsWith('<svg') === true;

/** Distinguishes bundles, receipts, certificates and badges. */
export function readDocument(bytes: Uint8Array, path: string): Document {
  // Anything else begins with another character.
  const text = bytes[0] === BRACE && extname(path) === '' ? undefined : decodeUtf8(bytes);
  if (isSvg(text, path)) return { kind: 'svg', bytes };
  if (isJws(text, path)) return jwsDocument(text, path);
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
