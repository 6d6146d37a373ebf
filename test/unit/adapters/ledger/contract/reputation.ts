import { expect } from 'chai';
import { LedgerError } from '../../../../../adapters/ledger/port.ts';
import { rootOf } from '../../../../../core/merkle/tree.ts';
import { sha256 } from '../../../../../adapters/keys/primitives.ts';
import { aFinish, aStart, aSwap } from '../../../../support/ledger-rows.ts';
import { foldedTwice } from '../../../../support/memory-fold.ts';
import { refusal } from '../../../../support/refusal.ts';
import {
  aPromotion,
  anOrg,
  aPublication,
  aPublicFinish,
  auditEntry,
  DIGEST,
  digestOfLetter,
  incidentEntry,
  LINE,
  ORB,
  orgEntry,
  retractionEntry,
  statusEntry,
  testReportEntry,
  violationEntry,
} from '../../../../support/reputation-rows.ts';
import type { Contract } from '../contract.ts';

const NONE = { success: 0, within_slo: 0, failed: 0, caller_error: 0, platform_error: 0, policy_denied: 0 };
const DAY = { manifestDigest: DIGEST, callerTag: 'tag-1', day: '2026-11-20', self: false };

export function reputationContract({ it }: Contract): void {
  describe('reputation', () => {
    it('counts public runs by version, caller, day and self, and private ones not at all', async (fixture) => {
      const { ledger } = fixture;
      const other = digestOfLetter('b');
      await ledger.recordRun(aStart(1), aPublicFinish(1));
      await ledger.recordRun(aStart(2), aPublicFinish(2, { duration_ms: 1001 }));
      await ledger.recordRun(aStart(3), aFinish(3));
      await Promise.all([
        ledger.recordRun(aStart(4), aPublicFinish(4, { outcome: 'timeout' })),
        ledger.recordRun(aStart(5), aPublicFinish(5, { outcome: 'orb_error' })),
        ledger.recordRun(aStart(6), aPublicFinish(6, { outcome: 'caller_error' })),
        ledger.recordRun(aStart(7), aPublicFinish(7, { outcome: 'platform_error' })),
        ledger.recordRun(aStart(8), aPublicFinish(8, { outcome: 'policy_denied' })),
        ledger.recordRun(aStart(9), aPublicFinish(9, { self: true })),
        ledger.recordRun(aStart(10), aPublicFinish(10, { manifest_digest: other, orb_id: 'acme.echo@1.2.0' })),
        ledger.recordRun(aStart(11), aPublicFinish(11, { orb_id: 'acme.echo@2.0.0' })),
      ]);
      const mixed = { ...NONE, success: 2, within_slo: 1, failed: 2, caller_error: 1, platform_error: 1 };
      const one = { ...NONE, success: 1, within_slo: 1 };
      const days = [
        { ...DAY, ...mixed, policy_denied: 1 },
        { ...DAY, ...one, self: true },
        { ...DAY, ...one, manifestDigest: other },
      ];
      for (const open of [fixture.current, fixture.reopen]) {
        const ledgerNow = await open();
        expect((await ledgerNow.lineEvidence(LINE, 'acme')).days).to.deep.equal(days);
        expect((await ledgerNow.lineEvidence('acme.echo@2', 'acme')).days).to.deep.equal([{ ...DAY, ...one }]);
      }
    });

    it('gives the entries of line and organisation in the order of the log, and the tree', async ({ ledger }) => {
      await ledger.appendEntries([orgEntry('verified', 'globex'), orgEntry('verified')]);
      await ledger.putOrg(anOrg(), null, []);
      await ledger.publish(aPublication({ claim: null }));
      await ledger.recordSwap(aSwap(1));
      const rest = [
        incidentEntry(),
        auditEntry(),
        incidentEntry({ orb_id: null }),
        violationEntry(),
        orgEntry('suspended'),
      ];
      await ledger.appendEntries([...rest, statusEntry('suspended'), statusEntry('yanked', 'acme.echo@2.0.0'), '{}']);
      const { events, size, root } = await ledger.lineEvidence(LINE, 'acme');
      expect(events.map(({ index, entry }) => [index, entry.kind])).to.deep.equal([
        [1, 'org'],
        [2, 'org'],
        [3, 'publish'],
        [4, 'test_report'],
        [6, 'incident'],
        [7, 'audit'],
        [9, 'violation'],
        [10, 'org'],
        [11, 'orb_status'],
      ]);
      expect(size).to.equal(14);
      expect(Buffer.from(root)).to.deep.equal(Buffer.from(await ledger.rootAt(14)));
      const [found, expected] = await foldedTwice(ledger);
      expect(found).to.deep.equal(expected);
    });

    it('reads a long line as one state of the ledger, while others write and read', async ({ ledger }) => {
      const many = Array.from({ length: 2500 }, (_, number) => incidentEntry({ incident_id: `inc-${number}` }));
      await ledger.appendEntries(many);
      const before = Promise.all([ledger.lineEvidence(LINE, 'acme'), ledger.lineEvidence(LINE, 'acme')]);
      await ledger.appendEntries(many);
      expect(await ledger.logSize()).to.equal(5000);
      for (const { events, size } of [...(await before), await ledger.lineEvidence(LINE, 'acme')])
        expect(events.length).to.equal(size);
      expect((await ledger.lineEvidence(LINE, 'acme')).size).to.equal(5000);
    });

    it('closes while a long line is read: the read gives all of it, or rejects', async (fixture) => {
      const { ledger } = fixture;
      await ledger.appendEntries(Array.from({ length: 2500 }, () => auditEntry()));
      const reads = Promise.allSettled([ledger.lineEvidence(LINE, 'acme'), ledger.lineEvidence(LINE, 'acme')]);
      await new Promise((resolve) => setImmediate(resolve));
      await ledger.close();
      for (const settled of await reads) {
        if (settled.status === 'rejected') expect(settled.reason).to.be.instanceOf(LedgerError);
        else expect(settled.value.events.length).to.equal(2500);
      }
      expect((await (await fixture.reopen()).lineEvidence(LINE, 'acme')).events.length).to.equal(2500);
    });

    it('gives the empty tree of an empty log', async ({ ledger }) => {
      const evidence = { days: [], events: [], size: 0, root: rootOf([], sha256) };
      expect(await ledger.lineEvidence(LINE, 'acme')).to.deep.equal(evidence);
    });

    it('takes a retracted entry out, once', async (fixture) => {
      const { ledger } = fixture;
      await ledger.recordRun(aStart(1), aPublicFinish(1));
      await ledger.recordRun(aStart(2), aPublicFinish(2));
      await ledger.appendEntries([violationEntry()]);
      expect(await ledger.retract(retractionEntry(0), 0)).to.deep.equal({ kind: 'done', logIndex: 3 });
      const results = await Promise.all([0, 1].map(() => ledger.retract(retractionEntry(2), 2)));
      expect(results).to.deep.equal([{ kind: 'done', logIndex: 4 }, { kind: 'not-retractable' }]);
      // The fold itself ignores a second retraction, as every reader of the log does.
      await ledger.appendEntries([retractionEntry(0), retractionEntry(2)]);
      for (const open of [fixture.current, fixture.reopen]) {
        const one = await open();
        const { days, events } = await one.lineEvidence(LINE, 'acme');
        expect(days).to.deep.equal([{ ...DAY, ...NONE, success: 1, within_slo: 1 }]);
        expect(events).to.deep.equal([]);
        expect(await Promise.all([0, 1, 2, 3, 99].map((index) => one.isRetracted(index)))).to.deep.equal([
          true,
          false,
          true,
          false,
          false,
        ]);
      }
    });

    it('tells the newest entry of each version, line and organisation, runs apart', async (fixture) => {
      const { ledger } = fixture;
      await ledger.publish(aPublication());
      await ledger.recordRun(aStart(1), aPublicFinish(1));
      await ledger.recordRun(aStart(2), aFinish(2));
      await ledger.recordRun(aStart(3), aPublicFinish(3));
      await ledger.appendEntries([violationEntry(), incidentEntry({ orb_id: null }), statusEntry('yanked'), '{}']);
      const first = [
        { subject: 'acme', kind: 'event', logIndex: 0 },
        { subject: LINE, kind: 'run', logIndex: 5 },
        { subject: LINE, kind: 'event', logIndex: 6 },
        { subject: ORB, kind: 'event', logIndex: 8 },
      ];
      expect(await ledger.newestEvidence(-1)).to.deep.equal(first);
      expect(await ledger.newestEvidence(5)).to.deep.equal(first.slice(2));
      // An evaluation of its own is no evidence: it would make the next one due.
      await ledger.evaluate(aPromotion(0, { treeSize: 1 }));
      await ledger.appendEntries([orgEntry('suspended'), testReportEntry()]);
      const reopened = await fixture.reopen();
      expect(await reopened.newestEvidence(8)).to.deep.equal([
        { subject: 'acme', kind: 'event', logIndex: 12 },
        { subject: ORB, kind: 'event', logIndex: 13 },
      ]);
    });

    it('tells a retraction as the newest event of what it was about, with its own index', async ({ ledger }) => {
      await ledger.appendEntries([testReportEntry(), auditEntry()]);
      await ledger.recordRun(aStart(1), aPublicFinish(1));
      const last = (await ledger.newestEvidence(-1)).at(-1)?.logIndex;
      expect(last).to.equal(2);
      for (const index of [2, 0, 1]) await ledger.retract(retractionEntry(index), index);
      expect(await ledger.newestEvidence(2)).to.deep.equal([
        { subject: ORB, kind: 'event', logIndex: 4 },
        { subject: LINE, kind: 'event', logIndex: 5 },
      ]);
      // The fold ignores it, so no score follows from it.
      await ledger.appendEntries([retractionEntry(1)]);
      expect(await ledger.newestEvidence(5)).to.deep.equal([]);
    });

    it('tells at most 1 000 newest entries a call, in the order of the log', async ({ ledger }) => {
      const orgs = Array.from({ length: 1001 }, (_, number) => orgEntry('verified', `org-${number}`));
      await ledger.appendEntries(orgs);
      const first = await ledger.newestEvidence(-1);
      const rest = await ledger.newestEvidence(first.at(-1)?.logIndex ?? -1);
      expect([first.length, rest.map(({ subject }) => subject)]).to.deep.equal([1000, ['org-1000']]);
    });

    it('gives the last changes of status of one version, the newest first', async ({ ledger }) => {
      const entries = [
        statusEntry('deprecated'),
        statusEntry('yanked', 'acme.echo@1.1.0'),
        statusEntry('active'),
        auditEntry(),
        statusEntry('suspended', 'acme.echo@2.0.0'),
      ];
      await ledger.appendEntries(entries);
      expect(await ledger.statusEntries(ORB, 5)).to.deep.equal([
        { index: 2, entry: entries[2] },
        { index: 0, entry: entries[0] },
      ]);
      expect((await ledger.statusEntries(ORB, 1)).map(({ index }) => index)).to.deep.equal([2]);
      expect(await ledger.statusEntries('acme.none@1.0.0', 5)).to.deep.equal([]);
    });

    it('retracts no entry that is not there, of another kind, or of no kind', async ({ ledger }) => {
      await ledger.appendEntries([orgEntry('verified'), '{}', retractionEntry(99)]);
      expect(await ledger.retract(retractionEntry(3), 3)).to.deep.equal({ kind: 'not-found' });
      for (const index of [0, 1, 2])
        expect(await ledger.retract(retractionEntry(index), index)).to.deep.equal({ kind: 'not-retractable' });
      expect(await refusal(ledger.retract(retractionEntry(1), 0))).to.be.instanceOf(TypeError);
      expect(await refusal(ledger.retract('{}', 0))).to.be.instanceOf(TypeError);
      expect(await ledger.logSize()).to.equal(3);
    });

    it('counts nothing of a run that was refused', async ({ ledger }) => {
      await ledger.recordRun(aStart(1), aPublicFinish(1));
      const again = aPublicFinish(1);
      expect((await ledger.finishRun(again)).kind).to.equal('closed');
      expect(await refusal(ledger.finishRun(aPublicFinish(2)))).to.be.instanceOf(TypeError);
      expect((await ledger.lineEvidence(LINE, 'acme')).days).to.deep.equal([
        { ...DAY, ...NONE, success: 1, within_slo: 1 },
      ]);
    });
  });
}
