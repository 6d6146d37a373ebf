import type { PublishedKey } from '../receipt/keys-document.ts';
import type { InclusionResult } from './inclusion.ts';
import type { CheckRow } from './rows.ts';

/** The proof of a document: its result, none and none needed, or none although it is needed. */
export type Logged = InclusionResult | 'not_in_log' | 'none';

export const passIf = (good: boolean, code: CheckRow): CheckRow => (good ? 'pass' : code);

/** Row 10 of trust.md §3.2. */
export function inclusionRow(logged: Logged): CheckRow {
  if (typeof logged === 'string') return logged;
  return logged.ok ? 'pass' : logged.code;
}

/** Row 11: the key was in use when the document was issued. @param issuedAt ISO time */
export function windowRow(issuedAt: string, key: PublishedKey): CheckRow {
  const issued = Date.parse(issuedAt);
  const begun = issued >= Date.parse(key.not_before);
  const ended = key.not_after !== null && issued > Date.parse(key.not_after);
  return passIf(begun && !ended, 'key_window');
}

/** Row 12: a revoked key is valid only below the log index of its revocation. Without a proven index the row fails. */
export function statusRow(key: PublishedKey, logged: Logged): CheckRow {
  if (key.status !== 'revoked') return 'pass';
  const index = typeof logged === 'object' && logged.ok ? logged.index : undefined;
  return passIf(index !== undefined && key.revoked_log_index !== null && index < key.revoked_log_index, 'key_revoked');
}

/** Place of a document in the log, when its proof is good. */
export const placeOf = (
  logged: Logged,
  origin: string,
): { readonly log?: { readonly origin: string; readonly index: number; readonly treeSize: number } } =>
  typeof logged === 'object' && logged.ok ? { log: { origin, index: logged.index, treeSize: logged.treeSize } } : {};
