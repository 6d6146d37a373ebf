import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { ed25519Verify } from '../../adapters/keys/primitives.ts';
import { decodeBase64, encodeBase64Url } from '../../core/json/base64.ts';
import { entryText, type EntryOf } from '../../core/log-entry/entry.ts';
import { claimText, domainProves, readDnsProof } from '../../core/publication/dns-proof.ts';
import { refusedName } from '../../core/publication/owner.ts';
import {
  EMPTY_CLAIM_STATE,
  provenToCheck,
  readChallenge,
  readClaimState,
  type Challenge,
  type ClaimState,
  type Proven,
} from './claim-state.ts';
import type { Listings } from './listings.ts';

/** Texts of the TXT records at a name; each record is one joined text. Rejects when there is no answer. */
export type ResolveTxt = (name: string) => Promise<readonly string[]>;

export interface OrgParts {
  readonly ledger: Pick<Ledger, 'putOrg' | 'org' | 'putOrgClaim' | 'orgClaim'>;
  readonly listings: Pick<Listings, 'allOrgs' | 'refresh'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly random: (bytes: number) => Uint8Array;
  readonly resolveTxt: ResolveTxt;
  /** Called after entries were written that make the Orbs of an organisation due for an evaluation. */
  readonly changed: () => void;
}

const NONCE_BYTES = 16;
const NONCE_MS = 24 * 3_600_000;
/** Re-checks that may fail before the organisation is unverified. */
const MAX_FAILURES = 3;
const SUSPENDED = 'The platform suspended the organisation.';

/** Result of a claim. */
export type Claimed =
  | { readonly kind: 'claimed'; readonly nonce: string; readonly until: number }
  | { readonly kind: 'taken' }
  /** The tenant has as many open claims as it may have. */
  | { readonly kind: 'too-many' }
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

type Row = NonNullable<Awaited<ReturnType<Ledger['org']>>>;
type NewRow = Omit<Row, 'change'>;
type OpenClaim = NonNullable<Awaited<ReturnType<Ledger['orgClaim']>>>;
type OrgEvent = EntryOf<'org'>['event'];

function signatureFits(key: string, text: string, signature: string): boolean {
  const [raw, bytes] = [decodeBase64(key), decodeBase64(signature)];
  return raw !== undefined && bytes !== undefined && ed25519Verify(raw, bytes, Buffer.from(text));
}

/** The row with a changed state; the state alone begins anew at `now`. */
const moved = (
  { org, namespace, proof, state, since }: Row,
  next: Row['state'],
  claim: ClaimState,
  now: number,
): NewRow => ({
  org,
  namespace,
  proof,
  state: next,
  since: next === state ? since : now,
  json: JSON.stringify(claim),
});

/** The row of an organisation that was just proven by DNS. @param known undefined: nobody owned it */
function provenRow(of: Pick<Row, 'org' | 'namespace'>, known: Row | undefined, proven: Proven, now: number): NewRow {
  if (known !== undefined)
    return { ...moved(known, 'verified', { ...readClaimState(known.json), proven }, now), proof: 'dns' };
  const json = JSON.stringify({ ...EMPTY_CLAIM_STATE, proven });
  return { ...of, proof: 'dns', state: 'verified', since: now, json };
}

type Step = readonly [row: NewRow, events: readonly OrgEvent[]];

const suspended = (known: Row, claim: ClaimState, now: number): Step => [
  moved(known, 'suspended', { ...claim, before: known.state === 'unverified' ? 'unverified' : 'verified' }, now),
  ['suspended'],
];

/** What was unverified before the suspension still is. */
const restored = (known: Row, claim: ClaimState, now: number): Step => {
  const back = claim.before ?? 'verified';
  const row = moved(known, back, { ...claim, before: null }, now);
  return [row, back === 'verified' ? ['restored'] : ['restored', back]];
};

