import { encodeBase64Url } from '../json/base64.ts';
import type { Primitives } from '../merkle/primitives.ts';
import { checkHeader, parseJws, type JwsParts } from '../receipt/jws.ts';
import {
  isKeysDocument,
  publicKeyBytes,
  thumbprintInput,
  type KeysDocument,
  type PublicJwk,
} from '../receipt/keys-document.ts';
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

/** Whether each key is named by its own thumbprint, once, and only a revoked key has a time of revocation. */
async function hasValidKeys({ keys }: KeysDocument, { sha256 }: Primitives): Promise<boolean> {
  if (new Set(keys.map((key) => key.kid)).size !== keys.length) return false;
  if (keys.some((key) => key.status !== 'revoked' && (key.revoked_at ?? key.revoked_log_index) !== null)) return false;
  for (const { kid, jwk } of keys) {
    if (kid !== encodeBase64Url(await sha256(thumbprintInput(jwk)))) return false;
  }
  return true;
}

async function isSigned(parts: JwsParts, { jwk }: Root, { ed25519Verify }: Primitives): Promise<boolean> {
  const key = publicKeyBytes(jwk);
  return key !== undefined && ed25519Verify(key, parts.signature, parts.signingInput);
}

/**
 * Opens the keys document with the pinned root (row 2 of trust.md §3.2). A document signed by another root is
 * `unknown_root`; any other fault is invalid.
 */
export async function openKeys(jws: string, root: Root, primitives: Primitives): Promise<OpenedKeys> {
  const parts = parseJws(jws);
  const header = parts === undefined ? undefined : checkHeader(parts.header, 'orb-keys+jws');
  if (parts === undefined || header === undefined || 'fault' in header) return invalid;
  if (header.kid !== root.kid) return { ok: false, code: 'unknown_root' };
  if (!(await isSigned(parts, root, primitives))) return invalid;
  const payload = readPayload(parts.payload);
  if (!payload.ok || !isKeysDocument(payload.value)) return invalid;
  return (await hasValidKeys(payload.value, primitives)) ? { ok: true, document: payload.value } : invalid;
}
