import { encodeUtf8 } from '../json/bytes.ts';
import { encodeHex } from '../json/hex.ts';
import { jcs } from '../json/jcs.ts';
import type { JsonValue } from '../json/json-value.ts';
import type { Primitives } from '../merkle/primitives.ts';
import { commitmentInput } from '../receipt/commitment.ts';
import type { CommitmentRecord, ReceiptRecord } from '../receipt/record.ts';

/** A caller's disclosure of one field: the salt that the caller received, and the value. */
export interface Opening {
  readonly salt: Uint8Array;
  /** A JSON value, or the raw bytes of anything else. */
  readonly value: { readonly json: JsonValue } | { readonly bytes: Uint8Array };
}

export interface Openings {
  readonly input?: Opening;
  readonly output?: Opening;
}

function bytesOf({ value }: Opening): Uint8Array | undefined {
  if ('bytes' in value) return value.bytes;
  try {
    return encodeUtf8(jcs(value.json));
  } catch {
    return undefined; // not JSON that could have been committed
  }
}

async function fits(opening: Opening, commitment: CommitmentRecord | null, { sha256 }: Primitives): Promise<boolean> {
  const bytes = bytesOf(opening);
  if (commitment === null || bytes === undefined || bytes.length !== commitment.size_bytes) return false;
  return `sha256:${encodeHex(await sha256(commitmentInput(opening.salt, bytes)))}` === commitment.commitment;
}

/** Whether disclosed values match the receipt's commitments (trust.md §1.4). @returns the first that does not match */
export async function checkOpenings(
  openings: Openings,
  record: ReceiptRecord,
  primitives: Primitives,
): Promise<'input' | 'output' | undefined> {
  if (openings.input !== undefined && !(await fits(openings.input, record.input, primitives))) return 'input';
  if (openings.output !== undefined && !(await fits(openings.output, record.output, primitives))) return 'output';
  return undefined;
}