/** State after a check of the record. */
const stateAfter = ({ state }: Row, failures: number): 'verified' | 'unverified' =>
  failures === 0 || (state === 'verified' && failures < MAX_FAILURES) ? 'verified' : 'unverified';

/** Claims and proofs of organisations (trust.md §8.1). */
export class Orgs {
  readonly #parts: OrgParts;

  constructor(parts: OrgParts) {
    this.#parts = parts;
  }

  /**
   * Begins a claim by DNS, or gives a new challenge for one. What was proven before stays proven. Claims of other tenants
   * stay open: the first one that is verified wins. @throws LedgerError
   */
  async claim(org: string, tenant: string, domain: string): Promise<Claimed> {
    if (!domainProves(domain, org)) return { kind: 'other-domain' };
    const { ledger, clock, random } = this.#parts;
    const known = await ledger.org(org);
    const refusal = this.#refusedClaim(org, tenant, known);
    if (refusal !== undefined) return refusal;
    const nonce = encodeBase64Url(random(NONCE_BYTES));
    const now = clock.now();
    const until = now + NONCE_MS;
    const challenge: Challenge = { nonce, domain };
    const result = await ledger.putOrgClaim({ org, namespace: tenant, until, json: JSON.stringify(challenge) }, now);
    return result.kind === 'done' ? { kind: 'claimed', nonce, until } : result;
  }

  #refusedClaim(org: string, tenant: string, known: Row | undefined): Claimed | undefined {
    if (known?.namespace === tenant) return undefined;
    if (known !== undefined) return { kind: 'taken' };
    const why = refusedName(org, this.#parts.listings.allOrgs());
    return why === undefined ? undefined : { kind: 'confusable', why };
  }

  /**
   * Looks the TXT record up, and checks that its key signed the challenge.
   * @param signature undefined: the record must still hold the key that was proven before @throws LedgerError
   */
  async verify(org: string, tenant: string, signature: string | undefined): Promise<OrgVerified> {
    const { ledger, clock, changed } = this.#parts;
    const known = await ledger.org(org);
    const claim = await ledger.orgClaim(org, tenant);
    const isOwn = known === undefined ? claim !== undefined : known.namespace === tenant;
    if (!isOwn) return { kind: 'unknown' };
    if (signature === undefined) return this.#verifyAgain(org, known);
    const proven = await this.#prove(known, claim, signature);
    if (typeof proven === 'string') return { kind: 'failed', why: proven };
    const row = provenRow({ org, namespace: tenant }, known, proven, clock.now());
    const isNews = known?.state !== 'verified' || known.proof !== 'dns';
    if ((await this.#put(row, known, isNews ? ['verified'] : [], 'ended')) === undefined)
      return this.#verifyLater(org, tenant, signature);
    changed();
    return { kind: 'verified' };
  }

  /** Another request changed the organisation meanwhile: what holds now is decided again. */
  async #verifyLater(org: string, tenant: string, signature: string): Promise<OrgVerified> {
    const known = await this.#parts.ledger.org(org);
    return known?.namespace === tenant ? this.verify(org, tenant, signature) : { kind: 'taken' };
  }

  async #verifyAgain(org: string, known: Row | undefined): Promise<OrgVerified> {
    const holds = await this.recheck(org, 'asked for');
    if (holds === true) return { kind: 'verified' };
    const nothing = known?.state === 'suspended' ? SUSPENDED : 'Nothing was proven by DNS yet: sign a challenge.';
    return { kind: 'failed', why: holds === false ? 'No TXT record holds the key that was proven.' : nothing };
  }

