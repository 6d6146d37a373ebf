import { expect } from 'chai';
import fc from 'fast-check';
import type { CheckedOrb } from '../../../../adapters/reputation-worker/port.ts';
import { ScoreDesk, type EvidenceSource } from '../../../../adapters/reputation-worker/score-desk.ts';
import { scoreHere } from '../../../../adapters/reputation-worker/score-here.ts';
import type { LineEvidence } from '../../../../core/reputation/derive.ts';
import { foldEntry } from '../../../../core/reputation/fold.ts';
import { LineJournal } from '../../../../core/reputation/journal.ts';
import { refusal } from '../../../support/refusal.ts';
import { aLog, AS_OF, textsOf, VERSIONS } from '../../../support/reputation-log.ts';
import { ORB, publishEntry, testReportEntry } from '../../../support/reputation-rows.ts';

/** A log as texts, with the evidence that its tables hold, which a test may change. */
function sourceOf(
  texts: readonly string[],
  orbId: string,
  change: (evidence: LineEvidence) => LineEvidence = (evidence) => evidence,
): EvidenceSource {
  const journal = new LineJournal(orbId, (index) => texts[index]);
  for (const [index, text] of texts.entries()) foldEntry(journal.at(index), index, text);
  return {
    lineEvidence: async () => ({ ...change(journal.evidence()), size: texts.length, root: new Uint8Array(32) }),
    receiptTotals: () => Promise.reject(new Error('nothing is counted here')),
    tierChanges: async () => [],
    entries: async (from, to) => texts.slice(from, Math.min(to, from + 1000)),
  };
}

const { signal } = new AbortController();
const check = (source: EvidenceSource, orbId: string): Promise<CheckedOrb> =>
  scoreHere(source).check({ orbId, asOf: AS_OF }, signal);

const BRONZE = [publishEntry(), testReportEntry()];

describe('a check of a score against the log', () => {
  it('finds that the tables of any log say what its entries say', async () => {
    const version = fc.constantFrom(...VERSIONS);
    await fc.assert(
      fc.asyncProperty(aLog, version, async (log, [orbId]) => {
        const texts = textsOf(log);
        const { size, differing } = await check(sourceOf(texts, orbId), orbId);
        expect([size, differing]).to.deep.equal([texts.length, []]);
      }),
      { numRuns: 100 },
    );
  });

  const wrong: readonly (readonly [
    what: string,
    change: (evidence: LineEvidence) => LineEvidence,
    differing: readonly string[],
  ])[] = [
    [
      'a test report that the tables do not have',
      ({ days, events }) => ({ days, events: events.filter(({ entry }) => entry.kind !== 'test_report') }),
      ['score_bp', 'criteria.SCORE_GE_40', 'criteria.TESTS_REQUIRED_PASS', 'criteria.NO_ACTIVE_CAP'],
    ],
    ['a version that the tables do not have', ({ days }) => ({ days, events: [] }), ['manifest_digest', 'score_bp']],
    [
      'runs that the log does not have',
      ({ events }) => ({
        events,
        days: [1, 2, 3].map((caller) => ({
          manifestDigest: 'sha256:none',
          callerTag: `ct_${caller}`,
          day: AS_OF,
          self: false,
          success: 10,
          within_slo: 10,
          failed: 0,
          caller_error: 0,
          platform_error: 0,
          policy_denied: 0,
        })),
      }),
      ['criteria.RUNS_EFFECTIVE_GE_100', 'criteria.CALLERS_GE_5'],
    ],
  ];
  for (const [what, change, members] of wrong)
    it(`finds ${what}, and names the members`, async () => {
      const { differing } = await check(sourceOf(BRONZE, ORB, change), ORB);
      expect(differing).to.include.members([...members]);
    });

  it('reads a long log in slices, and ends between two of them', async () => {
    const texts = [...BRONZE, ...Array.from({ length: 2500 }, () => testReportEntry({ provenance: 'self_reported' }))];
    const desk = new ScoreDesk(sourceOf(texts, ORB));
    await desk.beginCheck({ orbId: ORB, asOf: AS_OF });
    const steps: (CheckedOrb | null)[] = [];
    for (let step = 0; step < 3; step += 1) steps.push(await desk.stepCheck());
    expect(steps).to.deep.equal([null, null, { size: 2502, differing: [] }]);
    expect(await refusal(desk.stepCheck())).to.be.instanceOf(TypeError);
    const ended = new AbortController();
    ended.abort();
    const stopped = scoreHere(sourceOf(texts, ORB)).check({ orbId: ORB, asOf: AS_OF }, ended.signal);
    expect(await refusal(stopped)).to.equal(ended.signal.reason);
  });
});
