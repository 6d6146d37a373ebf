import { expect } from 'chai';
import type { Ledger, NewPublication } from '../../../../../adapters/ledger/port.ts';
import { aFinish, aStart, LEDGER_NOW } from '../../../../support/ledger-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import {
  aPromotion,
  aPublication,
  aReport,
  aVersion,
  DIGEST,
  digestOfLetter,
  LINE,
  ORB,
  publishEntry,
  revocationEntry,
  statusEntry,
  testReportEntry,
} from '../../../../support/reputation-rows.ts';
import type { Contract } from '../contract.ts';

const TOO_LONG = `"${'é'.repeat(32_767)}"`;

/** Everything that a publication writes. */
const written = async (ledger: Ledger, orbId = ORB, digest = DIGEST): Promise<readonly unknown[]> => [
  (await ledger.publications(0)).filter((row) => row.orbId === orbId).length,
  await ledger.publicManifest(digest),
  (await ledger.testReport(orbId))?.sha256,
  await ledger.hasPublished(orbId, digest),
];
const NOTHING = [0, undefined, undefined, false];

export function publicationContract({ it }: Contract): void {
  describe('publications', () => {
    it('publishes a version with manifest, report, claim and entries, and has it after a restart', async (fixture) => {
      await fixture.ledger.recordRun(aStart(1), aFinish(1));
      expect(await fixture.ledger.publish(aPublication())).to.deep.equal({ kind: 'published', logIndex: 2 });
      const row = {
        orbId: ORB,
        namespace: 'acme',
        org: 'acme',
        manifestDigest: DIGEST,
        logIndex: 2,
        status: 'active',
        reason: null,
        publishedAt: LEDGER_NOW,
        projected: false,
        change: 2,
      };
      for (const open of [fixture.current, fixture.reopen]) {
        const ledger = await open();
        expect(await ledger.publications(0)).to.deep.equal([row]);
        expect(await ledger.publicManifest(DIGEST)).to.equal('{"orb_id":"ž"}');
        expect(await ledger.testReport(ORB)).to.deep.equal({ ...aReport(), logIndex: 3 });
        expect(await ledger.hasTestReport(ORB, aReport().sha256)).to.equal(true);
        expect((await ledger.org('acme'))?.state).to.equal('verified');
        expect(await ledger.entries(1, 9)).to.deep.equal(aPublication().entries);
        expect((await ledger.lineEvidence(LINE, 'acme')).events.map(({ index }) => index)).to.deep.equal([1, 2, 3]);
      }
    });

    it('publishes a version once, and tells the digest that it has', async ({ ledger }) => {
      const other = digestOfLetter('b');
      const tries = [aPublication(), aPublication(), aPublication({ manifestDigest: other })];
      const results = await Promise.all(tries.map((publication) => ledger.publish(publication)));
      const exists = { kind: 'exists', manifestDigest: DIGEST };
      expect(results).to.deep.equal([{ kind: 'published', logIndex: 1 }, exists, exists]);
      expect(await ledger.logSize()).to.equal(3);
      expect(await ledger.publicManifest(other)).to.equal(undefined);
    });

    it('keeps the organisation of another namespace from being claimed or used', async ({ ledger }) => {
      await ledger.publish(aPublication());
      const foreign = [
        aPublication({ orbId: 'acme.other@1.0.0', namespace: 'globex' }),
        aVersion('2.0.0', { namespace: 'globex' }),
      ];
      for (const publication of foreign) expect(await ledger.publish(publication)).to.deep.equal({ kind: 'org-taken' });
      expect(await ledger.logSize()).to.equal(3);
      expect((await ledger.org('acme'))?.namespace).to.equal('acme');
    });

    it('gives the organisation to the first proof: a pending claim of another namespace keeps nobody out', async (fixture) => {
      const { ledger } = fixture;
      const pending = { org: 'acme', namespace: 'globex', proof: 'dns', state: 'pending', since: 1, json: '' } as const;
      await ledger.putOrg(pending, null, []);
      expect((await ledger.publish(aVersion('2.0.0'))).kind).to.equal('published');
      expect(await ledger.org('acme')).to.include({ namespace: 'globex', state: 'pending' });
      expect((await ledger.publish(aPublication())).kind).to.equal('published');
      expect(await ledger.org('acme')).to.include({ namespace: 'acme', state: 'verified' });
    });

    it('lets one of two namespaces that claim at once have the organisation', async ({ ledger }) => {
      const claims = ['acme', 'globex'].map((namespace, number) =>
        ledger.publish(aPublication({ namespace, orbId: `acme.echo@1.0.${number}` })),
      );
      expect((await Promise.all(claims)).map(({ kind }) => kind)).to.deep.equal(['published', 'org-taken']);
    });

    it('claims an organisation that is pending or lost its proof, and leaves a suspended one alone', async ({
      ledger,
    }) => {
      const row = { org: 'acme', namespace: 'acme', proof: 'dns', since: 1, json: 'mine' } as const;
      await ledger.putOrg({ ...row, state: 'pending' }, null, []);
      await ledger.publish(aPublication());
      expect(await ledger.org('acme')).to.include({ proof: 'operator', state: 'verified', json: '{}' });
      await ledger.putOrg({ ...row, state: 'suspended' }, '{}', []);
      await ledger.publish(aPublication({ orbId: 'acme.echo@1.0.1' }));
      expect(await ledger.org('acme')).to.include({ proof: 'dns', state: 'suspended', json: 'mine' });
    });

    it('needs no claim', async ({ ledger }) => {
      expect(await ledger.publish(aVersion('1.0.0'))).to.deep.equal({ kind: 'published', logIndex: 0 });
      expect(await ledger.org('acme')).to.equal(undefined);
    });

    const refused: readonly (readonly [string, Partial<NewPublication>])[] = [
      ['whose entry is missing', { publishEntry: 3 }],
      ['whose report entry is missing', { reportEntry: -1 }],
      ['that names one entry twice', { publishEntry: 2 }],
      ['with an entry beyond 65535 bytes', { entries: [publishEntry(), testReportEntry(), TOO_LONG] }],
      ['published at no whole millisecond', { publishedAt: 0.5 }],
      ['claimed at no whole millisecond', { claim: { proof: 'dns', state: 'verified', since: 0.5, json: '' } }],
    ];
    it('refuses a row that can not be, alone and whole: the others of its group are committed', async ({ ledger }) => {
      let size = 0;
      for (const [why, change] of refused) {
        const good = aVersion(`2.0.${(size += 2)}`);
        const [error, result] = await Promise.all([
          refusal(ledger.publish({ ...aPublication(), ...change })),
          ledger.publish(good),
        ]);
        expect(error, why).to.be.instanceOf(TypeError);
        expect(result.kind, why).to.equal('published');
        expect(await ledger.logSize(), why).to.equal(size);
      }
      expect(await ledger.org('acme')).to.equal(undefined);
      expect(await written(ledger, ORB, digestOfLetter('f'))).to.deep.equal(NOTHING);
    });

    it('gives a manifest to everybody once it is published, and to its tenant', async ({ ledger }) => {
      await ledger.putManifest('acme', DIGEST, '{}');
      expect(await ledger.publicManifest(DIGEST)).to.equal(undefined);
      await ledger.publish(aPublication());
      expect(await ledger.publicManifest(DIGEST)).to.equal('{}');
      expect(await ledger.manifest('acme', DIGEST)).to.equal('{}');
      expect(await ledger.manifest('globex', DIGEST)).to.equal(undefined);
    });

    it('gives rows in the order of their last change, and those after a change only', async ({ ledger }) => {
      for (const version of ['1.0.0', '1.0.1', '1.0.2']) await ledger.publish(aVersion(version));
      await ledger.markProjected(ORB);
      await ledger.markProjected(ORB);
      await ledger.markProjected('acme.other@1.0.0');
      const rows = await ledger.publications(0);
      expect(rows.map(({ orbId, projected }) => [orbId.slice(-1), projected])).to.deep.equal([
        ['1', false],
        ['2', false],
        ['0', true],
      ]);
      const [, second, third] = rows;
      expect(await ledger.publications(second?.change ?? 0)).to.deep.equal([third]);
      expect(await ledger.publications(third?.change ?? 0)).to.deep.equal([]);
    });

    it('gives at most 1000 rows a call, and all of them in several', async ({ ledger }) => {
      const versions = Array.from({ length: 1003 }, (_, number) => aVersion(`1.0.${number}`));
      await Promise.all(versions.map((version) => ledger.publish(version)));
      const first = await ledger.publications(0);
      expect(first.length).to.equal(1000);
      expect((await ledger.publications(first.at(-1)?.change ?? 0)).length).to.equal(3);
    });
  });

  describe('status of a published version', () => {
    const yank = { orbId: ORB, from: 'active', to: 'yanked', reason: 'broken', revoke: null } as const;

    it('is compared and set, with its entry and its reason', async ({ ledger }) => {
      await ledger.publish(aPublication());
      const entries = [statusEntry('yanked')];
      expect(await ledger.setOrbStatus({ ...yank, entries })).to.deep.equal({ kind: 'done', logIndex: 3 });
      expect(await ledger.publications(0)).to.have.nested.property('[0].status', 'yanked');
      expect(await ledger.publications(0)).to.have.nested.property('[0].reason', 'broken');
      const again = { kind: 'conflict', status: 'yanked' };
      expect(await ledger.setOrbStatus({ ...yank, entries })).to.deep.equal(again);
      expect(await ledger.logSize()).to.equal(4);
    });

    it('lets one of several concurrent changes through', async ({ ledger }) => {
      await ledger.publish(aPublication());
      const changes = (['yanked', 'suspended', 'deprecated'] as const).map((to) =>
        ledger.setOrbStatus({ ...yank, to, entries: [statusEntry(to)] }),
      );
      expect((await Promise.all(changes)).map(({ kind }) => kind)).to.deep.equal(['done', 'conflict', 'conflict']);
      expect(await ledger.logSize()).to.equal(4);
    });

    it('revokes the certificate in the same transaction', async ({ ledger }) => {
      await ledger.publish(aPublication());
      await ledger.evaluate(aPromotion(7));
      await ledger.setOrbStatus({ ...yank, entries: [statusEntry('yanked'), revocationEntry()], revoke: 7 });
      expect((await ledger.certificate(ORB))?.revoked).to.equal(true);
    });

    it('is refused without an entry, with too long a one, and of a version that was never published', async (fixture) => {
      const { ledger } = fixture;
      await ledger.publish(aPublication());
      const bad = [
        { ...yank, entries: [] },
        { ...yank, entries: [TOO_LONG] },
        { ...yank, entries: [statusEntry('yanked')], revoke: -1 },
        { ...yank, orbId: 'acme.other@1.0.0', entries: [statusEntry('yanked')] },
      ];
      for (const change of bad) expect(await refusal(ledger.setOrbStatus(change))).to.be.instanceOf(TypeError);
      expect(await ledger.publications(0)).to.have.nested.property('[0].status', 'active');
      expect(await ledger.logSize()).to.equal(3);
    });
  });

  describe('test reports', () => {
    it('come with the publication and later, each once; the newest is given', async (fixture) => {
      const { ledger } = fixture;
      await ledger.publish(aPublication());
      const next = { orbId: ORB, report: { ...aReport('2'), suites: null }, entry: testReportEntry() };
      expect(await Promise.all([next, next].map((one) => ledger.addTestReport(one)))).to.deep.equal([3, 3]);
      expect(await ledger.addTestReport({ ...next, report: aReport() })).to.equal(2);
      expect(await ledger.logSize()).to.equal(4);
      expect(await (await fixture.reopen()).testReport(ORB)).to.deep.equal({ ...next.report, logIndex: 3 });
    });

    it('are refused of a version that was never published, and with too long an entry', async ({ ledger }) => {
      const report = { orbId: ORB, report: aReport('2'), entry: testReportEntry() };
      expect(await refusal(ledger.addTestReport(report))).to.be.instanceOf(TypeError);
      await ledger.publish(aPublication());
      expect(await refusal(ledger.addTestReport({ ...report, entry: TOO_LONG }))).to.be.instanceOf(TypeError);
      expect(await ledger.hasTestReport(ORB, report.report.sha256)).to.equal(false);
      expect(await ledger.testReport('acme.other@1.0.0')).to.equal(undefined);
    });
  });
}
