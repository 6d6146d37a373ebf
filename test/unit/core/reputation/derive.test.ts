import { expect } from 'chai';
import { daysBetween, deriveInput, type DayRow, type LineEvidence } from '../../../../core/reputation/derive.ts';
import { evaluate } from '../../../../core/reputation/evaluation.ts';
import { NEVER_HELD } from '../../../../core/reputation/held-tier.ts';

const SUBJECT = { orbId: 'acme.echo@1.2.0', manifestDigest: 'sha256:12', asOf: '2026-11-20', logWitnessed: null };
const at = '2026-11-10T12:00:00.000Z';
const NONE = { success: 0, within_slo: 0, failed: 0, caller_error: 0, platform_error: 0, policy_denied: 0 };
const row = (some: Partial<DayRow>): DayRow => ({
  manifestDigest: 'sha256:11',
  callerTag: 'ct_a',
  day: '2026-11-10',
  self: false,
  ...NONE,
  ...some,
});

const groupsOf = (...days: readonly DayRow[]) => deriveInput({ days, events: [] }, SUBJECT).groups;

describe('runs of a line in groups', () => {
  const group = {
    caller: 'ct_a',
    epoch: '2026-11',
    age_days: 10,
    version: 'same_major',
    self: false,
    runs: 3,
    success: 2,
    within_slo: 1,
  };

  it('are those of one caller, day and age, of all other versions together', () => {
    const counts = { success: 2, within_slo: 1, failed: 1 };
    expect(groupsOf(row(counts), row({ ...counts, manifestDigest: 'sha256:10' }))).to.deep.equal([
      { ...group, runs: 6, success: 4, within_slo: 2 },
    ]);
    expect(groupsOf(row({ ...counts, manifestDigest: 'sha256:12' }))).to.deep.equal([{ ...group, version: 'same' }]);
    expect(groupsOf(row({ caller_error: 4, platform_error: 1, policy_denied: 2 }))).to.deep.equal([]);
    expect(groupsOf(row({ failed: 3 }))).to.deep.equal([{ ...group, success: 0, within_slo: 0 }]);
  });

  it('have one order, whatever the order of the runs, because their sums are rounded', () => {
    const rows = [
      row({ success: 1, callerTag: 'ct_b' }),
      row({ success: 2, day: '2026-10-31' }),
      row({ success: 3, day: '2026-11-11' }),
      row({ success: 4, self: true }),
      row({ success: 5, manifestDigest: 'sha256:12' }),
      row({ success: 6 }),
    ];
    const order = [2, 3, 5, 6, 4, 1];
    expect(groupsOf(...rows).map(({ runs }) => runs)).to.deep.equal(order);
    expect(groupsOf(...rows.toReversed()).map(({ runs }) => runs)).to.deep.equal(order);
  });
});

describe('days between a time and a day', () => {
  it('are whole days of the calendar in UTC, and never negative', () => {
    const days = ['2026-11-20T23:59:59.999Z', '2026-11-19T23:59:59.999Z', '2026-10-31', '2026-11-21T00:00:00.000Z'];
    expect(days.map((time) => daysBetween(time, '2026-11-20'))).to.deep.equal([0, 1, 20, 0]);
  });
});

describe('evaluate', () => {
  const evidence: LineEvidence = {
    days: [],
    events: [
      {
        index: 0,
        entry: { kind: 'publish', orb_id: SUBJECT.orbId, manifest_digest: 'sha256:12', org: 'acme', ontology: 'o', at },
      },
      {
        index: 1,
        entry: {
          kind: 'test_report',
          orb_id: SUBJECT.orbId,
          manifest_digest: 'sha256:12',
          suite_digest: null,
          report_sha256: 'aa',
          required: 4,
          passed: 4,
          provenance: 'receipted',
          tested_at: at,
          at,
        },
      },
      { index: 2, entry: { kind: 'org', org: 'acme', event: 'verified', proof: 'dns', at } },
    ],
  };
  const now = Date.parse('2026-11-20T00:00:00.000Z');

  it('gives the first bronze, and says that the tier is another one than before', () => {
    const { held, changed, judgement } = evaluate(evidence, SUBJECT, NEVER_HELD, now);
    expect([held.tier, held.status, changed, judgement.tier]).to.deep.equal(['bronze', 'stable', true, 'bronze']);
    expect(evaluate(evidence, SUBJECT, held, now + 1).changed).to.equal(false);
  });

  it('takes the tier away by a cap at once, and marks a tier at risk', () => {
    const { held } = evaluate(evidence, SUBJECT, NEVER_HELD, now);
    const untested = { ...evidence, events: evidence.events.filter(({ index }) => index !== 1) };
    const capped = evaluate(untested, SUBJECT, held, now);
    expect([capped.held.tier, capped.changed]).to.deep.equal(['uncertified', true]);
    const unverified = { ...evidence, events: evidence.events.filter(({ index }) => index !== 2) };
    const atRisk = evaluate(unverified, SUBJECT, held, now);
    expect([atRisk.held.tier, atRisk.held.status, atRisk.changed]).to.deep.equal(['bronze', 'at_risk', true]);
  });
});
