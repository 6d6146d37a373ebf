import { hash } from 'node:crypto';
import { isDigest, type Digest } from '../../json/digest.ts';
import { digestOfText } from '../../manifest/digest.ts';
import type { Phase } from './fact-schema.ts';

/** Bytes of the salt of a snapshot: facts have few values and could be guessed from their digest. */
export const SALT_BYTES = 16;

/** The facts that one phase adds, as they are stored beside a run (policy.md §4). */
export interface FactsSnapshot {
  readonly phase: Phase;
  /** Only of phase Request. */
  readonly provider: string | null;
  /** Canonical JSON. */
  readonly facts: string;
  /** `sha256(salt ‖ facts)`. */
  readonly digest: Digest;
}

/** Room for what is hashed: most facts take 1 kB, and memory of their own would take as long as the hash. */
const ROOM = Buffer.allocUnsafeSlow(16_384);

/** The most bytes of a UTF-16 unit in UTF-8. */
const MOST_BYTES = 3;

function salted(salt: Uint8Array, facts: string): Uint8Array {
  const most = salt.length + facts.length * MOST_BYTES;
  const bytes = most <= ROOM.length ? ROOM : Buffer.allocUnsafe(most);
  bytes.set(salt);
  return bytes.subarray(0, salt.length + bytes.write(facts, salt.length));
}

/** The digest of stored facts: `sha256(salt ‖ facts)`. */
export function saltedDigest(salt: Uint8Array, facts: string): Digest {
  const bytes = salted(salt, facts);
  const digest = `sha256:${hash('sha256', bytes, 'hex')}`;
  if (!isDigest(digest)) throw new TypeError('SHA-256 is 64 hexadecimal digits');
  return digest;
}

/**
 * @param facts canonical JSON of what the phase adds: all facts of PreFlight, `requestFacts`, `responseFacts`
 * @param salt `SALT_BYTES` random bytes, of this snapshot alone
 */
export function takeSnapshot(phase: Phase, provider: string | null, facts: string, salt: Uint8Array): FactsSnapshot {
  if (salt.length !== SALT_BYTES) throw new RangeError(`a salt has ${SALT_BYTES} bytes`);
  return { phase, provider, facts, digest: saltedDigest(salt, facts) };
}

/** Whether a stored snapshot is the one of a digest. */
export const isSnapshotOf = (facts: string, salt: Uint8Array, digest: string): boolean =>
  saltedDigest(salt, facts) === digest;

/** Members in the order of their names, and texts: that is the canonical form. */
const memberOf = ({ phase, provider, digest }: Pick<FactsSnapshot, 'phase' | 'provider' | 'digest'>): string =>
  `{"digest":"${digest}","phase":"${phase}","provider":${provider === null ? 'null' : JSON.stringify(provider)}}`;

/**
 * The digest that a receipt holds: SHA-256 of the JCS array of `{phase, provider, digest}`.
 * @param snapshots PreFlight, Request for each eligible provider in order of trial, then Response
 */
export const factsDigest = (snapshots: readonly Pick<FactsSnapshot, 'phase' | 'provider' | 'digest'>[]): Digest =>
  digestOfText(`[${snapshots.map(memberOf).join(',')}]`);
