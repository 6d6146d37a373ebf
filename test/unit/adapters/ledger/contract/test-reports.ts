import { expect } from 'chai';
import type { Ledger } from '../../../../../adapters/ledger/port.ts';
import { refusal } from '../../../../support/refusal.ts';
import {
  anAudit,
  anOrg,
  aPublication,
  aReport,
  ORB,
  statusEntry,
  testReportEntry,
  TOO_LONG,
} from '../../../../support/reputation-rows.ts';
import type { Contract } from '../contract.ts';

export function testReportContract({ it }: Contract): void {
  describe('test reports', () => {
    const next = { orbId: ORB, namespace: 'acme', report: aReport('2'), entry: testReportEntry() };

    it('come with the publication and later, each once; the newest is given', async (fixture) => {
      const { ledger } = fixture;
      await ledger.publish(aPublication());
      const bare = { ...next, report: { ...aReport('2'), suites: null } };
      const added = { kind: 'done', logIndex: 3 };
      expect(await Promise.all([bare, bare].map((one) => ledger.addTestReport(one)))).to.deep.equal([added, added]);
      expect(await ledger.addTestReport({ ...next, report: aReport() })).to.deep.equal({ kind: 'done', logIndex: 2 });
      expect(await ledger.logSize()).to.equal(4);
      const reopened = await fixture.reopen();
      expect(await reopened.testReport(ORB)).to.deep.equal({ ...bare.report, logIndex: 3 });
      const { statement, suites } = bare.report;
      expect(await reopened.publicTestReport(ORB)).to.deep.equal({ statement, suites, logIndex: 3 });
      expect(await reopened.publicTestReport('acme.other@1.0.0')).to.equal(undefined);
    });

    it('are refused of a version that was never published, and with too long an entry', async ({ ledger }) => {
      expect(await refusal(ledger.addTestReport(next))).to.be.instanceOf(TypeError);
      await ledger.publish(aPublication());
      expect(await refusal(ledger.addTestReport({ ...next, entry: TOO_LONG }))).to.be.instanceOf(TypeError);
      expect(await ledger.hasTestReport(ORB, next.report.sha256)).to.equal(false);
      expect(await ledger.testReport('acme.other@1.0.0')).to.equal(undefined);
    });

    const late: readonly (readonly [why: string, change: (ledger: Ledger) => Promise<unknown>])[] = [
      ['the organisation was suspended', (ledger) => ledger.putOrg(anOrg({ state: 'suspended' }), '{}', [])],
      ['the proof does not hold', (ledger) => ledger.putOrg(anOrg({ state: 'unverified' }), '{}', [])],
      ['another namespace owns it', (ledger) => ledger.putOrg(anOrg({ namespace: 'globex' }), '{}', [])],
      [
        'the version was yanked',
        (ledger) =>
          ledger.setOrbStatus({
            orbId: ORB,
            from: 'active',
            to: 'yanked',
            reason: '',
            entries: [statusEntry('yanked')],
            revoke: null,
          }),
      ],
    ];
    for (const [why, change] of late)
      it(`are not taken when ${why} meanwhile`, async ({ ledger }) => {
        await ledger.publish(aPublication());
        await change(ledger);
        const size = await ledger.logSize();
        expect(await ledger.addTestReport(next)).to.deep.equal({ kind: 'conflict' });
        expect(await ledger.logSize()).to.equal(size);
        expect(await ledger.hasTestReport(ORB, next.report.sha256)).to.equal(false);
      });
  });

  describe('audits', () => {
    it('append one entry for a report of a version, also at once, and after a restart', async (fixture) => {
      const { ledger } = fixture;
      const results = await Promise.all([1, 2, 3].map(() => ledger.recordAudit(anAudit())));
      const exists = { kind: 'exists' };
      expect(results).to.deep.equal([{ kind: 'done', logIndex: 0 }, exists, exists]);
      const reopened = await fixture.reopen();
      expect(await reopened.recordAudit(anAudit())).to.deep.equal(exists);
      expect(await reopened.entries(0, 9)).to.deep.equal([anAudit().entry]);
    });

    it('tell reports and versions apart', async ({ ledger }) => {
      const others = [anAudit('1'), anAudit('2'), anAudit('1', { orbId: 'acme.echo@1.0.1' })];
      for (const [index, audit] of others.entries())
        expect(await ledger.recordAudit(audit)).to.deep.equal({ kind: 'done', logIndex: index });
    });

    it('are refused with too long an entry, and can be recorded then', async ({ ledger }) => {
      expect(await refusal(ledger.recordAudit(anAudit('1', { entry: TOO_LONG })))).to.be.instanceOf(TypeError);
      expect((await ledger.recordAudit(anAudit())).kind).to.equal('done');
    });
  });
}
