import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { Evaluation, NewEvaluation, PlacedEntry } from '../../../../../adapters/ledger/port.ts';
import { readEntry } from '../../../../../core/log-entry/entry.ts';
import { LEDGER_NOW } from '../../../../support/ledger-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import {
  anEvaluation,
  anOrg,
  aPromotion,
  aPublication,
  aVersion,
  certificateEntry,
  ORB,
  orgEntry,
  revocationEntry,
  tierChangeEntry,
} from '../../../../support/reputation-rows.ts';
import type { Contract } from '../contract.ts';

const OTHER = 'acme.echo@2.0.0';
const GLOBEX = 'globex.echo@1.0.0';
const LIST_BITS = 131_072;

/** Positions of the bits that are set. */
const setBits = (bits: Uint8Array): readonly number[] =>
  [...bits].flatMap((byte, at) =>
    Array.from({ length: 8 }, (_, bit) => bit).flatMap((bit) => ((byte >> (7 - bit)) & 1 ? [at * 8 + bit] : [])),
  );

/** The entry that ends the certificate `jwt-NUMBER` with its organisation. */
const revoked = (number: number) => ({
  v: 1,
  kind: 'revocation',
  target: 'certificate',
  sha256: createHash('sha256').update(`jwt-${number}`).digest('hex'),
  reason: 'suspended',
  at: new Date(LEDGER_NOW).toISOString(),
});

