import { readEntry } from '../log-entry/entry.ts';
import { judgeTiers, type Tier, type TierJudgement } from './criteria.ts';
import { deriveInput } from './derive.ts';
import { foldEntry } from './fold.ts';
import { ALGORITHM, scoreReputation, type Score } from './formula.ts';
import { rankOf } from './held-tier.ts';
import { LineJournal } from './journal.ts';
import type { TierChange } from './profile.ts';

/** A score that was computed from the log alone. */
export interface Recomputed {
  readonly manifestDigest: string;
  readonly score: Score;
  readonly judgement: TierJudgement;
}

/** A `tier_change` entry, and what its tree and day give. */
export interface RepeatedChange {
  readonly change: TierChange;
  /** null: another algorithm made it, or it names a tree that the log did not have then. */
  readonly scoreBp: number | null;
  readonly computed: Tier | null;
  /**
   * Whether the score is the same, and a promotion did not go above the computed tier. The delays (72 h, 7 d) are the
   * platform's own word (trust.md §5.5). A change by another algorithm is not judged.
   */
  readonly ok: boolean;
}

// JCS writes a member without spaces, so these occur in every such entry.
const TIER_CHANGE = '"kind":"tier_change"';

/**
 * Recomputes the score of one version from the entries of the log, at any size and day (trust.md §5.5). Fold the
 * entries 0, 1, 2 … first.
 */
export class Recomputation {
  readonly #orbId: string;
  readonly #journal: LineJournal;
  readonly #changes: TierChange[] = [];

  /** @param entryAt text of an entry below the one that is folded; only retractions read it */
  constructor(orbId: string, entryAt: (index: number) => string | undefined) {
    this.#orbId = orbId;
    this.#journal = new LineJournal(orbId, entryAt);
  }

  fold(index: number, text: string): void {
    foldEntry(this.#journal.at(index), index, text);
    const entry = text.includes(TIER_CHANGE) ? readEntry(text) : undefined;
    if (entry?.kind === 'tier_change' && entry.orb_id === this.#orbId) this.#changes.push({ index, entry });
  }

  /**
   * @param size entries that count
   * @param asOf UTC day, `YYYY-MM-DD`
   * @returns undefined: the version was not published in these entries
   */
  at(size: number, asOf: string): Recomputed | undefined {
    const evidence = this.#journal.evidence(size);
    const published = evidence.events.find(({ entry }) => entry.kind === 'publish' && entry.orb_id === this.#orbId);
    if (published?.entry.kind !== 'publish') return undefined;
    const manifestDigest = published.entry.manifest_digest;
    const input = deriveInput(evidence, { orbId: this.#orbId, manifestDigest, asOf, logWitnessed: null });
    const score = scoreReputation(input);
    return { manifestDigest, score, judgement: judgeTiers(input, score) };
  }

  #repeated(change: TierChange): RepeatedChange {
    const { index, entry } = change;
    if (entry.algorithm !== ALGORITHM) return { change, scoreBp: null, computed: null, ok: true };
    const found = entry.tree_size <= index ? this.at(entry.tree_size, entry.as_of) : undefined;
    if (found === undefined) return { change, scoreBp: null, computed: null, ok: false };
    const computed = found.judgement.tier;
    const isPromotion = rankOf(entry.to) > rankOf(entry.from);
    const ok =
      found.score.scoreBp === entry.score_bp &&
      found.manifestDigest === entry.manifest_digest &&
      (!isPromotion || rankOf(entry.to) <= rankOf(computed));
    return { change, scoreBp: found.score.scoreBp, computed, ok };
  }

  /** Every change of the tier below `size`, in the order of the log. */
  tierChanges(size: number): readonly RepeatedChange[] {
    return this.#changes.filter(({ index }) => index < size).map((change) => this.#repeated(change));
  }
}
