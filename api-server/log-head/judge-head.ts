import { ed25519Verify, sha256 } from '../../adapters/keys/primitives.ts';
import type { Ledger, SignedCheckpoint } from '../../adapters/ledger/port.ts';
import { isLaterOrigin } from '../../core/merkle/log-origin.ts';
import { openCheckpoint, type Checkpoint } from '../../core/merkle/open-checkpoint.ts';
import { verifyConsistency } from '../../core/merkle/verify-proof.ts';

/** Why a history is in doubt, and how to resolve it. */
export interface Doubt {
  readonly why: string;
  readonly next: string;
}

/** The result of comparing the ledger with a head that is kept outside it. */
export type HeadVerdict =
  /** The ledger holds everything under the head, and perhaps more. */
  | { readonly kind: 'continues'; readonly size: number }
  /** The head belongs to a log that was given up for this one (`orb ledger adopt`). */
  | { readonly kind: 'succeeds' }
  /** The ledger is not the signed one, or this can't be determined. */
  | ({ readonly kind: 'forked' } & Doubt);

/** The ledger that is judged, in its present state. */
export interface JudgedLedger {
  readonly ledger: Pick<Ledger, 'identity' | 'logSize' | 'rootAt' | 'consistencyProof'>;
  /** Public log keys, 32 bytes each. */
  readonly keys: readonly Uint8Array[];
}

const NEWER =
  'Restore the newer ledger (orb ledger restore), or begin a new log from this one: orb ledger adopt --new-origin. Then start again.';
// A new origin does not help here: this head may not be part of its past.
const UNKNOWN =
  'Restore the keys that belong to it. If it was damaged, or belongs to an abandoned platform, delete it. Then start again.';
// A new origin does not help here either: with other keys, old receipts still can't be verified.
const OTHER_KEYS =
  'Restore the keys that belong to it. Other keys need another ledger: its receipts could not be verified with them. Then start again.';

const forked = (why: string, next = NEWER): HeadVerdict => ({ kind: 'forked', why, next });

/** RFC 6962: the tree of the head is the beginning of the tree of the ledger. */
async function isPrefix({ ledger }: JudgedLedger, head: Checkpoint, size: number): Promise<boolean> {
  if (head.size === 0) return true;
  try {
    const proof = await ledger.consistencyProof(head.size, size);
    const roots = { root1: head.root, root2: await ledger.rootAt(size) };
    return await verifyConsistency({ first: head.size, second: size, ...roots, proof }, { sha256 });
  } catch (error) {
    if (error instanceof RangeError) return false; // a tile is missing or too short: another try finds the same
    throw error;
  }
}

/**
 * Checks whether these keys signed the ledger. When the head is deleted too, this is the only evidence.
 * @param newest checkpoint of the ledger
 */
export async function judgeKeys(
  newest: SignedCheckpoint | undefined,
  { ledger, keys }: JudgedLedger,
): Promise<Doubt | undefined> {
  if (newest === undefined) return undefined;
  const opened = await openCheckpoint(newest.note, ledger.identity.logOrigin, keys, { sha256, ed25519Verify });
  if (opened !== undefined) return undefined;
  return { why: 'the ledger was signed with other keys than those of this platform', next: OTHER_KEYS };
}

/**
 * Proves that a ledger holds all entries of the head, unchanged.
 * @throws LedgerError the ledger can't be read
 */
export async function judgeHead(note: string, judged: JudgedLedger): Promise<HeadVerdict> {
  const { logOrigin } = judged.ledger.identity;
  const origin = note.slice(0, Math.max(0, note.indexOf('\n')));
  const isPast = isLaterOrigin(logOrigin, origin);
  const head = await openCheckpoint(note, isPast ? origin : logOrigin, judged.keys, { sha256, ed25519Verify });
  if (head === undefined)
    return forked(`the head is no checkpoint that a key of this platform signed for ${logOrigin}`, UNKNOWN);
  if (isPast) return { kind: 'succeeds' };
  const size = await judged.ledger.logSize();
  if (size < head.size)
    return forked(`the log had ${head.size} entries when it was last signed, and this ledger has ${size}`);
  return (await isPrefix(judged, head, size))
    ? { kind: 'continues', size: head.size }
    : forked(`the first ${head.size} entries of this ledger are not those that were signed`);
}
