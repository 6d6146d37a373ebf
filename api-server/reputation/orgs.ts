import { createPublicKey, verify } from 'node:crypto';
import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { decodeBase64, encodeBase64Url } from '../../core/json/base64.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { entryText, type EntryOf } from '../../core/log-entry/entry.ts';
import { claimText, domainProves, readDnsProof } from '../../core/publication/dns-proof.ts';
import { refusedName } from '../../core/publication/owner.ts';
import type { Listings } from './listings.ts';

/** Texts of the TXT records at a name; each record is one joined text. Rejects when there is no answer. */
export type ResolveTxt = (name: string) => Promise<readonly string[]>;

export interface OrgParts {
  readonly ledger: Pick<Ledger, 'putOrg' | 'org'>;
  readonly listings: Listings;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly random: (bytes: number) => Uint8Array;
  readonly resolveTxt: ResolveTxt;
  /** Evaluates the Orbs of an organisation soon. */
  readonly changed: (org: string) => void;
}

/** What a claim keeps beside its row. */
interface ClaimState {
  readonly nonce: string;
  /** ms since epoch. */
  readonly nonceUntil: number;
  /** Base64 of the proven Ed25519 key; null before the first proof. */
  readonly key: string | null;
  /** Whose TXT record proves it. */
  readonly domain: string;
  /** Re-checks that failed in a row. */
  readonly failures: number;
  /** Last check, ms since epoch. */
  readonly checkedAt: number;
}

const UNPROVEN = { key: null, failures: 0, checkedAt: 0 } as const;

const NONCE_MS = 24 * 3_600_000;
/** Re-checks that may fail before the organisation is unverified. */
const MAX_FAILURES = 3;

/** Result of a claim. */
export type Claimed =
  | { readonly kind: 'claimed'; readonly nonce: string; readonly until: number }
  | { readonly kind: 'taken' }
  | { readonly kind: 'confusable'; readonly why: string }
  /** The domain can't prove this name. */
  | { readonly kind: 'other-domain' };

/** Result of a verification. */
export type OrgVerified =
  | { readonly kind: 'verified' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'taken' }
  | { readonly kind: 'failed'; readonly why: string };

/** Result of a suspension or of its end. */
export type OrgStatusChanged =
  | { readonly kind: 'done'; readonly logIndex: number }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused' };

function stateOf(json: string): ClaimState | undefined {
  const value: unknown = JSON.parse(json);
  if (!isJsonObject(value)) return undefined;
  const { nonce, nonceUntil, key, domain, failures, checkedAt } = value;
  if (typeof nonce !== 'string' || typeof nonceUntil !== 'number' || typeof domain !== 'string') return undefined;
  return {
    nonce,
    nonceUntil,
    key: typeof key === 'string' ? key : null,
    domain,
    failures: typeof failures === 'number' ? failures : 0,
    checkedAt: typeof checkedAt === 'number' ? checkedAt : 0,
  };
}

/** An Ed25519 public key as SPKI begins with these bytes (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

function signatureFits(key: string, text: string, signature: string): boolean {
  const [raw, bytes] = [decodeBase64(key), decodeBase64(signature)];
  if (raw?.length !== 32 || bytes?.length !== 64) return false;
  try {
    const publicKey = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, raw]), format: 'der', type: 'spki' });
    return verify(null, Buffer.from(text), publicKey, bytes);
  } catch {
    return false;
  }
}

/** Claims and proofs of organisations (trust.md §8.1). */
export class Orgs {
  readonly #parts: OrgParts;

  constructor(parts: OrgParts) {
    this.#parts = parts;
  }

  /** Begins a claim by DNS, or gives a new challenge for one. @throws LedgerError */
  async claim(org: string, tenant: string, domain: string): Promise<Claimed> {
    if (!domainProves(domain, org)) return { kind: 'other-domain' };
    const { ledger, listings, clock, random } = this.#parts;
    const known = await ledger.org(org);
    const own = known?.namespace === tenant ? known : undefined;
    const refusal = this.#claimRefusal(org, known, tenant);
    if (refusal !== undefined) return refusal;
    const nonce = encodeBase64Url(random(16));
    const until = clock.now() + NONCE_MS;
    const state: ClaimState = { ...UNPROVEN, ...(known && stateOf(known.json)), domain, nonce, nonceUntil: until };
    const fresh = { org, namespace: tenant, proof: 'dns', state: 'pending', since: clock.now() } as const;
    const row = { ...fresh, ...(own && rowOf(own)), json: JSON.stringify(state) };
    const result = await ledger.putOrg(row, known?.json ?? null, []);
    await listings.refresh();
    return result.kind === 'done' ? { kind: 'claimed', nonce, until } : this.claim(org, tenant, domain);
  }

  #claimRefusal(org: string, known: Row | undefined, tenant: string): Claimed | undefined {
    if (known?.namespace === tenant) return undefined;
    if (known !== undefined && known.state !== 'pending') return { kind: 'taken' };
    const why = refusedName(org, this.#parts.listings.allOrgs());
    return why === undefined ? undefined : { kind: 'confusable', why };
  }

