import type { VerificationScheme } from '../../core/ingestion/verification/scheme.ts';

type Pairs = readonly (readonly [name: string, value: string])[];

const MAX_VALUE = 1024;
const MAX_HEADERS = 64;

/** Names that tell of a credential, a signature, or a place in front of the platform. */
const UNSAFE = /auth|cookie|token|secret|signature|passw|credential|api-?key|^referer$|^x-forwarded|^forwarded$/;

/** Headers that the scheme of a source reads a proof from. */
function proofsOf(scheme: VerificationScheme): readonly string[] {
  if (scheme.kind === 'hmac' || scheme.kind === 'ecdsa') return [scheme.signatureHeader.toLowerCase()];
  return scheme.kind === 'header' ? [scheme.header.toLowerCase()] : [];
}

/**
 * The headers that are stored with a delivery, for its mapping: without credentials and signatures, names in lower case,
 * values of repeated headers joined by `, ` and cut at 1 KiB.
 * @returns JSON text of an object
 */
export function keptHeaders(pairs: Pairs, scheme: VerificationScheme): string {
  const proofs = new Set(proofsOf(scheme));
  const kept = new Map<string, string>();
  for (const [given, value] of pairs) {
    const name = given.toLowerCase();
    if (proofs.has(name) || UNSAFE.test(name) || (kept.size >= MAX_HEADERS && !kept.has(name))) continue;
    const before = kept.get(name);
    kept.set(name, (before === undefined ? value : `${before}, ${value}`).slice(0, MAX_VALUE));
  }
  return JSON.stringify(Object.fromEntries(kept));
}
