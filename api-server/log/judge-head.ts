import { ed25519Verify, sha256 } from '../../adapters/keys/primitives.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import { succeeds } from '../../core/merkle/log-origin.ts';
import { openCheckpoint, type Checkpoint } from '../../core/merkle/open-checkpoint.ts';
import { verifyConsistency } from '../../core/merkle/verify-proof.ts';

/** Why a history is in doubt, and the ways out. */
export interface Doubt {
  readonly why: string;
  readonly next: string;
}

/** What a head that is kept outside the ledger says about the ledger. */
export type HeadVerdict =
  /** The ledger goes on where the head is, or beyond. */
  | { readonly kind: 'continues'; readonly size: number }
  /** The head is of a log that was given up for this one (`orb ledger adopt`). */
  | { readonly kind: 'succeeds' }
  /** The ledger is not the one that was signed, or nobody can tell. */
  | ({ readonly kind: 'forked' } & Doubt);

/** A ledger to be judged, as it stands. */
export interface Judged {
  readonly ledger: Pick<Ledger, 'identity' | 'logSize' | 'rootAt' | 'consistencyProof'>;
  /** Public log keys, 32 bytes each. */
  readonly keys: readonly Uint8Array[];
}

const NEWER =
  'Restore the newer ledger (orb ledger restore), or begin a new log from this one: orb ledger adopt --new-origin. Then start again.';
// A new origin is no way out here: nothing says that this head is one of its past.
const UNKNOWN =
  'Restore the keys that belong to it; or, if it was damaged or is of a platform that was given up, delete it. Then start again.';

const forked = (why: string, next = NEWER): HeadVerdict => ({ kind: 'forked', why, next });

/** RFC 6962: the tree of the head is the beginning of the tree of the ledger. */
async function isPrefix({ ledger }: Judged, head: Checkpoint, size: number): Promise<boolean> {
  if (head.size === 0) return true;
  const proof = await ledger.consistencyProof(head.size, size);
  const roots = { root1: head.root, root2: await ledger.rootAt(size) };
  return verifyConsistency({ first: head.size, second: size, ...roots, proof }, { sha256 });
}

/**
 * Proves that a ledger has everything that the head has, unchanged.
 * @throws LedgerError the ledger can't be read
 */
export async function judgeHead(note: string, judged: Judged): Promise<HeadVerdict> {
  const { logOrigin } = judged.ledger.identity;
  const origin = note.slice(0, Math.max(0, note.indexOf('\n')));
  if (succeeds(logOrigin, origin)) return { kind: 'succeeds' };
  const head = await openCheckpoint(note, logOrigin, judged.keys, { sha256, ed25519Verify });
  if (head === undefined)
    return forked(`the head is no checkpoint that a key of this platform signed for ${logOrigin}`, UNKNOWN);
  const size = await judged.ledger.logSize();
  if (size < head.size)
    return forked(`the log had ${head.size} entries when it was last signed, and this ledger has ${size}`);
  return (await isPrefix(judged, head, size))
    ? { kind: 'continues', size: head.size }
    : forked(`the first ${head.size} entries of this ledger are not those that were signed`);
}
