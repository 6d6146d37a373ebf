import { expect } from 'chai';
import fc from 'fast-check';
import { ENTRY_MEMBERS } from '../../../../core/log-entry/entry-members.ts';
import { entryText, readEntry, type LogEntry } from '../../../../core/log-entry/entry.ts';
import { aLog } from '../../../support/reputation-log.ts';

const AT = '2026-11-20T10:00:00.250Z';
const retraction: LogEntry = { kind: 'retraction', index: 3, reason: 'dispute 7', at: AT };
const report: LogEntry = {
  kind: 'test_report',
  orb_id: 'acme.echo@1.2.0',
  manifest_digest: 'sha256:22',
  suite_digest: null,
  report_sha256: 'aa',
  required: 4,
  passed: 4,
  provenance: 'receipted',
  tested_at: AT,
  at: AT,
};
const change: LogEntry = {
  kind: 'tier_change',
  orb_id: 'acme.echo@1.2.0',
  manifest_digest: 'sha256:22',
  from: 'bronze',
  to: 'silver',
  tier_status: 'stable',
  score_bp: 7400,
  algorithm: 'orb-reputation/1',
  as_of: '2026-11-20',
  tree_size: 12,
  criteria_failed: ['CALLERS_GE_20'],
  at: AT,
};

describe('entryText', () => {
  it('is canonical JSON with the version of the entry', () => {
    expect(entryText(retraction)).to.equal(
      '{"at":"2026-11-20T10:00:00.250Z","index":3,"kind":"retraction","reason":"dispute 7","v":1}',
    );
  });
});

describe('readEntry', () => {
  it('reads what entryText writes', () => {
    fc.assert(
      fc.property(aLog, (log) => {
        expect(log.map((entry) => readEntry(entryText(entry)))).to.deep.equal(log.map((entry) => ({ v: 1, ...entry })));
      }),
    );
  });

  it('reads an entry of every kind that has a time', () => {
    for (const [kind, members] of Object.entries(ENTRY_MEMBERS)) {
      expect(Object.values(members), kind).to.include('time');
    }
  });

  const refused: readonly (readonly [why: string, entry: object])[] = [
    ['a version that it does not know', { ...retraction, v: 2 }],
    ['no version', { ...retraction, v: undefined }],
    ['an unknown kind', { ...retraction, kind: 'refund' }],
    ['a kind that every object has', { ...retraction, kind: 'toString' }],
    ['a member too many', { ...retraction, note: '' }],
    ['a member that is missing', { ...retraction, reason: undefined }],
    ['another member in the place of one', { ...retraction, reason: undefined, note: '' }],
    ['a negative index', { ...retraction, index: -1 }],
    ['an index that is no integer', { ...retraction, index: 1.5 }],
    ['a text as an index', { ...retraction, index: '3' }],
    ['a time without a zone', { ...retraction, at: '2026-11-20T10:00:00.250' }],
    ['a month 13', { ...retraction, at: '2026-13-20T10:00:00.250Z' }],
    ['a time that is a day', { ...retraction, at: '2026-11-20' }],
    ['a day that is a time', { ...change, as_of: AT }],
    ['a tier that does not exist', { ...change, to: 'plaid' }],
    ['a list with something else than texts', { ...change, criteria_failed: [1] }],
    ['null where a text is needed', { ...report, orb_id: null }],
    ['a negative number of tests', { ...report, passed: -1 }],
  ];
  for (const [why, entry] of refused) {
    it(`refuses ${why}`, () => {
      expect(readEntry(JSON.stringify({ v: 1, ...entry }))).to.equal(undefined);
    });
  }

  it('reads a report with a provenance that it does not know: it counts as self_reported', () => {
    const text = JSON.stringify({ v: 1, ...report, provenance: 'vendor' });
    expect(readEntry(text)).to.deep.include({ provenance: 'vendor' });
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(readEntry(text)).to.equal(undefined);
      }),
    );
  });
});
