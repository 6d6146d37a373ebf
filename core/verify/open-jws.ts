import type { JsonObject } from '../json/json-value.ts';
import type { Primitives } from '../merkle/primitives.ts';
import { checkHeader, type JwsParts, type JwsType } from '../receipt/jws.ts';
import { publicKeyBytes, type KeyRole, type PublishedKey } from '../receipt/keys-document.ts';
import { readPayload } from '../receipt/payload.ts';
import type { CheckRow } from './rows.ts';
import type { VerifyCode } from './verdict.ts';

export type OpenedJws =
  | { readonly ok: true; readonly payload: JsonObject; readonly key: PublishedKey }
  | { readonly ok: false; readonly code: VerifyCode; readonly key?: PublishedKey };

/** Expected document type, and the role of its keys: a key of one role never verifies another type. */
export interface ExpectedJws {
  readonly type: JwsType;
  readonly role: KeyRole;
}

/**
 * Opens a signed document: rows 3 to 6 of trust.md §3.2 without the schema.
 * @param parts from `parseJws`
 * @param keys of any role; only the key of the expected role with the header's `kid` counts
 */
export async function openJws(
  parts: JwsParts | undefined,
  expected: ExpectedJws,
  keys: readonly PublishedKey[],
  primitives: Primitives,
): Promise<OpenedJws> {
  if (parts === undefined) return { ok: false, code: 'malformed' };
  const header = checkHeader(parts.header, expected.type);
  if ('fault' in header) return { ok: false, code: header.fault };
  const key = keys.find((candidate) => candidate.kid === header.kid && candidate.role === expected.role);
  const bytes = key === undefined ? undefined : publicKeyBytes(key.jwk);
  if (key === undefined || bytes === undefined) return { ok: false, code: 'unknown_key' };
  if (!(await primitives.ed25519Verify(bytes, parts.signature, parts.signingInput)))
    return { ok: false, code: 'signature', key };
  const payload = readPayload(parts.payload, expected.type !== 'vc+jwt');
  return payload.ok ? { ok: true, payload: payload.value, key } : { ok: false, code: payload.code, key };
}

const IN_RECORD: ReadonlySet<VerifyCode> = new Set(['payload', 'profile', 'not_canonical']);

/** The rows of a document that does not open: 3 to 5 for its signature, 6 for its content. */
export const openingRows = (code: VerifyCode): { readonly jws: CheckRow; readonly record?: CheckRow } =>
  IN_RECORD.has(code) ? { jws: 'pass', record: code } : { jws: code };
