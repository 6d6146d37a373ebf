import { encodeUtf8 } from '../json/bytes.ts';
import { encodeHex } from '../json/hex.ts';
import { leafInput } from '../merkle/hash.ts';
import { openCheckpoint, type Checkpoint } from '../merkle/open-checkpoint.ts';
import type { Primitives } from '../merkle/primitives.ts';
import { parseTlogProof, type TlogProof } from '../merkle/tlog-proof.ts';
import { verifyInclusion } from '../merkle/verify-proof.ts';
import { publicKeyBytes, type KeysDocument } from '../receipt/keys-document.ts';

export type InclusionResult =
  | { readonly ok: true; readonly index: number; readonly treeSize: number }
  | { readonly ok: false; readonly code: 'inclusion' | 'checkpoint' };

const publicKeysOf = (keys: KeysDocument['keys']): readonly Uint8Array[] =>
  keys.map((key) => publicKeyBytes(key.jwk)).filter((bytes) => bytes !== undefined);

/**
 * Every key that ever signed the log, 32 bytes each. A reader of the whole tree compares it with a checkpoint, so the
 * signer needs no trust. A platform that revoked a key continues its ledger (trust.md §3.1).
 */
export const allLogKeys = (document: KeysDocument): readonly Uint8Array[] =>
  publicKeysOf(document.keys.filter(({ role }) => role === 'log'));

/**
 * Keys that a checkpoint may be signed with, 32 bytes each. A retired key is accepted: it signed what came before it. A
 * revoked key is not: offline, an old checkpoint looks the same as one made with a stolen key.
 */
export const trustedLogKeys = (document: KeysDocument): readonly Uint8Array[] =>
  publicKeysOf(document.keys.filter(({ role, status }) => role === 'log' && status !== 'revoked'));

async function included(
  entry: string,
  proof: TlogProof,
  checkpoint: Checkpoint,
  primitives: Primitives,
): Promise<boolean> {
  const leaf = await primitives.sha256(leafInput(encodeUtf8(entry)));
  const { size, root } = checkpoint;
  return verifyInclusion({ index: proof.index, size, leaf, proof: proof.hashes, root }, primitives);
}

/**
 * Row 10 of trust.md §3.2: proof text, checkpoint, inclusion, in this order.
 * @param jws the signed document
 * @param entriesOf the entries that the log may hold for it, by the hexadecimal SHA-256 of the document
 */
export async function checkInclusion(
  jws: string,
  entriesOf: (jwsSha256: string) => Iterable<string>,
  { proof: proofText, document }: { readonly proof: string; readonly document: KeysDocument },
  primitives: Primitives,
): Promise<InclusionResult> {
  const proof = parseTlogProof(proofText);
  if (proof === undefined) return { ok: false, code: 'inclusion' };
  const checkpoint = await openCheckpoint(proof.checkpoint, document.log_origin, trustedLogKeys(document), primitives);
  if (checkpoint === undefined) return { ok: false, code: 'checkpoint' };
  const jwsSha256 = encodeHex(await primitives.sha256(encodeUtf8(jws)));
  for (const entry of entriesOf(jwsSha256)) {
    if (await included(entry, proof, checkpoint, primitives))
      return { ok: true, index: proof.index, treeSize: checkpoint.size };
  }
  return { ok: false, code: 'inclusion' };
}