  /** Looks the TXT record up, and checks that its key signed the challenge. @throws LedgerError */
  async verify(org: string, tenant: string, signature: string): Promise<OrgVerified> {
    const { ledger, listings, clock, changed } = this.#parts;
    const known = await ledger.org(org);
    const state = known && stateOf(known.json);
    if (known === undefined || state === undefined || known.namespace !== tenant) return { kind: 'unknown' };
    const now = clock.now();
    const key = await this.#provenKey({ known, state, tenant, now }, signature);
    if (key.length !== KEY_LENGTH) return { kind: 'failed', why: key };
    const wasVerified = known.state === 'verified';
    const json = JSON.stringify({ ...state, key, failures: 0, checkedAt: now });
    const row = { ...rowOf(known), state: 'verified', since: wasVerified ? known.since : now, json } as const;
    const result = await ledger.putOrg(row, known.json, wasVerified ? [] : [orgEntry(org, 'verified', 'dns', now)]);
    await listings.refresh();
    if (result.kind !== 'done') return { kind: 'taken' };
    changed(org);
    return { kind: 'verified' };
  }

  /** @returns the key that signed the challenge, or why there is none */
  async #provenKey({ known, state, tenant, now }: Claim, signature: string): Promise<string> {
    const { org } = known;
    if (known.state === 'suspended') return 'The platform suspended the organisation.';
    if (now > state.nonceUntil) return 'The challenge is older than 24 hours: claim again.';
    const refusal = known.state === 'pending' ? refusedName(org, this.#parts.listings.allOrgs()) : undefined;
    if (refusal !== undefined) return refusal;
    const key = await this.#keyOf(org, state.domain);
    if (key === undefined)
      return `${state.domain} has no TXT record “v=ORBv1; org=${org}; k=ed25519; p=<base64 of the public key>”.`;
    return signatureFits(key, claimText(org, tenant, state.nonce), signature)
      ? key
      : 'The key of the TXT record did not sign this challenge.';
  }

  /** Suspends an organisation with all its Orbs, or ends that. @throws LedgerError */
  async setStatus(org: string, status: 'suspended' | 'restored', reason: string): Promise<OrgStatusChanged> {
    const { ledger, listings, clock } = this.#parts;
    const known = await ledger.org(org);
    if (known === undefined) return { kind: 'unknown' };
    if ((known.state === 'suspended') === (status === 'suspended')) return { kind: 'refused' };
    const now = clock.now();
    const json = JSON.stringify({ ...readMembers(known.json), reason });
    const row = {
      ...rowOf(known),
      state: status === 'suspended' ? 'suspended' : 'verified',
      since: now,
      json,
    } as const;
    const result = await ledger.putOrg(row, known.json, [orgEntry(org, status, known.proof, now)]);
    await listings.refresh();
    if (result.kind !== 'done') return { kind: 'refused' };
    this.#parts.changed(org);
    return { kind: 'done', logIndex: result.logIndex ?? 0 };
  }

  /** Checks the record of a proven organisation again; after three failures in a row it is unverified. @throws LedgerError */
  async recheck(org: string): Promise<void> {
    const { ledger, listings, clock, logger, changed } = this.#parts;
    const known = await ledger.org(org);
    const state = known && stateOf(known.json);
    if (known === undefined || state === undefined || !isRechecked(known)) return;
    const now = clock.now();
    const holds = (await this.#keyOf(org, state.domain)) === state.key;
    const failures = holds ? 0 : state.failures + 1;
    if (!holds) logger.warn('the proof of an organisation does not hold', { org, failures });
    const moved = stateAfter(known.state, holds, failures);
    const json = JSON.stringify({ ...state, failures, checkedAt: now });
    const row = moved === known.state ? rowOf(known) : { ...rowOf(known), state: moved, since: now };
    const entries = moved === known.state ? [] : [orgEntry(org, moved, 'dns', now)];
    await ledger.putOrg({ ...row, json }, known.json, entries);
    await listings.refresh();
    if (entries.length > 0) changed(org);
  }

  /** @returns the key of the TXT record, base64; undefined: there is none */
  async #keyOf(org: string, domain: string): Promise<string | undefined> {
    const records = await this.#parts.resolveTxt(domain).catch(() => []);
    return records.map((record) => readDnsProof(record, org)).find((found) => found !== undefined);
  }
}

/** A claim that is being proven. */
interface Claim {
  readonly known: Row;
  readonly state: ClaimState;
  readonly tenant: string;
  /** ms since epoch */
  readonly now: number;
}

/** Characters of a key of 32 bytes in base64; no sentence about a failure is as short. */
const KEY_LENGTH = 44;

const isRechecked = ({ proof, state }: Row): boolean =>
  proof === 'dns' && (state === 'verified' || state === 'unverified');

/** State of a proven organisation after a check of its record. */
function stateAfter(state: Row['state'], holds: boolean, failures: number): 'verified' | 'unverified' {
  if (holds) return 'verified';
  return state === 'unverified' || failures >= MAX_FAILURES ? 'unverified' : 'verified';
}

const readMembers = (json: string): object => {
  const value: unknown = JSON.parse(json);
  return isJsonObject(value) ? value : {};
};

type Row = NonNullable<Awaited<ReturnType<Ledger['org']>>>;

const rowOf = ({ org, namespace, proof, state, since, json }: Row): Omit<Row, 'change'> => ({
  org,
  namespace,
  proof,
  state,
  since,
  json,
});

const orgEntry = (org: string, event: EntryOf<'org'>['event'], proof: string, now: number): string =>
  entryText({ kind: 'org', org, event, proof, at: new Date(now).toISOString() });
