import type { KeyStatus } from '../receipt/keys-document.ts';
import type { SignedRecord } from './signed-record.ts';

/** Why a document is not simply good (trust.md §3.2). */
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
  | 'too_old';

export type Verdict = 'valid' | 'tampered' | 'undecidable' | 'untrusted';

/** The rows of §3.2, in their order; `decision`: of a swap receipt, where it was asked for. */
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
  | 'age';

/** One row: passed, failed with a code, or not made (`null`: nothing to check, or a row before it failed). */
export interface CheckOutcome {
  readonly id: CheckName;
  readonly ok: boolean | null;
  readonly code?: VerifyCode;
}

/** What re-running a decision on its evidence gave. */
export type Explanation =
  /** A manual swap, or one whose evidence was not kept. */
  { readonly kind: 'no-evidence' } | { readonly kind: 'replayed'; readonly follows: boolean; readonly why: string };

/** Everything that a verification found out. */
export interface Verification {
  readonly verdict: Verdict;
  readonly code: VerifyCode;
  /** Exit status of `orb verify`. */
  readonly exit: 0 | 1 | 2 | 3;
  readonly checks: readonly CheckOutcome[];
  /** Rows 3 to 6 passed. */
  readonly signatureValid: boolean;
  /** Present when its bytes are signed and well formed. */
  readonly signed?: SignedRecord;
  /** Whether the decision follows from the evidence, where that was asked for of a swap receipt. */
  readonly explanation?: Explanation;
  readonly key?: { readonly kid: string; readonly status: KeyStatus };
  /** Place in the log, when inclusion was verified. */
  readonly log?: { readonly origin: string; readonly index: number; readonly treeSize: number };
  /** `sequence` of the keys document that was used. */
  readonly sequence?: number;
}

const TAMPERED: ReadonlySet<VerifyCode> = new Set(['signature', 'input', 'output']);
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
]);

/** The verdict that a code leads to. */
export function verdictOf(code: VerifyCode): Verdict {
  if (code === 'ok') return 'valid';
  if (TAMPERED.has(code)) return 'tampered';
  return UNTRUSTED.has(code) ? 'untrusted' : 'undecidable';
}

const EXITS = { valid: 0, tampered: 1, undecidable: 2, untrusted: 3 } as const;

/** Exit status of a verdict: stable and the same in every command (packaging.md §6). */
export const exitOf = (verdict: Verdict): 0 | 1 | 2 | 3 => EXITS[verdict];
