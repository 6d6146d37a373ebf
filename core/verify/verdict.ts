import type { Credential } from '../certificate/credential.ts';
import type { KeyStatus } from '../receipt/keys-document.ts';
import type { SignedRecord } from './signed-record.ts';

/** Reasons why a document is not simply good (trust.md §3.2). */
export type VerifyCode =
  | 'ok'
  | 'malformed'
  | 'unknown_root'
  | 'keys_invalid'
  | 'wrong_type'
  | 'unsupported_alg'
  | 'embedded_key'
  | 'unsupported_header'
  | 'unknown_key'
  | 'signature'
  | 'payload'
  | 'profile'
  | 'not_canonical'
  | 'schema'
  | 'issuer'
  | 'score_mismatch'
  | 'decision_mismatch'
  | 'input'
  | 'output'
  | 'not_in_log'
  | 'inclusion'
  | 'checkpoint'
  | 'key_window'
  | 'key_revoked'
  | 'too_old'
  | 'badge_mismatch'
  | 'badge_unknown'
  | 'not_certified'
  | 'expired'
  | 'not_yet_valid'
  | 'revoked';

export type Verdict = 'valid' | 'tampered' | 'undecidable' | 'untrusted';

/**
 * The rows of §3.2, in their order. `decision` exists only for swap receipts, on request; the last three only for
 * certificates, and `badge` only for badges.
 */
export type CheckName =
  | 'bundle'
  | 'keys'
  | 'jws'
  | 'record'
  | 'issuer'
  | 'score'
  | 'decision'
  | 'openings'
  | 'inclusion'
  | 'key_window'
  | 'key_status'
  | 'age'
  | 'badge'
  | 'validity'
  | 'status_list';

/** Result of one row: passed, failed with a code, or not made (`null`: nothing to check, or a row before it failed). */
export interface CheckOutcome {
  readonly id: CheckName;
  readonly ok: boolean | null;
  readonly code?: VerifyCode;
}

/** Result of making a decision again on its evidence. */
export type Explanation =
  /** A manual swap, or a swap without stored evidence. */
  { readonly kind: 'no-evidence' } | { readonly kind: 'replayed'; readonly follows: boolean; readonly why: string };

/** Everything that a verification found. */
export interface Verification {
  readonly verdict: Verdict;
  readonly code: VerifyCode;
  /** Exit status of `orb verify`. */
  readonly exit: 0 | 1 | 2 | 3;
  readonly checks: readonly CheckOutcome[];
  /** Rows 3 to 6 passed. */
  readonly signatureValid: boolean;
  /** Present when its signature and form are good. */
  readonly signed?: SignedRecord;
  /** Present when the document is a certificate whose signature and form are good. */
  readonly certificate?: Credential;
  /** The result for the certificate of a badge, without the image around it. */
  readonly withoutBadge?: { readonly verdict: Verdict; readonly code: VerifyCode };
  /** Whether the decision follows from the evidence. Present for a swap receipt, on request. */
  readonly explanation?: Explanation;
  readonly key?: { readonly kid: string; readonly status: KeyStatus };
  /** Position in the log, when inclusion was verified. */
  readonly log?: { readonly origin: string; readonly index: number; readonly treeSize: number };
}

const TAMPERED: ReadonlySet<VerifyCode> = new Set(['signature', 'input', 'output', 'badge_mismatch']);
const UNTRUSTED: ReadonlySet<VerifyCode> = new Set([
  'issuer',
  'score_mismatch',
  'decision_mismatch',
  'not_in_log',
  'inclusion',
  'checkpoint',
  'key_window',
  'key_revoked',
  'too_old',
  'expired',
  'not_yet_valid',
  'revoked',
]);

/** The verdict for a code. */
export function verdictOf(code: VerifyCode): Verdict {
  if (code === 'ok') return 'valid';
  if (TAMPERED.has(code)) return 'tampered';
  return UNTRUSTED.has(code) ? 'untrusted' : 'undecidable';
}

const EXITS = { valid: 0, tampered: 1, undecidable: 2, untrusted: 3 } as const;

/** Exit status of a verdict: stable, and the same in every command (packaging.md §6). */
export const exitCodeOf = (verdict: Verdict): 0 | 1 | 2 | 3 => EXITS[verdict];
