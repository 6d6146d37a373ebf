import type { Ledger } from '../../adapters/ledger/port.ts';
import type { PlacedEntry } from '../../adapters/ledger/tables/tier-changes.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { entryText, readEntry, type LogEntry } from '../../core/log-entry/entry.ts';
import { certificateStep } from '../../core/publication/certificate-due.ts';
import type { ListedOrb } from '../../core/publication/listed-orb.ts';
import { evaluate, type Evaluation } from '../../core/reputation/evaluation.ts';
import { ALGORITHM } from '../../core/reputation/formula.ts';
import { NEVER_HELD, type HeldTier } from '../../core/reputation/held-tier.ts';
import { lineOf, orgOf } from '../../core/reputation/line.ts';
import type { CertificateIssuer, NewestCertificate } from './certificates.ts';
import type { Listings } from './listings.ts';
import { profileOf, type TierChange } from '../../core/reputation/profile.ts';
import { readHeldTier } from './stored-evaluation.ts';

export interface EvaluatorParts {
  readonly ledger: Pick<Ledger, 'lineEvidence' | 'evaluate' | 'checkpoint' | 'tierChanges'>;
  readonly listings: Listings;
  readonly certificates: CertificateIssuer;
  readonly clock: Clock;
  readonly logOrigin: string;
}

/** Result of `Evaluator.evaluate`. */
export type Evaluated = 'done' | 'unknown' | 'fenced' | 'conflict';

const CHECKPOINT_MS = 5000;
/** Changes of the tier that a profile shows. */
const HISTORY = 20;
const POLL_MS = 50;

const heldBefore = (stored: string | undefined): HeldTier => (stored === undefined ? NEVER_HELD : readHeldTier(stored));

/** Evaluates one version at a time, and writes what follows in one transaction (trust.md §5.2). */
export class Evaluator {
  readonly #parts: EvaluatorParts;

  constructor(parts: EvaluatorParts) {
    this.#parts = parts;
  }

  /**
   * @param epoch of the lease `reputation`
   * @returns `fenced`: another process holds the lease by now; `conflict`: its place in the status lists was revoked
   * meanwhile; `unknown`: nothing is published, or no checkpoint covers the log yet. Only `done` has written something.
   * @throws LedgerError
   */
  async evaluate(orbId: string, epoch: number, signal: AbortSignal): Promise<Evaluated> {
    const { ledger, listings, clock } = this.#parts;
    const orb = listings.orb(orbId);
    if (orb === undefined) return 'unknown';
    const evidence = await ledger.lineEvidence(lineOf(orbId), orgOf(orbId));
    if (!(await this.#isSigned(evidence.size, signal))) return 'unknown';
    const before = heldBefore(listings.heldOf(orbId));
    const now = clock.now();
    const asOf = new Date(now).toISOString().slice(0, 10);
    const subject = { orbId, manifestDigest: orb.manifestDigest, asOf, logWitnessed: null };
    const evaluation = evaluate(evidence, subject, before, now);
    const over: Over = { asOf, size: evidence.size, root: evidence.root, now };
    const certificate = await this.#certificate(orb, evaluation, over);
    const entries: readonly LogEntry[] = [...tierChanges(orb, before, evaluation, over), ...certificate.entries];
    const profile = profileOf({
      ...evaluation,
      subject,
      evidence,
      history: tierChangesOf(await ledger.tierChanges(orbId, HISTORY)),
      at: now,
      log: { origin: this.#parts.logOrigin, size: over.size, rootBase64: Buffer.from(over.root).toString('base64') },
    });
    const result = await ledger.evaluate({
      epoch,
      orbId,
      treeSize: evidence.size,
      asOf,
      held: JSON.stringify(evaluation.held),
      profile: JSON.stringify(profile),
      entries: entries.map(entryText),
      certificate: certificate.issued === undefined ? null : { ...certificate.issued, entry: entries.length - 1 },
      revokeIndex: certificate.revokeIndex,
    });
    await listings.refresh();
    return result.kind;
  }

  /** What is shown is covered by a signed checkpoint: a stranger can compute it again. */
  async #isSigned(size: number, signal: AbortSignal): Promise<boolean> {
    const { ledger, clock } = this.#parts;
    const end = clock.monotonic() + CHECKPOINT_MS;
    for (;;) {
      const checkpoint = await ledger.checkpoint();
      if ((checkpoint?.size ?? 0) >= size) return true;
      if (clock.monotonic() >= end) return false;
      await clock.sleep(POLL_MS, signal);
    }
  }

  async #certificate(orb: ListedOrb, evaluation: Evaluation, over: Over): Promise<CertificateChange> {
    const newest = await this.#parts.certificates.newest(orb.orbId);
    const step = certificateStep(orb.status, evaluation, newest, over.now);
    if (step === 'none') return NO_CHANGE;
    if (step === 'revoke' && newest !== undefined) return revocation(orb, evaluation, newest, over.now);
    return (await this.#parts.certificates.issue(orb, evaluation, over, newest)) ?? NO_CHANGE;
  }
}

/** Entries of the kind `tier_change`, as the ledger gives them. */
export const tierChangesOf = (placed: readonly PlacedEntry[]): readonly TierChange[] =>
  placed.flatMap(({ index, entry: text }) => {
    const entry = readEntry(text);
    return entry?.kind === 'tier_change' ? [{ index, entry }] : [];
  });

/** What an evaluation was computed over. */
export interface Over {
  readonly asOf: string;
  readonly size: number;
  readonly root: Uint8Array;
  /** ms since epoch */
  readonly now: number;
}

/** Changes to certificates that one evaluation writes; the entry of the new certificate is the last one. */
export interface CertificateChange {
  readonly entries: readonly LogEntry[];
  readonly issued: { readonly issuedAt: number; readonly jwt: string; readonly statusIndex: number } | undefined;
  readonly revokeIndex: number | null;
}

const NO_CHANGE: CertificateChange = { entries: [], issued: undefined, revokeIndex: null };

const time = (ms: number): string => new Date(ms).toISOString();

/** The entry of a changed tier; none when it stays. */
function tierChanges(orb: ListedOrb, before: HeldTier, evaluation: Evaluation, over: Over): readonly LogEntry[] {
  const { held, score, judgement, changed } = evaluation;
  if (!changed) return [];
  const entry: LogEntry = {
    kind: 'tier_change',
    orb_id: orb.orbId,
    manifest_digest: orb.manifestDigest,
    from: before.tier,
    to: held.tier,
    tier_status: held.status,
    score_bp: score.scoreBp,
    algorithm: ALGORITHM,
    as_of: over.asOf,
    tree_size: over.size,
    criteria_failed: judgement.missing.map(({ id }) => id),
    at: time(over.now),
  };
  return [entry];
}

function revocation(
  { status }: ListedOrb,
  { score }: Evaluation,
  newest: NewestCertificate,
  now: number,
): CertificateChange {
  const cause = score.caps.map(({ id }) => id).join(', ');
  const reason = status === 'yanked' ? 'yanked' : cause || 'below bronze';
  return {
    entries: [{ kind: 'revocation', target: 'certificate', sha256: newest.sha256, reason, at: time(now) }],
    issued: undefined,
    revokeIndex: newest.statusIndex,
  };
}
