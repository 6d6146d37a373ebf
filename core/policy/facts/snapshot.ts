import { createHash } from 'node:crypto';
import { isDigest, type Digest } from '../../json/digest.ts';
import { jcs } from '../../json/jcs.ts';
import { digestOfText } from '../../manifest/digest.ts';
import type { Facts } from '../language/port.ts';
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

/** The digest of stored facts: `sha256(salt ‖ facts)`. */
export function saltedDigest(salt: Uint8Array, facts: string): Digest {
  const digest = `sha256:${createHash('sha256').update(salt).update(facts).digest('hex')}`;
  if (!isDigest(digest)) throw new TypeError('SHA-256 is 64 hexadecimal digits');
  return digest;
}

/**
 * @param added what the phase adds: all facts of PreFlight, `requestFacts`, `responseFacts`
 * @param salt `SALT_BYTES` random bytes, of this snapshot alone
 */
export function takeSnapshot(phase: Phase, provider: string | null, added: Facts, salt: Uint8Array): FactsSnapshot {
  if (salt.length !== SALT_BYTES) throw new RangeError(`a salt has ${SALT_BYTES} bytes`);
  const facts = jcs(added);
  return { phase, provider, facts, digest: saltedDigest(salt, facts) };
}

/** Whether a stored snapshot is the one of a digest. */
export const isSnapshotOf = (facts: string, salt: Uint8Array, digest: string): boolean =>
  saltedDigest(salt, facts) === digest;

/**
 * The digest that a receipt holds: SHA-256 of the JCS array of `{phase, provider, digest}`.
 * @param snapshots PreFlight, Request for each eligible provider in order of trial, then Response
 */
export const factsDigest = (snapshots: readonly Pick<FactsSnapshot, 'phase' | 'provider' | 'digest'>[]): Digest =>
  digestOfText(jcs(snapshots.map(({ phase, provider, digest }) => ({ phase, provider, digest }))));
