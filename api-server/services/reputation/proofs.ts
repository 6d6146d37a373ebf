import { LedgerError, type Ledger } from '../../../adapters/ledger/port.ts';
import { proofOf, type Proof } from '../receipts/receipt-view.ts';

/** Proofs that are kept, 1 kB each. */
const MAX_PROOFS = 2000;

/** Reads the proof of a log entry. */
export interface Proofs {
  /** @returns undefined: the entry is not in a signed tree yet @throws LedgerError the ledger is away */
  readonly of: (index: number | null) => Promise<Proof | undefined>;
  /** The same; undefined also while the ledger is away. */
  readonly ifKnown: (index: number | null) => Promise<Proof | undefined>;
}

/** Keeps proofs: that against the first checkpoint which covers an entry never changes. */
export function keptProofs(ledger: Pick<Ledger, 'checkpointCovering' | 'inclusionProof'>): Proofs {
  const kept = new Map<number, Proof>();
  async function of(index: number | null): Promise<Proof | undefined> {
    const known = index === null ? undefined : kept.get(index);
    if (known !== undefined) return known;
    const proof = await proofOf(ledger, index);
    if (proof === undefined) return undefined;
    const [oldest] = kept.size < MAX_PROOFS ? [] : kept.keys();
    if (oldest !== undefined) kept.delete(oldest);
    kept.set(proof.index, proof);
    return proof;
  }
  async function ifKnown(index: number | null): Promise<Proof | undefined> {
    try {
      return await of(index);
    } catch (error) {
      if (error instanceof LedgerError) return undefined;
      throw error;
    }
  }
  return { of, ifKnown };
}
