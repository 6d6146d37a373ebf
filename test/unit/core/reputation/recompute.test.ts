import { expect } from 'chai';
import { entryText, type EntryOf, type LogEntry } from '../../../../core/log-entry/entry.ts';
import { LineFold } from '../../../../core/reputation/line-fold.ts';
import { LineJournal } from '../../../../core/reputation/journal.ts';
import { foldEntry } from '../../../../core/reputation/fold.ts';
import { Recomputation, type RepeatedChange } from '../../../../core/reputation/recompute.ts';
import { tierChangesOf } from '../../../../core/reputation/tier-changes.ts';

const ORB = 'acme.echo@1.2.0';
const OTHER = 'acme.echo@1.3.0';
const DIGEST = 'sha256:12';
const at = '2026-11-10T12:00:00.000Z';

const publish = (orbId: string, digest: string): LogEntry => ({
  kind: 'publish',
  orb_id: orbId,
  manifest_digest: digest,
  org: 'acme',
  ontology: 'orb-ontology/1.0.0',
  at,
});
const tests: LogEntry = {
  kind: 'test_report',
  orb_id: ORB,
  manifest_digest: DIGEST,
  suite_digest: null,
  report_sha256: 'aa',
  required: 4,
  passed: 4,
  provenance: 'receipted',
  tested_at: at,
  at,
};
const org = (name: string, event: 'verified' | 'suspended' = 'verified'): LogEntry => ({
  kind: 'org',
  org: name,
  event,
  proof: 'dns',
  at,
});
const change = (some: Partial<EntryOf<'tier_change'>> = {}): LogEntry => ({
  kind: 'tier_change',
  orb_id: ORB,
  manifest_digest: DIGEST,
  from: 'uncertified',
  to: 'bronze',
  tier_status: 'stable',
  score_bp: 4000,
  algorithm: 'orb-reputation/1',
  as_of: '2026-11-20',
  tree_size: 4,
  criteria_failed: [],
  at,
  ...some,
});

/** Published by the second entry, tested by the third, of a verified organisation by the fourth. */
const LOG: readonly LogEntry[] = [publish(OTHER, 'sha256:13'), publish(ORB, DIGEST), tests, org('acme')];

function recomputed(log: readonly LogEntry[], orbId = ORB): Recomputation {
  const texts = log.map(entryText);
  const found = new Recomputation(orbId, (index) => texts[index]);
  texts.forEach((text, index) => found.fold(index, text));
  return found;
}

const changeOf = (some: Partial<EntryOf<'tier_change'>>): Omit<RepeatedChange, 'change'> | undefined => {
  const [first] = recomputed([...LOG, change(some)]).tierChanges(5);
  return first && { scoreBp: first.scoreBp, computed: first.computed, ok: first.ok };
};

describe('a score that is computed from the log alone', () => {
  it('is of the version that was published under its own name, in the entries that count', () => {
    const found = recomputed(LOG);
    const score = found.at(4, '2026-11-20');
    expect([score?.manifestDigest, score?.score.scoreBp, score?.judgement.tier]).to.deep.equal([
      DIGEST,
      4000,
      'bronze',
    ]);
    // Without the entry of its organisation.
    expect(found.at(3, '2026-11-20')?.judgement.tier).to.equal('uncertified');
    expect(found.at(1, '2026-11-20')).to.equal(undefined);
    expect(recomputed(LOG, 'acme.none@1.0.0').at(4, '2026-11-20')).to.equal(undefined);
  });

  const good = { scoreBp: 4000, computed: 'bronze', ok: true };
  const rows: readonly (readonly [why: string, some: Partial<EntryOf<'tier_change'>>, found: object])[] = [
    ['the change that follows from its tree', {}, good],
    ['another score', { score_bp: 4001 }, { ...good, ok: false }],
    ['another version', { manifest_digest: 'sha256:13' }, { ...good, ok: false }],
    ['a promotion above the computed tier', { to: 'silver' }, { ...good, ok: false }],
    ['a fall to any tier', { from: 'gold', to: 'silver' }, good],
    [
      'another day, on which the tests count no more',
      { as_of: '2027-03-01' },
      { ...good, scoreBp: 0, computed: 'uncertified', ok: false },
    ],
    ['a tree that the log did not have then', { tree_size: 5 }, { scoreBp: null, computed: null, ok: false }],
    ['a tree in which it was not published', { tree_size: 1 }, { scoreBp: null, computed: null, ok: false }],
    ['another algorithm', { algorithm: 'orb-reputation/0' }, { scoreBp: null, computed: null, ok: true }],
  ];
  for (const [why, some, found] of rows)
    it(`judges a change of the tier: ${why}`, () => {
      expect(changeOf(some)).to.deep.equal(found);
    });

  it('lists the changes of this version alone, in the entries that count', () => {
    const found = recomputed([...LOG, change(), change({ orb_id: OTHER }), change({ to: 'silver' })]);
    expect(found.tierChanges(7).map(({ change: { index } }) => index)).to.deep.equal([4, 6]);
    expect(found.tierChanges(6).map(({ change: { index } }) => index)).to.deep.equal([4]);
  });
});

