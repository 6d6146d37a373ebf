import { readEntry } from '../../core/log-entry/entry.ts';
import { differingMembers, scoreFacts, type ScoreFacts } from '../../core/reputation/compare-evidence.ts';
import { lineOf, orgOf } from '../../core/reputation/line.ts';
import { LineFold } from '../../core/reputation/line-fold.ts';
import { PROFILE_HISTORY, type TierChange } from '../../core/reputation/profile.ts';
import { scoreLine, type LineToScore, type ScoredLine } from '../../core/reputation/score-line.ts';
import { tierChangesOf } from '../../core/reputation/tier-changes.ts';
import type { ReceiptTotals } from '../../core/ingestion/incidents/corroborate.ts';
import type { Ledger, ReceiptWindow } from '../ledger/port.ts';
import type { CheckedOrb, OrbToCheck } from './port.ts';

/** What scores are computed from. */
export type EvidenceSource = Pick<Ledger, 'lineEvidence' | 'tierChanges' | 'entries' | 'receiptTotals'>;

/** Entries that one step of a check folds: some 5 ms. */
const STEP_ENTRIES = 1000;

// JCS writes a member without spaces, so this occurs in every such entry.
const RETRACTION = '"kind":"retraction"';

/** A check that is under way. */
interface Check {
  readonly orb: OrbToCheck;
  /** Entries that the tables were made of. */
  readonly size: number;
  /** What the tables say. */
  readonly expected: ScoreFacts;
  readonly fold: LineFold;
  /** Texts that the fold may ask for: of the entry that the current one retracts. */
  readonly target: Map<number, string>;
  /** Entries that were folded. */
  folded: number;
}

/** Does the work of a `Scorer` over any source, on the thread that calls it. */
export class ScoreDesk {
  readonly #source: EvidenceSource;
  #check: Check | undefined;

  constructor(source: EvidenceSource) {
    this.#source = source;
  }

  /** @param line at least one version @throws LedgerError */
  async score(line: LineToScore): Promise<ScoredLine> {
    const first = line.versions[0]?.orbId ?? '';
    const evidence = await this.#source.lineEvidence(lineOf(first), orgOf(first));
    const history = new Map<string, readonly TierChange[]>();
    for (const { orbId } of line.versions)
      history.set(orbId, tierChangesOf(await this.#source.tierChanges(orbId, PROFILE_HISTORY)));
    return scoreLine(line, { ...evidence, rootBase64: Buffer.from(evidence.root).toString('base64'), history });
  }

  /** @throws LedgerError */
  count(window: ReceiptWindow): Promise<ReceiptTotals> {
    return this.#source.receiptTotals(window);
  }

  /**
   * Begins a check, in place of any other one. The tables are read first: the entries below their size never change, so
   * no read transaction has to last until the log is folded. @throws LedgerError
   */
  async beginCheck(orb: OrbToCheck): Promise<void> {
    this.#check = undefined;
    const { size, ...evidence } = await this.#source.lineEvidence(lineOf(orb.orbId), orgOf(orb.orbId));
    const target = new Map<number, string>();
    this.#check = {
      orb,
      size,
      expected: scoreFacts(evidence, orb.orbId, orb.asOf),
      fold: new LineFold(orb.orbId, (index) => target.get(index)),
      target,
      folded: 0,
    };
  }

  /** @returns null: call it again @throws LedgerError @throws TypeError no check was begun */
  async stepCheck(): Promise<CheckedOrb | null> {
    const check = this.#check;
    if (check === undefined) throw new TypeError('no check was begun');
    const { orb, size, expected, fold } = check;
    const texts = await this.#source.entries(check.folded, Math.min(size, check.folded + STEP_ENTRIES));
    for (const text of texts) {
      await this.#readTarget(check, text);
      fold.fold(check.folded, text);
      check.folded += 1;
    }
    if (check.folded < size && texts.length > 0) return null;
    this.#check = undefined;
    return { size, differing: differingMembers(expected, scoreFacts(fold.evidence(), orb.orbId, orb.asOf)) };
  }

  /** The fold reads the entry that a retraction names, at once. */
  async #readTarget({ target }: Check, text: string): Promise<void> {
    target.clear();
    const entry = text.includes(RETRACTION) ? readEntry(text) : undefined;
    if (entry?.kind !== 'retraction') return;
    const [found] = await this.#source.entries(entry.index, entry.index + 1);
    if (found !== undefined) target.set(entry.index, found);
  }
}
