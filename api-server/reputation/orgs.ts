import { createPublicKey, verify } from 'node:crypto';
import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { decodeBase64, encodeBase64Url } from '../../core/json/base64.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { entryText, type EntryOf } from '../../core/log-entry/entry.ts';
import { claimText, domainProves, readDnsProof } from '../../core/publication/dns-proof.ts';
import { refusedName, type KnownOrg } from '../../core/publication/owner.ts';
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
    const isOwn = known?.namespace === tenant;
    if (known !== undefined && known.state !== 'pending' && !isOwn) return { kind: 'taken' };
    const others: Iterable<KnownOrg> = listings.allOrgs();
    const why = isOwn ? undefined : refusedName(org, others);
    if (why !== undefined) return { kind: 'confusable', why };
    const before = known === undefined ? undefined : stateOf(known.json);
    const nonce = encodeBase64Url(random(16));
    const until = clock.now() + NONCE_MS;
    const state: ClaimState = { failures: 0, checkedAt: 0, key: null, ...before, domain, nonce, nonceUntil: until };
    const row = {
      org,
      namespace: tenant,
      proof: 'dns',
      state: isOwn ? known.state : 'pending',
      since: isOwn ? known.since : clock.now(),
      json: JSON.stringify(state),
    } as const;
    const result = await ledger.putOrg(row, known?.json ?? null, []);
    await listings.refresh();
    return result.kind === 'done' ? { kind: 'claimed', nonce, until } : this.claim(org, tenant, domain);
  }

  /** Looks the TXT record up, and checks that its key signed the challenge. @throws LedgerError */
  async verify(org: string, tenant: string, signature: string): Promise<OrgVerified> {
    const { ledger, listings, clock } = this.#parts;
    const known = await ledger.org(org);
    const state = known && stateOf(known.json);
    if (known === undefined || state === undefined || known.namespace !== tenant) return { kind: 'unknown' };
    if (known.state === 'suspended') return { kind: 'failed', why: 'The platform suspended the organisation.' };
    const now = clock.now();
    if (now > state.nonceUntil) return { kind: 'failed', why: 'The challenge is older than 24 hours: claim again.' };
    const others: Iterable<KnownOrg> = listings.allOrgs();
    const refusal = known.state === 'pending' ? refusedName(org, others) : undefined;
    if (refusal !== undefined) return { kind: 'failed', why: refusal };
    const proof = await this.#lookUp(org, state.domain);
    if (typeof proof === 'string') return { kind: 'failed', why: proof };
    if (!signatureFits(proof.key, claimText(org, tenant, state.nonce), signature))
      return { kind: 'failed', why: 'The key of the TXT record did not sign this challenge.' };
    const next: ClaimState = { ...state, key: proof.key, failures: 0, checkedAt: now };
    const wasVerified = known.state === 'verified';
    const row = {
      ...rowOf(known),
      state: 'verified',
      since: wasVerified ? known.since : now,
      json: JSON.stringify(next),
    } as const;
    const result = await ledger.putOrg(row, known.json, wasVerified ? [] : [orgEntry(org, 'verified', 'dns', now)]);
    await listings.refresh();
    if (result.kind !== 'done') return { kind: 'taken' };
    this.#parts.changed(org);
    return { kind: 'verified' };
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

  /** Checks the record of a verified organisation again; after three failures in a row it is unverified. @throws LedgerError */
  async recheck(org: string): Promise<void> {
    const { ledger, listings, clock, logger, changed } = this.#parts;
    const known = await ledger.org(org);
    const state = known && stateOf(known.json);
    if (known?.proof !== 'dns' || state === undefined || known.state === 'pending' || known.state === 'suspended')
      return;
    const now = clock.now();
    const proof = await this.#lookUp(org, state.domain);
    const holds = typeof proof !== 'string' && proof.key === state.key;
    const failures = holds ? 0 : state.failures + 1;
    const isLost = failures >= MAX_FAILURES && known.state === 'verified';
    const isBack = holds && known.state === 'unverified';
    if (!holds) logger.warn('the proof of an organisation does not hold', { org, failures });
    const next = { ...state, failures, checkedAt: now };
    const moved = isLost ? ('unverified' as const) : ('verified' as const);
    const row = isLost || isBack ? { ...rowOf(known), state: moved, since: now } : rowOf(known);
    const entries = isLost || isBack ? [orgEntry(org, moved, 'dns', now)] : [];
    await ledger.putOrg({ ...row, json: JSON.stringify(next) }, known.json, entries);
    await listings.refresh();
    if (isLost || isBack) changed(org);
  }

  /** @returns the key of the TXT record, or why there is none */
  async #lookUp(org: string, domain: string): Promise<{ readonly key: string } | string> {
    const records = await this.#parts.resolveTxt(domain).catch(() => []);
    const key = records.map((record) => readDnsProof(record, org)).find((found) => found !== undefined);
    return key === undefined
      ? `${domain} has no TXT record “v=ORBv1; org=${org}; k=ed25519; p=<base64 of the public key>”.`
      : { key };
  }
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
