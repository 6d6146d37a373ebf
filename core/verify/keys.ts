import type { JsonObject } from '../json/json-value.ts';
import type { Primitives } from '../merkle/primitives.ts';
import { checkHeader, parseJws } from '../receipt/jws.ts';
import { isKeysDocument, publicKeyBytes, type KeysDocument, type PublicJwk } from '../receipt/keys-document.ts';
import { readPayload } from '../receipt/payload.ts';

/** The pinned root of an issuer. */
export interface Root {
  /** RFC 7638 thumbprint. */
  readonly kid: string;
  readonly jwk: PublicJwk;
}

export type OpenedKeys =
  | { readonly ok: true; readonly document: KeysDocument }
  | { readonly ok: false; readonly code: 'unknown_root' | 'keys_invalid' };

const invalid: OpenedKeys = { ok: false, code: 'keys_invalid' };

function asDocument(payload: JsonObject): KeysDocument | undefined {
  if (!isKeysDocument(payload)) return undefined;
  const kids = payload.keys.map((key) => key.kid);
  return new Set(kids).size === kids.length ? payload : undefined;
}

/**
 * Opens the keys document with the pinned root (row 2 of trust.md §3.2): signed by another root is one thing,
 * anything else wrong with it another.
 */
export async function openKeys(jws: string, root: Root, primitives: Primitives): Promise<OpenedKeys> {
  const parts = parseJws(jws);
  const header = parts === undefined ? undefined : checkHeader(parts.header, 'orb-keys+jws');
  const bytes = publicKeyBytes(root.jwk);
  if (parts === undefined || header === undefined || 'fault' in header || bytes === undefined) return invalid;
  if (header.kid !== root.kid) return { ok: false, code: 'unknown_root' };
  if (!(await primitives.ed25519Verify(bytes, parts.signature, parts.signingInput))) return invalid;
  const payload = readPayload(parts.payload);
  const document = payload.ok ? asDocument(payload.value) : undefined;
  return document === undefined ? invalid : { ok: true, document };
}
