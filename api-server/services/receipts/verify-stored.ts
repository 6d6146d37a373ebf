import type { KeysDocument } from '../../../core/receipt/keys-document.ts';
import type { CheckName, Verification } from '../../../core/verify/verdict.ts';
import { verifyReceipt, type VerifierPrimitives } from '../../../core/verify/verify.ts';

/** Verifies stored receipts like an outside verifier, with the published keys. Holds no state. */
export interface ReceiptVerifier {
  /** @param proof tlog-proof; null while the entry is not in a signed tree, which does not count against the receipt */
  readonly verify: (jws: string, proof: string | null) => Promise<Verification>;
  /** `signature_valid`: rows 3 to 6 of trust.md §3.2 pass. */
  readonly isSigned: (jws: string) => Promise<boolean>;
}

/** @param document opened with the pinned root when the service started (`openKeys`) */
export function createReceiptVerifier(document: KeysDocument, primitives: VerifierPrimitives): ReceiptVerifier {
  const verify = (jws: string, proof: string | null): Promise<Verification> =>
    verifyReceipt({ jws, proof, document }, { allowUnlogged: true }, primitives);
  return { verify, isSigned: async (jws) => (await verify(jws, null)).signatureValid };
}

/**
 * The checks of trust.md §1.6, each with the verifier's rows that it covers. Each failed row shows as a failed check.
 */
const SHOWN: readonly (readonly [id: string, rows: readonly CheckName[]])[] = [
  ['jws', ['jws']],
  ['record', ['record', 'issuer']],
  ['score', ['score']],
  ['key_status', ['key_window', 'key_status']],
  ['inclusion', ['inclusion']],
];

function together(outcomes: readonly (boolean | null)[]): boolean | null {
  if (outcomes.includes(false)) return false;
  return outcomes.includes(null) ? null : true;
}

/** The checks in `GET /receipts/{receipt_id}`, for a swap without the score; null: not made, or pending. */
export const shownChecks = (
  { checks }: Verification,
  kind: 'run' | 'swap',
): readonly { readonly id: string; readonly ok: boolean | null }[] =>
  SHOWN.filter(([id]) => kind === 'run' || id !== 'score').map(([id, rows]) => ({
    id,
    ok: together(checks.filter((check) => rows.includes(check.id)).map(({ ok }) => ok)),
  }));
