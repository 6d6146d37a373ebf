import type { Ledger } from '../../adapters/ledger/port.ts';
import { isJsonObject } from '../../core/json/json-value.ts';

/** What the row of an organisation keeps in its JSON; a member is null when it does not apply. */
export interface ClaimState {
  /** The newest challenge; null: none was asked for. */
  readonly challenge: Challenge | null;
  /** What was proven by DNS; null: nothing yet. */
  readonly proven: Proven | null;
  /** The state before a suspension, which its end gives back. */
  readonly before: 'verified' | 'unverified' | null;
  /** Reason of the newest suspension or of its end. */
  readonly reason: string | null;
}

interface Challenge {
  readonly nonce: string;
  /** End of its validity, ms since epoch. */
  readonly until: number;
  /** Domain whose TXT record is to prove the name. */
  readonly domain: string;
}

export interface Proven {
  readonly domain: string;
  /** Base64 of the Ed25519 key of the TXT record. */
  readonly key: string;
  /** Re-checks that failed in a row. */
  readonly failures: number;
  /** Time of the newest check, ms since epoch. */
  readonly checkedAt: number;
}

const EMPTY: ClaimState = { challenge: null, proven: null, before: null, reason: null };

function challengeOf(value: unknown): Challenge | null {
  if (!isJsonObject(value)) return null;
  const { nonce, until, domain } = value;
  const isWhole = typeof nonce === 'string' && typeof until === 'number' && typeof domain === 'string';
  return isWhole ? { nonce, until, domain } : null;
}

function provenOf(value: unknown): Proven | null {
  if (!isJsonObject(value)) return null;
  const { domain, key, failures, checkedAt } = value;
  if (typeof domain !== 'string' || typeof key !== 'string') return null;
  return typeof failures === 'number' && typeof checkedAt === 'number' ? { domain, key, failures, checkedAt } : null;
}

/** Reads the JSON of a row; members that it lacks are null. */
export function readClaimState(json: string): ClaimState {
  const value: unknown = JSON.parse(json);
  if (!isJsonObject(value)) return EMPTY;
  const { before, reason } = value;
  return {
    challenge: challengeOf(value['challenge']),
    proven: provenOf(value['proven']),
    before: before === 'verified' || before === 'unverified' ? before : null,
    reason: typeof reason === 'string' ? reason : null,
  };
}

type Org = NonNullable<Awaited<ReturnType<Ledger['org']>>>;

/** The proof that is to be checked again; undefined: nothing to check in this state or by this kind of proof. */
export function provenToCheck({ proof, state, json }: Pick<Org, 'proof' | 'state' | 'json'>): Proven | undefined {
  if (proof !== 'dns' || state === 'pending' || state === 'suspended') return undefined;
  return readClaimState(json).proven ?? undefined;
}
