import type { Ledger } from '../../adapters/ledger/port.ts';
import { isJsonObject } from '../../core/json/json-value.ts';

/** What the row of an organisation keeps in its JSON; a member is null when it does not apply. */
export interface ClaimState {
  /** What was proven by DNS; null: nothing yet. */
  readonly proven: Proven | null;
  /** The state before a suspension, which its end gives back. */
  readonly before: 'verified' | 'unverified' | null;
  /** Reason of the newest suspension or of its end. */
  readonly reason: string | null;
}

/** What an open claim keeps in its JSON. */
export interface Challenge {
  readonly nonce: string;
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

export const EMPTY_CLAIM_STATE: ClaimState = { proven: null, before: null, reason: null };

/** Reads the JSON of an open claim; undefined: it has no challenge. */
export function readChallenge(json: string): Challenge | undefined {
  const value: unknown = JSON.parse(json);
  if (!isJsonObject(value)) return undefined;
  const { nonce, domain } = value;
  return typeof nonce === 'string' && typeof domain === 'string' ? { nonce, domain } : undefined;
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
  if (!isJsonObject(value)) return EMPTY_CLAIM_STATE;
  const { before, reason } = value;
  return {
    proven: provenOf(value['proven']),
    before: before === 'verified' || before === 'unverified' ? before : null,
    reason: typeof reason === 'string' ? reason : null,
  };
}

type Org = NonNullable<Awaited<ReturnType<Ledger['org']>>>;

/** The proof that is to be checked again; undefined: nothing to check in this state or by this kind of proof. */
export function provenToCheck({ proof, state, json }: Pick<Org, 'proof' | 'state' | 'json'>): Proven | undefined {
  if (proof !== 'dns' || state === 'suspended') return undefined;
  return readClaimState(json).proven ?? undefined;
}