  /** @returns why the challenge is not met, as a text for the publisher */
  async #prove(known: Row | undefined, claim: OpenClaim | undefined, signature: string): Promise<Proven | string> {
    const { clock } = this.#parts;
    const challenge = claim && readChallenge(claim.json);
    if (claim === undefined || challenge === undefined) return 'No challenge was asked for: claim it first.';
    const refusal = this.#refusedProof(known, claim);
    if (refusal !== undefined) return refusal;
    const { org, namespace } = claim;
    const found = await this.#lookUp(org, challenge.domain);
    if (typeof found === 'string') return found;
    if (!signatureFits(found.key, claimText(org, namespace, challenge.nonce), signature))
      return 'The key of the TXT record did not sign this challenge.';
    return { domain: challenge.domain, key: found.key, failures: 0, checkedAt: clock.now() };
  }

  /** Why a claim can't be proven, whatever its record says. */
  #refusedProof(known: Row | undefined, { org, until }: OpenClaim): string | undefined {
    const { clock, listings } = this.#parts;
    if (known?.state === 'suspended') return SUSPENDED;
    if (clock.now() > until) return 'The challenge is older than 24 hours: claim again.';
    return known === undefined ? refusedName(org, listings.allOrgs()) : undefined;
  }

  /** Suspends an organisation with all its Orbs, or ends that: then its proof is as good as before. @throws LedgerError */
  async setStatus(org: string, status: 'suspended' | 'restored', reason: string): Promise<OrgStatusChanged> {
    const { ledger, clock, changed } = this.#parts;
    const known = await ledger.org(org);
    if (known === undefined) return { kind: 'unknown' };
    if ((known.state === 'suspended') === (status === 'suspended')) return { kind: 'refused' };
    const claim = { ...readClaimState(known.json), reason };
    const now = clock.now();
    const [row, events] = status === 'suspended' ? suspended(known, claim, now) : restored(known, claim, now);
    const logIndex = await this.#put(row, known, events);
    if (logIndex === undefined) return { kind: 'refused' };
    changed();
    return { kind: 'done', logIndex: logIndex ?? 0 };
  }

  /**
   * Checks the record of an organisation again; after three failures in a row it is unverified, and verified again after
   * a success. Other proofs than DNS hold as they are. A failure that a publisher asks for does not count: three tries
   * in a minute would end a good proof while its record changes.
   * @returns whether the proof holds; undefined: there was nothing to check @throws LedgerError
   */
  async recheck(org: string, why: 'daily' | 'asked for' = 'daily'): Promise<boolean | undefined> {
    const known = await this.#parts.ledger.org(org);
    const proven = known && provenToCheck(known);
    return known === undefined || proven === undefined ? undefined : this.#check(known, proven, why);
  }

  async #check(known: Row, proven: Proven, why: 'daily' | 'asked for'): Promise<boolean> {
    const { clock, logger, changed } = this.#parts;
    const { org } = known;
    const found = await this.#lookUp(org, proven.domain);
    const holds = typeof found !== 'string' && found.key === proven.key;
    if (!holds && why === 'asked for') return false;
    const failures = holds ? 0 : proven.failures + 1;
    if (!holds) logger.warn('the proof of an organisation does not hold', { org, failures });
    const next = stateAfter(known, failures);
    const now = clock.now();
    const claim = { ...readClaimState(known.json), proven: { ...proven, failures, checkedAt: now } };
    const isNews = next !== known.state;
    const put = await this.#put(moved(known, next, claim, now), known, isNews ? [next] : []);
    if (put !== undefined && isNews) changed();
    return holds;
  }

  /** @returns index of the first entry, null without entries; undefined: the row is not the one that was read */
  async #put(
    row: NewRow,
    known: Row | undefined,
    events: readonly OrgEvent[],
    claims: 'kept' | 'ended' = 'kept',
  ): Promise<number | null | undefined> {
    const { ledger, listings, clock } = this.#parts;
    const at = new Date(clock.now()).toISOString();
    const entries = events.map((event) => entryText({ kind: 'org', org: row.org, event, proof: row.proof, at }));
    const result = await ledger.putOrg(row, known?.json ?? null, entries, claims);
    await listings.refresh();
    return result.kind === 'done' ? result.logIndex : undefined;
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
