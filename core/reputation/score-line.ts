import type { LineEvidence, Subject } from './derive.ts';
import { evaluate, type Evaluation } from './evaluation.ts';
import type { HeldTier } from './held-tier.ts';
import { profileOf, type Profile, type TierChange } from './profile.ts';

/** A version that is to be scored. */
export interface VersionToScore {
  readonly orbId: string;
  readonly manifestDigest: string;
  /** The tier that it holds since its last evaluation. */
  readonly before: HeldTier;
}

/** Versions of one line, which share their evidence. */
export interface LineToScore {
  readonly versions: readonly VersionToScore[];
  /** ms since epoch */
  readonly at: number;
  readonly logOrigin: string;
}

/** What the log says about the line, and the tree that says it. */
export interface EvidenceOfLine extends LineEvidence {
  /** Entries in the tree. */
  readonly size: number;
  /** Standard base64 of its root, 32 bytes. */
  readonly rootBase64: string;
  /** Changes of the tier by version, the newest first. */
  readonly history: ReadonlyMap<string, readonly TierChange[]>;
}

/** What an evaluation found, without the evidence itself, which may be large. */
export type Judged = Omit<Evaluation, 'input'>;

/** One version of a line, scored. */
export interface ScoredVersion {
  readonly orbId: string;
  readonly judged: Judged;
  readonly profile: Profile;
}

/** Versions that were scored from the same tree. */
export interface ScoredLine {
  readonly size: number;
  readonly rootBase64: string;
  /** UTC day, `YYYY-MM-DD`. */
  readonly asOf: string;
  readonly versions: readonly ScoredVersion[];
}

/** Scores versions of a line from the evidence of that line (trust.md §5.2). Pure. */
export function scoreLine({ versions, at, logOrigin }: LineToScore, evidence: EvidenceOfLine): ScoredLine {
  const { size, rootBase64, history } = evidence;
  const asOf = new Date(at).toISOString().slice(0, 10);
  const scored = versions.map(({ orbId, manifestDigest, before }): ScoredVersion => {
    const subject: Subject = { orbId, manifestDigest, asOf, logWitnessed: null };
    const { input, ...judged } = evaluate(evidence, subject, before, at);
    const changes = history.get(orbId) ?? [];
    const log = { origin: logOrigin, size, rootBase64 };
    return {
      orbId,
      judged,
      profile: profileOf({ ...judged, input, subject, evidence, history: changes, at, log }),
    };
  });
  return { size, rootBase64, asOf, versions: scored };
}