describe('the evidence of one line', () => {
  const run = (orbId: string, index: number): EntryOf<'receipt'> => ({
    kind: 'receipt',
    receipt_id: `rcpt_${index}`,
    orb_id: orbId,
    manifest_digest: DIGEST,
    caller_tag: 'ct_a',
    self: false,
    outcome: 'success',
    duration_ms: 10,
    slo_ms: 500,
    finished_at: at,
    jws_sha256: 'aa',
  });
  const log = [
    ...LOG,
    run(ORB, 4),
    run(OTHER, 5),
    run('acme.other@1.0.0', 6),
    run('acme.echo@2.0.0', 7),
    org('zeta', 'suspended'),
    { kind: 'retraction', index: 4, reason: 'wrong', at } satisfies LogEntry,
    publish('acme.other@1.0.0', 'sha256:99'),
  ];
  const texts = log.map(entryText);

  it('has its own runs and events, those of its organisation, and no others, however it is folded', () => {
    const fold = new LineFold(ORB, (index) => texts[index]);
    const journal = new LineJournal(ORB, (index) => texts[index]);
    texts.forEach((text, index) => {
      fold.fold(index, text);
      foldEntry(journal.at(index), index, text);
    });
    for (const evidence of [fold.evidence(), journal.evidence()]) {
      expect(evidence.events.map(({ index }) => index)).to.deep.equal([0, 1, 2, 3]);
      expect(evidence.days.map(({ success }) => success)).to.deep.equal([1]);
    }
    expect(journal.evidence(9).days.map(({ success }) => success)).to.deep.equal([2]);
    expect(journal.evidence(4).days).to.deep.equal([]);
  });

  it('counts each outcome by its name', () => {
    const outcomes = [
      ['success', 1],
      ['orb_error', 2],
      ['timeout', 3],
      ['caller_error', 4],
      ['platform_error', 6],
      ['policy_denied', 7],
    ] as const;
    const entries = outcomes
      .flatMap(([outcome, times]) => Array.from({ length: times }, () => outcome))
      .map((outcome, index) => entryText({ ...run(ORB, index), outcome, duration_ms: 501 }));
    const fold = new LineFold(ORB, () => undefined);
    const journal = new LineJournal(ORB, () => undefined);
    entries.forEach((text, index) => {
      fold.fold(index, text);
      foldEntry(journal.at(index), index, text);
    });
    for (const [day] of [fold.evidence().days, journal.evidence().days])
      expect(day).to.deep.include({
        success: 1,
        within_slo: 0,
        failed: 5,
        caller_error: 4,
        platform_error: 6,
        policy_denied: 7,
      });
  });

  it('has more rows than its memory had at first', () => {
    const journal = new LineJournal(ORB, () => undefined);
    for (let index = 0; index < 2500; index += 1) foldEntry(journal.at(index), index, entryText(run(ORB, index)));
    expect(journal.evidence().days.map(({ success, within_slo: quick }) => [success, quick])).to.deep.equal([
      [2500, 2500],
    ]);
    expect(journal.evidence(1025).days.map(({ success }) => success)).to.deep.equal([1025]);
  });
});

describe('changes of the tier in the ledger', () => {
  it('are the entries of their kind, with their places', () => {
    const placed = [...LOG, change()].map((entry, index) => ({ index: index + 7, entry: entryText(entry) }));
    expect(tierChangesOf([...placed, { index: 99, entry: '{' }]).map(({ index }) => index)).to.deep.equal([11]);
  });
});
