import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Ledger } from '../../../../adapters/ledger/port.ts';
import type { UpgradeProgress } from '../../../../adapters/ledger/sqlite/protocol.ts';
import { openSqliteLedger } from '../../../../adapters/ledger/sqlite-ledger.ts';
import { aFinish, aStart, aSwap } from '../../../support/ledger-rows.ts';
import { foldedTwice } from '../../../support/memory-fold.ts';
import { makeOlder } from '../../../support/older-ledger.ts';
import {
  aPublicFinish,
  auditEntry,
  digestOfLetter,
  incidentEntry,
  ORB,
  orgEntry,
  publishEntry,
  retractionEntry,
  statusEntry,
  testReportEntry,
  tierChangeEntry,
  violationEntry,
} from '../../../support/reputation-rows.ts';
import { openSqliteFixture } from '../../../support/sqlite-ledger.ts';

const ORBS = [ORB, 'acme.echo@1.4.0', 'acme.echo@0.3.1', 'globex.mail@2.0.0'];
const OUTCOMES = ['success', 'orb_error', 'timeout', 'policy_denied', 'caller_error', 'platform_error'] as const;

type Write = (ledger: Ledger, number: number) => Promise<unknown>;

const orb = fc.constantFrom(...ORBS);
const appended = (entry: fc.Arbitrary<string>): fc.Arbitrary<Write> =>
  entry.map((text) => (ledger) => ledger.appendEntries([text]));

const publicRun: fc.Arbitrary<Write> = fc
  .record({
    orb_id: orb,
    manifest_digest: fc.constantFrom('a', 'b').map(digestOfLetter),
    caller_tag: fc.constantFrom('tag-1', 'tag-2', 'ž"\\'),
    self: fc.boolean(),
    outcome: fc.constantFrom(...OUTCOMES),
    duration_ms: fc.constantFrom(10, 1000, 1001),
    finished_at: fc.constantFrom('2026-11-20T23:59:59.999Z', '2026-11-21T00:00:00.000Z'),
  })
  .map((change) => (ledger, number) => ledger.recordRun(aStart(number), aPublicFinish(number, change)));

const write: fc.Arbitrary<Write> = fc.oneof(
  { weight: 6, arbitrary: publicRun },
  fc.constant<Write>((ledger, number) => ledger.recordRun(aStart(number), aFinish(number))),
  fc.constant<Write>((ledger, number) => ledger.recordSwap(aSwap(number, { orbUid: `uid-${number}` }))),
  appended(orb.map((orbId) => publishEntry(orbId))),
  appended(orb.map((orbId) => testReportEntry({ orb_id: orbId }))),
  appended(orb.map((orbId) => incidentEntry({ orb_id: orbId }))),
  appended(orb.map((orbId) => violationEntry({ orb_id: orbId }))),
  appended(orb.map((orbId) => auditEntry({ orb_id: orbId }))),
  appended(orb.map((orbId) => statusEntry('suspended', orbId))),
  appended(orb.map((orbId) => tierChangeEntry({ orb_id: orbId }))),
  appended(fc.constantFrom('verified', 'suspended').map((event) => orgEntry(event))),
  appended(fc.constantFrom('{}', '[1]', '{"kind":"publish","v":1}', incidentEntry({ orb_id: null }))),
  { weight: 3, arbitrary: appended(fc.nat(40).map(retractionEntry)) },
  fc.nat(40).map<Write>((index) => (ledger) => ledger.retract(retractionEntry(index), index)),
);

/** Writes in groups: those of a group are committed together. */
async function writeAll(ledger: Ledger, groups: readonly (readonly Write[])[]): Promise<void> {
  let number = 0;
  for (const group of groups) await Promise.all(group.map((one) => one(ledger, (number += 1))));
}

async function checkFolded(ledger: Ledger): Promise<void> {
  const [found, expected] = await foldedTwice(ledger);
  expect(found).to.deep.equal(expected);
}

describe('the fold in the ledger', function suite() {
  this.timeout(60_000);

  it('has in its tables what the entries of its log fold into', async () => {
    const groups = fc.array(fc.array(write, { maxLength: 12 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(groups, async (some) => {
        const fixture = await openSqliteFixture();
        try {
          await writeAll(fixture.ledger, some);
          await checkFolded(fixture.ledger);
        } finally {
          await fixture.dispose();
        }
      }),
      { numRuns: 200 },
    );
  });

  it('is made from the log of an older ledger, with progress', async () => {
    const fixture = await openSqliteFixture();
    const { ledger, options } = fixture;
    await ledger.recordRun(aStart(1), aPublicFinish(1));
    await ledger.recordRun(aStart(2), aFinish(2));
    await ledger.appendEntries([publishEntry(), violationEntry(), retractionEntry(3), tierChangeEntry(), '{}']);
    const many = Array.from({ length: 1000 }, (_, number) => incidentEntry({ incident_id: `inc-${number}` }));
    for (let round = 0; round < 100; round += 1) await ledger.appendEntries(many);
    const before = await ledger.lineEvidence('acme.echo@1', 'acme');
    await ledger.close();
    const db = new DatabaseSync(options.file);
    makeOlder(db, 2);
    db.close();
    const progress: UpgradeProgress[] = [];
    const opened = await openSqliteLedger({ ...options, onUpgrading: (made) => progress.push(made) });
    try {
      expect(progress).to.deep.equal([{ work: 'runs' }, { work: 'log', done: 100_000, total: 100_007 }]);
      const after = await opened.lineEvidence('acme.echo@1', 'acme');
      expect([after.days, after.events.length, after.size]).to.deep.equal([
        before.days,
        before.events.length,
        before.size,
      ]);
      expect(after.events.slice(0, 3)).to.deep.equal(before.events.slice(0, 3));
      expect(await opened.isRetracted(3)).to.equal(true);
      expect(await opened.hasPublished(ORB, digestOfLetter('a'))).to.equal(true);
      expect((await opened.tierChanges(ORB, 9)).map(({ index }) => index)).to.deep.equal([5]);
    } finally {
      await opened.close();
      await fixture.dispose();
    }
  });

  it('reads the log of an older ledger once', async () => {
    const fixture = await openSqliteFixture();
    await fixture.ledger.recordRun(aStart(1), aPublicFinish(1));
    await fixture.ledger.close();
    const db = new DatabaseSync(fixture.options.file);
    makeOlder(db, 3);
    db.close();
    for (let start = 0; start < 2; start += 1) await checkFolded(await fixture.reopen());
    await fixture.dispose();
  });
});
