import { expect } from 'chai';
import type { IdempotencyClaim } from '../../../../../adapters/ledger/port.ts';
import { aFinish, aStart, LEDGER_NOW, runIdOf } from '../../../../support/ledger-rows.ts';
import type { Contract } from '../contract.ts';

const HOUR_MS = 3_600_000;
const PATH = '/orbisets/acme.support/execute';

const aClaim = (change: Partial<IdempotencyClaim> = {}): IdempotencyClaim => ({
  path: PATH,
  key: 'key-1',
  bodySha256: 'ab'.repeat(32),
  expiresAt: LEDGER_NOW + 24 * HOUR_MS,
  ...change,
});

export function idempotencyContract({ it }: Contract): void {
  describe('idempotency', () => {
    it('answers a start whose key is taken with the claim as it stands, and starts nothing', async ({ ledger }) => {
      await ledger.startRun(aStart(1, { idempotency: aClaim() }));
      const again = await ledger.startRun(aStart(2, { idempotency: aClaim({ bodySha256: 'cd'.repeat(32) }) }));
      const entry = { isSameBody: false, runId: runIdOf(1), answer: undefined };
      expect(again).to.deep.equal({ kind: 'idempotent', entry });
      expect((await ledger.overdueRuns(LEDGER_NOW + HOUR_MS, 10)).length).to.equal(1);
    });

    it('lets exactly one of many concurrent starts take a key', async ({ ledger }) => {
      const starts = Array.from({ length: 20 }, (_, number) =>
        ledger.startRun(aStart(number, { idempotency: aClaim() })),
      );
      const results = await Promise.all(starts);
      expect(results.filter(({ kind }) => kind === 'started').length).to.equal(1);
    });

    it('gives the answer back, character for character, also after a restart', async (fixture) => {
      const answer = '{"text":"žluťoučký 🐎 \\u0000","n":1}';
      await fixture.ledger.startRun(aStart(1, { idempotency: aClaim() }));
      await fixture.ledger.finishRun(aFinish(1, { answer }));
      const entry = { isSameBody: true, runId: runIdOf(1), answer };
      const again = await fixture.ledger.startRun(aStart(2, { idempotency: aClaim() }));
      expect(again).to.deep.equal({ kind: 'idempotent', entry });
      const reopened = await fixture.reopen();
      expect(await reopened.idempotent('acme', aClaim())).to.deep.equal(entry);
    });

    it('keeps the first answer of a request that is no run, also after a restart', async (fixture) => {
      const { ledger } = fixture;
      const keep = (answer: string): Promise<unknown> =>
        ledger.keepAnswer('acme', aClaim(), { requestId: 'req_1', answer });
      const entry = { isSameBody: true, runId: 'req_1', answer: 'žlutý' };
      expect(await keep('žlutý')).to.equal(undefined);
      expect(await keep('another')).to.deep.equal(entry);
      expect(await (await fixture.reopen()).idempotent('acme', aClaim())).to.deep.equal(entry);
    });

    it('answers with the claim of a run where one holds the key', async ({ ledger }) => {
      await ledger.startRun(aStart(1, { idempotency: aClaim() }));
      const kept = await ledger.keepAnswer('acme', aClaim(), { requestId: 'req_1', answer: 'x' });
      expect(kept).to.deep.equal({ isSameBody: true, runId: runIdOf(1), answer: undefined });
    });

    it('tells the body of the claim from another, for a kept answer too', async ({ ledger }) => {
      await ledger.keepAnswer('acme', aClaim(), { requestId: 'req_1', answer: 'x' });
      const other = aClaim({ bodySha256: 'cd'.repeat(32) });
      const kept = await ledger.keepAnswer('acme', other, { requestId: 'req_2', answer: 'y' });
      const asked = await Promise.all([aClaim(), other].map((claim) => ledger.idempotent('acme', claim)));
      expect([kept, ...asked].map((entry) => entry?.isSameBody)).to.deep.equal([false, true, false]);
    });

    it('lets a kept answer expire, and its key be used again', async ({ ledger }) => {
      const over = aClaim({ expiresAt: LEDGER_NOW - 1 });
      await ledger.keepAnswer('acme', over, { requestId: 'req_1', answer: 'old' });
      expect(await ledger.idempotent('acme', aClaim())).to.equal(undefined);
      expect(await ledger.keepAnswer('acme', aClaim(), { requestId: 'req_2', answer: 'new' })).to.equal(undefined);
      expect((await ledger.idempotent('acme', aClaim()))?.answer).to.equal('new');
      await ledger.keepAnswer('acme', { ...over, key: 'key-2' }, { requestId: 'req_3', answer: 'old' });
      expect(await ledger.eraseExpired(LEDGER_NOW)).to.equal(1);
    });

    it('keeps tenants, paths and keys apart', async ({ ledger }) => {
      await ledger.startRun(aStart(1, { idempotency: aClaim() }));
      const others = [
        aStart(2, { tenant: 'globex', idempotency: aClaim() }),
        aStart(3, { idempotency: aClaim({ path: '/orbisets/acme.other/execute' }) }),
        aStart(4, { idempotency: aClaim({ key: 'key-2' }) }),
      ];
      const results = await Promise.all(others.map((start) => ledger.startRun(start)));
      expect(results.map(({ kind }) => kind)).to.deep.equal(['started', 'started', 'started']);
      expect((await ledger.idempotent('globex', aClaim()))?.runId).to.equal(runIdOf(2));
      expect(await ledger.idempotent('globex', aClaim({ key: 'key-2' }))).to.equal(undefined);
    });

    it('stores no answer of a run that made no claim, nor of a late finish', async ({ ledger }) => {
      await ledger.startRun(aStart(1));
      await ledger.finishRun(aFinish(1, { answer: 'unclaimed' }));
      await ledger.startRun(aStart(2, { idempotency: aClaim() }));
      await ledger.finishRun(aFinish(2, { answer: 'first' }));
      await ledger.finishRun(aFinish(2, { answer: 'late' }));
      expect((await ledger.idempotent('acme', aClaim()))?.answer).to.equal('first');
    });

    it('frees the key of a run that is finished so: its receipt stays, and another body may claim it', async (fixture) => {
      const { ledger } = fixture;
      await ledger.startRun(aStart(1, { idempotency: aClaim() }));
      expect(await ledger.finishRun(aFinish(1, { freesKey: true }))).to.deep.equal({ kind: 'finished' });
      expect(await ledger.idempotent('acme', aClaim())).to.equal(undefined);
      expect(await ledger.receiptOfRun('acme', runIdOf(1))).to.not.equal(undefined);
      const again = aClaim({ bodySha256: 'cd'.repeat(32) });
      expect(await (await fixture.reopen()).startRun(aStart(2, { idempotency: again }))).to.deep.equal({
        kind: 'started',
      });
    });

    it('frees no key of another run, nor for a late finish', async ({ ledger }) => {
      await ledger.startRun(aStart(1, { idempotency: aClaim() }));
      await ledger.startRun(aStart(2, { idempotency: aClaim({ key: 'key-2' }) }));
      await ledger.startRun(aStart(3));
      await ledger.finishRun(aFinish(1, { answer: 'kept' }));
      await ledger.finishRun(aFinish(1, { freesKey: true }));
      await ledger.finishRun(aFinish(3, { freesKey: true }));
      expect((await ledger.idempotent('acme', aClaim()))?.answer).to.equal('kept');
      expect((await ledger.idempotent('acme', aClaim({ key: 'key-2' })))?.runId).to.equal(runIdOf(2));
    });

    it('claims and answers in one step when a run is recorded, and records nothing under a taken key', async ({
      ledger,
    }) => {
      const idempotency = aClaim();
      await ledger.recordRun(aStart(1, { idempotency }), aFinish(1, { answer: 'denied' }));
      const again = await ledger.recordRun(aStart(2, { idempotency }), aFinish(2, { answer: 'other' }));
      expect(again).to.deep.equal({
        kind: 'idempotent',
        entry: { isSameBody: true, runId: runIdOf(1), answer: 'denied' },
      });
      expect(await ledger.receiptOfRun('acme', runIdOf(2))).to.equal(undefined);
    });

    it('erases claims that expired, says how many, and keeps those of running runs', async ({ ledger }) => {
      const claimed = (number: number, expiresAt: number): Promise<unknown> =>
        ledger.startRun(aStart(number, { idempotency: aClaim({ key: `key-${number}`, expiresAt }) }));
      await Promise.all([claimed(1, LEDGER_NOW + 10), claimed(2, LEDGER_NOW + 10), claimed(3, LEDGER_NOW + HOUR_MS)]);
      await ledger.finishRun(aFinish(1, { answer: 'one' }));
      expect(await ledger.eraseExpired(LEDGER_NOW + 10)).to.equal(0);
      expect(await ledger.eraseExpired(LEDGER_NOW + 11)).to.equal(1);
      const kept = await Promise.all(
        [1, 2, 3].map((number) => ledger.idempotent('acme', aClaim({ key: `key-${number}` }))),
      );
      expect(kept.map((entry) => entry?.runId)).to.deep.equal([undefined, runIdOf(2), runIdOf(3)]);
    });

    it('gives an expired key away again, though nobody erased it, but not while its run is open', async (fixture) => {
      const { ledger, clock } = fixture;
      const idempotency = aClaim({ expiresAt: LEDGER_NOW + 10 });
      await ledger.startRun(aStart(1, { idempotency }));
      await clock.advance(10);
      const later = { startedAt: LEDGER_NOW + 10, idempotency: aClaim() };
      expect((await ledger.startRun(aStart(2, later))).kind).to.equal('idempotent');
      await ledger.finishRun(aFinish(1, { answer: 'old' }));
      expect(await ledger.idempotent('acme', aClaim())).to.equal(undefined);
      expect((await ledger.startRun(aStart(3, later))).kind).to.equal('started');
      expect((await ledger.idempotent('acme', aClaim()))?.runId).to.equal(runIdOf(3));
    });
  });
}