export function evaluationContract({ it }: Contract): void {
  describe('evaluations', () => {
    it('keeps the last one of each version, in the order of change', async (fixture) => {
      const { ledger } = fixture;
      expect(await ledger.evaluate(anEvaluation())).to.deep.equal({ kind: 'done', logIndex: null });
      await ledger.evaluate(anEvaluation({ orbId: OTHER }));
      await ledger.evaluate(anEvaluation({ held: '{"tier":"bronze"}' }));
      const { entries: _entries, certificate: _certificate, revokeIndex: _index, ...row } = anEvaluation();
      const last: readonly Evaluation[] = [
        { ...row, orbId: OTHER, change: 2 },
        { ...row, held: '{"tier":"bronze"}', change: 3 },
      ];
      expect(await (await fixture.reopen()).evaluations(0)).to.deep.equal(last);
    });

    it('gives at most 100 rows a call', async ({ ledger }) => {
      const all = Array.from({ length: 101 }, (_, number) => anEvaluation({ orbId: `acme.echo@1.0.${number}` }));
      await Promise.all(all.map((one) => ledger.evaluate(one)));
      const first = await ledger.evaluations(0);
      const rest = await ledger.evaluations(first.at(-1)?.change ?? 0);
      expect([first.length, rest.length]).to.deep.equal([100, 1]);
    });

    it('writes change of tier and certificate with it', async ({ ledger }) => {
      expect(await ledger.evaluate(aPromotion(0))).to.deep.equal({ kind: 'done', logIndex: 0 });
      expect(await ledger.certificate(ORB)).to.deep.equal({
        issuedAt: LEDGER_NOW,
        jwt: 'jwt-0',
        statusIndex: 0,
        logIndex: 1,
        revoked: false,
      });
      expect(await ledger.certificate(OTHER)).to.equal(undefined);
    });

    it('finds changes of tier by their version, the newest first', async (fixture) => {
      const { ledger } = fixture;
      const other = tierChangeEntry({ orb_id: OTHER });
      const [up, down] = [tierChangeEntry(), tierChangeEntry({ from: 'bronze', to: 'uncertified' })];
      await ledger.evaluate(anEvaluation({ entries: [up, other] }));
      await ledger.appendEntries(['{"algorithm":"orb-reputation/1"}', down]);
      const all: readonly PlacedEntry[] = [
        { index: 3, entry: down },
        { index: 0, entry: up },
      ];
      for (const open of [fixture.current, fixture.reopen]) {
        const one = await open();
        expect(await one.tierChanges(ORB, 20)).to.deep.equal(all);
        expect(await one.tierChanges(ORB, 1)).to.deep.equal(all.slice(0, 1));
        expect(await one.tierChanges('acme.none@1.0.0', 20)).to.deep.equal([]);
      }
    });

    it('refuses an epoch below the highest that wrote, and takes an equal or a higher one', async (fixture) => {
      const { ledger } = fixture;
      await ledger.evaluate(anEvaluation({ epoch: 7 }));
      const fenced = { kind: 'fenced', highest: 7 };
      expect(await ledger.evaluate(aPromotion(0, { epoch: 6 }))).to.deep.equal(fenced);
      expect(await ledger.evaluate(aPromotion(0, { epoch: 6, orbId: OTHER }))).to.deep.equal(fenced);
      expect((await ledger.evaluate(anEvaluation({ epoch: 7 }))).kind).to.equal('done');
      expect((await ledger.evaluate(anEvaluation({ epoch: 9 }))).kind).to.equal('done');
      const reopened = await fixture.reopen();
      expect(await reopened.evaluate(anEvaluation({ epoch: 8 }))).to.deep.equal({ kind: 'fenced', highest: 9 });
      expect(await reopened.logSize()).to.equal(0);
      expect(await reopened.certificate(ORB)).to.equal(undefined);
    });

    it('lets no concurrent writer of a lower epoch in behind a higher one', async ({ ledger }) => {
      const epochs = [3, 1, 4, 2, 4, 5, 1];
      const results = await Promise.all(epochs.map((epoch) => ledger.evaluate(anEvaluation({ epoch }))));
      expect(epochs.filter((_, number) => results[number]?.kind === 'done')).to.deep.equal([3, 4, 4, 5]);
    });

    it('leaves leases of the same name to their holders', async ({ ledger }) => {
      expect(await ledger.acquireLease('reputation', 'one', 1000)).to.equal(1);
      await ledger.evaluate(anEvaluation({ epoch: 1 }));
      expect(await ledger.acquireLease('reputation', 'one', 1000)).to.equal(1);
    });

    const refused: readonly (readonly [string, Partial<NewEvaluation>])[] = [
      ['of an epoch that is not whole', { epoch: 1.5 }],
      ['of a tree that the log does not have', { treeSize: 1000 }],
      ['with an entry beyond 65535 bytes', { entries: [`"${'x'.repeat(65_534)}"`] }],
      ['with a certificate without an entry', { entries: [tierChangeEntry()] }],
      ['with a place that is none', { certificate: { issuedAt: 1, jwt: '', statusIndex: -1, entry: 1 } }],
      ['issued at no whole millisecond', { certificate: { issuedAt: 0.5, jwt: '', statusIndex: 9, entry: 1 } }],
      ['that ends what it issues', { revokeIndex: 9 }],
      ['that ends a place that is none', { revokeIndex: 0.5 }],
    ];
    it('refuses a row that can not be, alone: the others of its group are committed', async ({ ledger }) => {
      await ledger.evaluate(aPromotion(0));
      for (const [why, change] of refused) {
        const bad = aPromotion(9, { orbId: OTHER, ...change });
        const [error, good] = await Promise.all([refusal(ledger.evaluate(bad)), ledger.evaluate(anEvaluation())]);
        expect(error, why).to.be.instanceOf(TypeError);
        expect(good.kind, why).to.equal('done');
      }
      expect((await ledger.evaluations(0)).map(({ orbId }) => orbId)).to.deep.equal([ORB]);
      expect(await ledger.certificate(OTHER)).to.equal(undefined);
      expect(await ledger.logSize()).to.equal(2);
      expect(setBits(await ledger.statusBits(1))).to.deep.equal([]);
    });
  });

  describe('certificates', () => {
    it('have a place that no other version has, and that was not revoked meanwhile', async ({ ledger }) => {
      await ledger.evaluate(aPromotion(0));
      expect(await ledger.evaluate(aPromotion(0, { orbId: OTHER }))).to.deep.equal({ kind: 'conflict' });
      await ledger.evaluate(anEvaluation({ revokeIndex: 0 }));
      expect(await ledger.evaluate(aPromotion(0, { epoch: 8 }))).to.deep.equal({ kind: 'conflict' });
      expect(await ledger.logSize()).to.equal(2);
      expect((await ledger.evaluations(0)).map(({ epoch }) => epoch)).to.deep.equal([1]);
    });

    it('are not issued once the organisation is suspended, and again when it is restored', async ({ ledger }) => {
      await ledger.publish(aPublication());
      await ledger.putOrg(anOrg({ state: 'suspended', json: 'suspended' }), '{}', [orgEntry('suspended')]);
      const size = await ledger.logSize();
      expect(await ledger.evaluate(aPromotion(0))).to.deep.equal({ kind: 'conflict' });
      expect([await ledger.logSize(), await ledger.evaluations(0)]).to.deep.equal([size, []]);
      expect((await ledger.evaluate(anEvaluation())).kind).to.equal('done');
      await ledger.putOrg(anOrg({ json: 'restored' }), 'suspended', [orgEntry('restored')]);
      expect((await ledger.evaluate(aPromotion(0))).kind).to.equal('done');
    });

    it('end with the suspension of their organisation, those in force and no others, each with its entry', async (fixture) => {
      const { ledger } = fixture;
      await ledger.publish(aPublication());
      for (const version of ['1.1.0', '1.2.0', '1.3.0']) await ledger.publish(aVersion(version));
      await ledger.publish(aPublication({ orbId: GLOBEX, org: 'globex', namespace: 'globex' }));
      const promote = (statusIndex: number, orbId: string) => ledger.evaluate(aPromotion(statusIndex, { orbId }));
      await promote(0, ORB);
      await promote(1, 'acme.echo@1.1.0');
      await promote(2, GLOBEX);
      await promote(3, 'acme.echo@1.2.0');
      await promote(0, ORB);
      await ledger.evaluate(anEvaluation({ orbId: 'acme.echo@1.2.0', revokeIndex: 3 }));
      const size = await ledger.logSize();
      const suspended = anOrg({ state: 'suspended', json: 'suspended' });
      expect(await ledger.putOrg(suspended, 'not read', [orgEntry('suspended')])).to.deep.equal({ kind: 'conflict' });
      expect(await ledger.putOrg(suspended, '{}', [orgEntry('suspended')])).to.deep.equal({
        kind: 'done',
        logIndex: size,
      });
      await ledger.putOrg({ ...suspended, json: 'again' }, 'suspended', [orgEntry('suspended')]);
      const reopened = await fixture.reopen();
      const [first, ...rest] = (await reopened.entries(size, size + 9)).map((text) => readEntry(text));
      expect(first?.kind).to.equal('org');
      expect(rest.at(-1)?.kind).to.equal('org');
      expect(rest.slice(0, -1)).to.have.deep.members([revoked(0), revoked(1)]);
      expect(setBits(await reopened.statusBits(1))).to.deep.equal([0, 1, 3]);
      expect((await reopened.certificate(GLOBEX))?.revoked).to.equal(false);
    });

    it('keep their place until they are revoked, and get a new one then', async ({ ledger }) => {
      expect(await ledger.nextStatusIndex()).to.equal(0);
      await ledger.evaluate(aPromotion(0));
      await ledger.evaluate(aPromotion(1, { orbId: OTHER }));
      expect(await ledger.nextStatusIndex()).to.equal(2);
      await ledger.evaluate(aPromotion(0));
      await ledger.evaluate(anEvaluation({ entries: [revocationEntry()], revokeIndex: 0 }));
      expect((await ledger.certificate(ORB))?.revoked).to.equal(true);
      expect((await ledger.certificate(OTHER))?.revoked).to.equal(false);
      const anew = aPromotion(2, { revokeIndex: 1, entries: [tierChangeEntry(), certificateEntry(2)] });
      await ledger.evaluate(anew);
      expect((await ledger.certificate(ORB))?.statusIndex).to.equal(2);
      expect((await ledger.certificate(OTHER))?.revoked).to.equal(true);
    });

    it('replace the one before them with the same place', async ({ ledger }) => {
      await ledger.evaluate(aPromotion(1, { orbId: OTHER }));
      for (let day = 0; day < 3; day += 1) await ledger.evaluate(aPromotion(0));
      const newest = await ledger.certificate(ORB);
      expect([newest?.statusIndex, newest?.logIndex]).to.deep.equal([0, (await ledger.logSize()) - 1]);
      expect(await ledger.evaluate(aPromotion(0, { orbId: OTHER }))).to.deep.equal({ kind: 'conflict' });
      expect(await ledger.nextStatusIndex()).to.equal(2);
    });

    it('are revoked by bits of lists, the first bit the highest of its byte', async (fixture) => {
      const { ledger } = fixture;
      for (const revokeIndex of [0, 7, 8, LIST_BITS - 1, LIST_BITS, LIST_BITS * 2 + 9])
        await ledger.evaluate(anEvaluation({ revokeIndex }));
      const reopened = await fixture.reopen();
      const lists = await Promise.all([1, 2, 3, 4].map((list) => reopened.statusBits(list)));
      expect(lists.map((bits) => bits.length)).to.deep.equal([16_384, 16_384, 16_384, 16_384]);
      expect(lists.map(setBits)).to.deep.equal([[0, 7, 8, LIST_BITS - 1], [0], [9], []]);
    });
  });
}
