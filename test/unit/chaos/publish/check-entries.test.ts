import { expect } from 'chai';
import { readEntry } from '../../../../core/log-entry/entry.ts';
import { entryFaults } from '../../../chaos/publish/check-entries.ts';
import type { PlacedEntry } from '../../../chaos/publish/read-log.ts';
import { newTrack, reportDigestOf, type Track } from '../../../chaos/publish/track.ts';
import { aVersion } from '../../../chaos/publish/version.ts';
import {
  auditEntry,
  certificateEntry,
  orgEntry,
  publishEntry,
  revocationEntry,
  statusEntry,
  testReportEntry,
  tierChangeEntry,
} from '../../../support/reputation-rows.ts';

const version = aVersion(0, 'http://127.0.0.1:1/ok');
const { orbId } = version;
const sent = reportDigestOf({ test_results: { number: 1 } });

const track = (): Track => ({ ...newTrack(version), reports: new Set([sent]) });
const placed = (texts: readonly string[]): readonly PlacedEntry[] =>
  texts.flatMap((text, index) => {
    const entry = readEntry(text);
    return entry === undefined ? [] : [{ index, entry }];
  });

const audit = auditEntry({ orb_id: orbId });
const publish = publishEntry(orbId);
const report = testReportEntry({ orb_id: orbId, report_sha256: sent });
const tier = tierChangeEntry({ orb_id: orbId });
const certificate = certificateEntry(0).replace('acme.echo@1.0.0', orbId);
const yank = statusEntry('yanked', orbId);
const whole = [orgEntry('verified'), audit, publish, report, tier, certificate, yank, revocationEntry()];

describe('entries after kills', () => {
  it('are accepted when each act is there once, also after a report that was lost and presented again', () => {
    expect(entryFaults(placed(whole), [track()])).to.deep.equal([]);
    expect(entryFaults(placed([audit, ...whole]), [track()])).to.deep.equal([]);
  });

  const doubled: readonly (readonly [what: string, entry: string, fault: string])[] = [
    ['publication', publish, `${orbId}: two entries for one act: publish`],
    ['report', report, `${orbId}: two entries for one act: test_report ${sent}`],
    ['yank', yank, `${orbId}: two entries for one act: orb_status yanked`],
    ['certificate of a day', certificate, `${orbId}: two entries for one act: certificate of 2026-11-20`],
    ['tier', tier, `${orbId}: two entries for one act: tier_change to bronze stable`],
    ['revocation', revocationEntry(), `the certificate ${'2'.repeat(64)} was revoked twice`],
    ['claim of an organisation', orgEntry('verified'), 'two org entries: acme verified'],
  ];
  for (const [what, entry, fault] of doubled)
    it(`are refused when there are two of one ${what}`, () => {
      expect(entryFaults(placed([...whole, entry]), [track()])).to.deep.equal([fault]);
    });

  it('are refused when one stands before its publication, or holds a report that was never sent', () => {
    const early = placed([report, publish]);
    expect(entryFaults(early, [track()])).to.deep.equal([
      `${orbId}: entry 0 is a test_report before its publish entry`,
    ]);
    expect(entryFaults(placed([publish, report]), [newTrack(version)])).to.deep.equal([
      `${orbId}: entry 1 is a test_report that was never sent`,
    ]);
  });
});
