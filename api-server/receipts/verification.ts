/** What was found out about one stored receipt, now. */
export interface Verification {
  readonly verdict: 'valid' | 'tampered' | 'untrusted' | 'undecidable';
  /** `ok`, or the code of the first row of trust.md §3.2 that failed. */
  readonly code: string;
  /** Rows 3 to 6 passed. */
  readonly signatureValid: boolean;
  /** null: not known yet (inclusion of a pending entry). */
  readonly checks: readonly { readonly id: string; readonly ok: boolean | null }[];
  /** As in the keys document; absent: the receipt names no key of it. */
  readonly key: { readonly kid: string; readonly status: string } | undefined;
}

/** Verifies stored receipts as a stranger would, with the published keys document. Holds no state. */
export interface ReceiptVerifier {
  /** @param tlogProof null while the entry is in no signed tree */
  readonly verify: (jws: string, tlogProof: string | null) => Promise<Verification>;
  readonly isSigned: (jws: string) => Promise<boolean>;
}
