import { expect } from 'chai';
import fc from 'fast-check';
import type { LogEntry } from '../../core/log-entry/entry.ts';
import { deriveInput } from '../../core/reputation/derive.ts';
import { foldEntry } from '../../core/reputation/fold.ts';
import { scoreReputation } from '../../core/reputation/formula.ts';
import type { ReputationInput } from '../../core/reputation/input.ts';
import { LineJournal } from '../../core/reputation/journal.ts';
import { plainInput } from './plain-reputation.ts';
import { plainScoreBp } from './plain-score.ts';
import { aLog, AS_OF, textsOf, VERSIONS } from './reputation-log.ts';

type Version = (typeof VERSIONS)[number];

/** A log that was folded entry by entry. */
function folded(log: readonly LogEntry[], [orbId]: Version): LineJournal {
  const texts = textsOf(log);
  const journal = new LineJournal(orbId, (index) => texts[index]);
  for (const [index, text] of texts.entries()) foldEntry(journal.at(index), index, text);
  return journal;
}

const inputOf = (journal: LineJournal, [orbId, manifestDigest]: Version, size?: number): ReputationInput =>
  deriveInput(journal.evidence(size), { orbId, manifestDigest, asOf: AS_OF, logWitnessed: null });

const aVersion = fc.constantFrom(...VERSIONS);

/** The fold at every given size equals a derivation from nothing: the input, and the score bit for bit. */
function checkPrefixes(log: readonly LogEntry[], version: Version, sizes: readonly number[]): void {
  const journal = folded(log, version);
  const [orbId, manifestDigest] = version;
  for (const size of [...sizes.map((given) => Math.min(given, log.length)), log.length]) {
    const input = inputOf(journal, version, size);
    const plain = plainInput(log.slice(0, size), { orbId, manifestDigest, asOf: AS_OF });
    expect(input).to.deep.equal(plain);
    expect(scoreReputation(input).scoreBp).to.equal(plainScoreBp(plain));
  }
}

/** The log with its receipts in another order, and the retractions at its end; each names the entry that it named. */
function reordered(log: readonly LogEntry[], order: readonly number[]): readonly LogEntry[] {
  const positions = log.flatMap(({ kind }, index) => (kind === 'receipt' ? [index] : []));
  const shuffled = positions
    .map((index, at) => ({ index, place: order[at % order.length] ?? 0 }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ index }) => index);
  const source = log.map((_, index) => shuffled[positions.indexOf(index)] ?? index);
  const kept = source.filter((index) => log[index]?.kind !== 'retraction');
  const retractions = log.flatMap((entry, at) => {
    if (entry.kind !== 'retraction' || entry.index >= at) return [];
    const index = kept.indexOf(entry.index);
    return index === -1 ? [] : [{ ...entry, index }];
  });
  return [...kept.flatMap((index) => log[index] ?? []), ...retractions];
}

/** Checks random logs: every prefix, and any order of the receipts (reliability.md R20). */
export function checkRandomLogs(numRuns: number): void {
  const sizes = fc.array(fc.nat(60), { maxLength: 3 });
  const order = fc.array(fc.nat(1000), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(aLog, aVersion, sizes, order, (log, version, some, places) => {
      checkPrefixes(log, version, some);
      const [plain, other] = [folded(log, version), folded(reordered(log, places), version)];
      const [a, b] = [inputOf(plain, version), inputOf(other, version)];
      expect(b).to.deep.equal(a);
      expect(scoreReputation(b)).to.deep.equal(scoreReputation(a));
    }),
    { numRuns },
  );
}
