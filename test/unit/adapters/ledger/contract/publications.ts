import { expect } from 'chai';
import type { Ledger, NewOrg, NewPublication } from '../../../../../adapters/ledger/port.ts';
import { aFinish, aStart, LEDGER_NOW } from '../../../../support/ledger-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import {
  anEvaluation,
  anOrg,
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
  TOO_LONG,
} from '../../../../support/reputation-rows.ts';
import type { Contract } from '../contract.ts';

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

    it('lets one of two namespaces that claim at once have the organisation', async ({ ledger }) => {
      const claims = ['acme', 'globex'].map((namespace, number) =>
        ledger.publish(aPublication({ namespace, orbId: `acme.echo@1.0.${number}` })),
      );
      expect((await Promise.all(claims)).map(({ kind }) => kind)).to.deep.equal(['published', 'org-conflict']);
    });

    it('ends the open claims of the organisation that it claims, and no others', async ({ ledger }) => {
      for (const org of ['acme', 'globex'])
        await ledger.putOrgClaim({ org, namespace: 'team-x', until: LEDGER_NOW, json: '{}' }, 0);
      await ledger.publish(aPublication());
      expect(await ledger.orgClaim('acme', 'team-x')).to.equal(undefined);
      expect((await ledger.orgClaim('globex', 'team-x'))?.json).to.equal('{}');
    });

    const foreign = { namespace: 'globex' } as const;
    const races: readonly (readonly [why: string, org: Partial<NewOrg> | null, claims: boolean])[] = [
      ['claims what another namespace owns by now', foreign, true],
      ['claims what another namespace owns, suspended by now', { ...foreign, state: 'suspended' }, true],
      ['claims what its own namespace owns by now', {}, true],
      ['claims what its own namespace lost the proof of', { state: 'unverified' }, true],
      ['claims what was suspended by now', { state: 'suspended' }, true],
      ['needs an organisation that another namespace owns by now', foreign, false],
      ['needs an organisation that was suspended by now', { state: 'suspended' }, false],
      ['needs an organisation whose proof does not hold by now', { state: 'unverified' }, false],
      ['needs an organisation that nobody owns', null, false],
    ];
    for (const [why, org, claims] of races)
      it(`writes nothing of a publication that ${why}`, async ({ ledger }) => {
        if (org !== null) await ledger.putOrg(anOrg({ json: 'theirs', ...org }), null, []);
        const before = await ledger.org('acme');
        const publication = claims ? aPublication() : aVersion('1.0.0');
        expect(await ledger.publish(publication)).to.deep.equal({ kind: 'org-conflict' });
        expect(await ledger.org('acme')).to.deep.equal(before);
        expect(await written(ledger)).to.deep.equal(NOTHING);
        expect(await ledger.logSize()).to.equal(0);
      });

    it('decides about the organisation in the order of the group', async ({ ledger }) => {
      await ledger.putOrg(anOrg(), null, []);
      const suspended = anOrg({ state: 'suspended', json: 's' });
      const [first, , last] = await Promise.all([
        ledger.publish(aVersion('1.0.0')),
        ledger.putOrg(suspended, '{}', []),
        ledger.publish(aVersion('1.0.1')),
      ]);
      expect([first.kind, last.kind]).to.deep.equal(['published', 'org-conflict']);
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
      await ledger.putOrg(anOrg(), null, []);
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
      expect((await ledger.org('acme'))?.json).to.equal('{}');
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
      await ledger.putOrg(anOrg(), null, []);
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
      await ledger.putOrg(anOrg(), null, []);
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

    const ends: readonly (readonly [to: 'yanked' | 'suspended'])[] = [['yanked'], ['suspended']];
    for (const [to] of ends)
      it(`${to}: ends the newest certificate in the same transaction`, async (fixture) => {
        const { ledger } = fixture;
        await ledger.publish(aPublication());
        await ledger.evaluate(aPromotion(7));
        await ledger.evaluate(aPromotion(7));
        const entries = [statusEntry(to), revocationEntry()];
        const change = { ...yank, to, entries };
        for (const revoke of [null, 4, 7]) {
          expect(await ledger.setOrbStatus({ ...change, revoke })).to.deep.equal({ kind: 'other-certificate' });
          expect((await ledger.certificate(ORB))?.revoked).to.equal(false);
        }
        expect(await ledger.setOrbStatus({ ...change, revoke: 6 })).to.deep.equal({ kind: 'done', logIndex: 7 });
        const reopened = await fixture.reopen();
        expect(await reopened.certificate(ORB)).to.deep.include({ logIndex: 6, revoked: true });
        expect(await reopened.entries(7, 99)).to.deep.equal(entries);
      });

    it('has no certificate to end when the newest was revoked, and none of a version that stays', async ({
      ledger,
    }) => {
      await ledger.publish(aPublication());
      await ledger.evaluate(aPromotion(7));
      const deprecate = { ...yank, to: 'deprecated', entries: [statusEntry('deprecated')] } as const;
      expect((await ledger.setOrbStatus({ ...deprecate, revoke: 4 })).kind).to.equal('other-certificate');
      expect((await ledger.setOrbStatus(deprecate)).kind).to.equal('done');
      expect((await ledger.certificate(ORB))?.revoked).to.equal(false);
      await ledger.evaluate(anEvaluation({ revokeIndex: 7 }));
      const gone = { ...yank, from: 'deprecated', entries: [statusEntry('yanked')] } as const;
      expect((await ledger.setOrbStatus({ ...gone, revoke: 4 })).kind).to.equal('other-certificate');
      expect((await ledger.setOrbStatus(gone)).kind).to.equal('done');
    });

    for (const [to] of ends)
      it(`${to}: lets no evaluation issue a certificate, or revoke the same again`, async ({ ledger }) => {
        await ledger.publish(aPublication());
        await ledger.evaluate(aPromotion(7));
        await ledger.setOrbStatus({ ...yank, to, entries: [statusEntry(to), revocationEntry()], revoke: 4 });
        const size = await ledger.logSize();
        const late = [aPromotion(7), aPromotion(8), anEvaluation({ entries: [revocationEntry()], revokeIndex: 7 })];
        for (const evaluation of late) expect(await ledger.evaluate(evaluation)).to.deep.equal({ kind: 'conflict' });
        expect(await ledger.logSize()).to.equal(size);
        expect((await ledger.evaluate(anEvaluation())).kind).to.equal('done');
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
}
