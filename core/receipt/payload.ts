import { decodeUtf8 } from '../json/bytes.ts';
import { jcs } from '../json/jcs.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import { fitsProfile } from './profile.ts';

/** Reasons to refuse a payload, in the order of the tests (trust.md §1.2). */
type PayloadFault = 'payload' | 'profile' | 'not_canonical';

export type ReadPayload =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly code: PayloadFault };

const fault = (code: PayloadFault): ReadPayload => ({ ok: false, code });

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads the payload of a signed document: first UTF-8 and a JSON object, then the profile, then the canonical form. A
 * duplicate key breaks the canonical form, so two values for one key are never accepted.
 */
export function readPayload(bytes: Uint8Array): ReadPayload {
  const text = decodeUtf8(bytes);
  const value = text === undefined ? undefined : parse(text);
  if (!isJsonObject(value)) return fault('payload');
  if (!fitsProfile(value)) return fault('profile');
  return jcs(value) === text ? { ok: true, value } : fault('not_canonical');
}
