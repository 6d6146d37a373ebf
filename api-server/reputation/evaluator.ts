import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Scorer } from '../../adapters/reputation-worker/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { entryText, type LogEntry } from '../../core/log-entry/entry.ts';
import { certificateStep } from '../../core/publication/certificate-due.ts';
import type { ListedOrb } from '../../core/publication/listed-orb.ts';
import { ALGORITHM } from '../../core/reputation/formula.ts';
import { NEVER_HELD, type HeldTier } from '../../core/reputation/held-tier.ts';
import type { Judged, ScoredVersion, VersionToScore } from '../../core/reputation/score-line.ts';
import { CheckpointWait } from './checkpoint-wait.ts';
import type { CertificateIssuer, NewestCertificate } from './certificates.ts';
import type { DueLine } from './due-versions.ts';
import type { Listings } from './listings.ts';
import { readHeldTier } from './stored-evaluation.ts';

export interface EvaluatorParts {
  readonly ledger: Pick<Ledger, 'evaluate' | 'checkpoint'>;
  readonly scorer: Pick<Scorer, 'score'>;
  readonly listings: Listings;
  readonly certificates: CertificateIssuer;
  readonly clock: Clock;
  readonly logOrigin: string;
}

/** Result of `Evaluator.write`. */
export type Evaluated = 'done' | 'unknown' | 'fenced' | 'conflict';

/** A version that was scored, and from what. */
export interface ScoredToWrite extends ScoredVersion {
  readonly before: HeldTier;
  readonly over: Over;
}

/** Whether an evaluation may still be written. */
export interface WriteScope {
  /** Of the lease `reputation`, when the version was scored. */
  readonly epoch: number;
  readonly signal: AbortSignal;
  /** Called right before the write. @throws NotLeading the lease was lost meanwhile */
  readonly check: () => void;
}

const heldBefore = (stored: string | undefined): HeldTier => (stored === undefined ? NEVER_HELD : readHeldTier(stored));

/** Scores versions, and writes what follows for each in one transaction (trust.md §5.2). */
export class Evaluator {
  readonly #parts: EvaluatorParts;
  readonly #checkpoints: CheckpointWait;

  constructor(parts: EvaluatorParts) {
    this.#parts = parts;
    this.#checkpoints = new CheckpointWait(parts.ledger, parts.clock);
  }

  /**
   * Scores versions of one line from the same state of the ledger. A version that is not published is left out.
   * @throws LedgerError
   */
  async score(line: DueLine): Promise<readonly ScoredToWrite[]> {
    const { scorer, listings, clock, logOrigin } = this.#parts;
    const versions = line.flatMap((orbId): readonly VersionToScore[] => {
      const orb = listings.orb(orbId);
      return orb === undefined
        ? []
        : [{ orbId, manifestDigest: orb.manifestDigest, before: heldBefore(listings.heldOf(orbId)) }];
    });
    if (versions.length === 0) return [];
    const now = clock.now();
    const { size, rootBase64, asOf, versions: scored } = await scorer.score({ versions, at: now, logOrigin });
    const before = new Map(versions.map((one) => [one.orbId, one.before]));
    const over: Over = { asOf, size, rootBase64, now };
    return scored.map((one) => ({ ...one, over, before: before.get(one.orbId) ?? NEVER_HELD }));
  }

  /**
   * Writes an evaluation when a signed checkpoint covers what it was computed from.
   * @returns `fenced`: another process holds the lease by now; `conflict`: its certificate can't be issued now, as its
   * place in the status lists was revoked meanwhile or the one before it has the same second; `unknown`: nothing is published, or no checkpoint covers the log yet. Only `done` has written something.
   * @throws LedgerError @throws NotLeading
   */
  async write(scored: ScoredToWrite, { epoch, signal, check }: WriteScope): Promise<Evaluated> {
    const { ledger, listings } = this.#parts;
    const { orbId, judged, profile, before, over } = scored;
    if (!(await this.#checkpoints.covers(over.size, signal))) return 'unknown';
    const orb = listings.orb(orbId);
    if (orb === undefined) return 'unknown';
    const certificate = await this.#certificate(orb, judged, over);
    if (certificate === undefined) return 'conflict';
    const entries: readonly LogEntry[] = [...tierChanges(orb, before, judged, over), ...certificate.entries];
    check();
    const result = await ledger.evaluate({
      epoch,
      orbId,
      treeSize: over.size,
      asOf: over.asOf,
      held: JSON.stringify(judged.held),
      profile: JSON.stringify(profile),
      entries: entries.map(entryText),
      certificate: certificate.issued === undefined ? null : { ...certificate.issued, entry: entries.length - 1 },
      revokeIndex: certificate.revokeIndex,
    });
    await listings.refresh();
    return result.kind;
  }

  /** @returns undefined: it is to be issued in a later second */
  async #certificate(orb: ListedOrb, judged: Judged, over: Over): Promise<CertificateChange | undefined> {
    const newest = await this.#parts.certificates.newest(orb.orbId);
    const step = certificateStep(orb.status, judged, newest, over.now);
    if (step === 'none') return NO_CHANGE;
    if (step === 'wait') return undefined;
    if (step === 'revoke' && newest !== undefined) return revocation(orb, judged, newest, over.now);
    return (await this.#parts.certificates.issue(orb, judged, over, newest)) ?? NO_CHANGE;
  }
}

/** What an evaluation was computed over. */
export interface Over {
  readonly asOf: string;
  readonly size: number;
  /** Standard base64 of 32 bytes. */
  readonly rootBase64: string;
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
function tierChanges(orb: ListedOrb, before: HeldTier, judged: Judged, over: Over): readonly LogEntry[] {
  const { held, score, judgement, changed } = judged;
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
  { score }: Judged,
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
