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

/** Whether a text is the canonical form of the value that it was parsed to. A lone surrogate has no canonical form. */
function isCanonical(value: JsonObject, text: string): boolean {
  try {
    return jcs(value) === text;
  } catch {
    return false;
  }
}

/**
 * Reads the payload of a signed document: first UTF-8 and a JSON object, then the profile, then the canonical form. A
 * duplicate key breaks the canonical form, so two values for one key are never accepted.
 * @param hasProfile false for a credential: names such as `@context` are outside the profile (trust.md §1.3)
 */
export function readPayload(bytes: Uint8Array, hasProfile = true): ReadPayload {
  const text = decodeUtf8(bytes);
  const value = text === undefined ? undefined : parse(text);
  if (text === undefined || !isJsonObject(value)) return fault('payload');
  if (hasProfile && !fitsProfile(value)) return fault('profile');
  return isCanonical(value, text) ? { ok: true, value } : fault('not_canonical');
}
