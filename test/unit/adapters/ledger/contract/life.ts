import { expect } from 'chai';
import { LedgerError, type Ledger } from '../../../../../adapters/ledger/port.ts';
import { aDelivery, ROOMY } from '../../../../support/ingest-rows.ts';
import { aFinish, aStart, aSwap, LEDGER_NOW, receiptIdOf, runIdOf } from '../../../../support/ledger-rows.ts';
import { aGrant } from '../../../../support/policy-rows.ts';
import { anEvaluation, aPublication, LINE } from '../../../../support/reputation-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import type { Contract } from '../contract.ts';

const calls: readonly (readonly [string, (ledger: Ledger) => Promise<unknown>])[] = [
  ['startRun', (ledger) => ledger.startRun(aStart(5))],
  ['finishRun', (ledger) => ledger.finishRun(aFinish(1))],
  ['recordRun', (ledger) => ledger.recordRun(aStart(5), aFinish(5))],
  ['recordSwap', (ledger) => ledger.recordSwap(aSwap(1))],
  ['publish', (ledger) => ledger.publish(aPublication())],
  ['evaluate', (ledger) => ledger.evaluate(anEvaluation())],
  ['lineEvidence', (ledger) => ledger.lineEvidence(LINE, 'acme')],
  ['swapReceipt', (ledger) => ledger.swapReceipt('acme', receiptIdOf(1))],
  ['eraseExpired', (ledger) => ledger.eraseExpired(LEDGER_NOW)],
  ['receipt', (ledger) => ledger.receipt('acme', receiptIdOf(1))],
  ['receipts', (ledger) => ledger.receipts('acme', { limit: 1 })],
  ['decisions', (ledger) => ledger.decisions('acme', { limit: 1 })],
  ['addGrant', (ledger) => ledger.addGrant(aGrant())],
  ['erasePolicyRecords', (ledger) => ledger.erasePolicyRecords({ decisionsBefore: 0, replaysBefore: 0, limit: 1 })],
  ['acceptDelivery', (ledger) => ledger.acceptDelivery(aDelivery(1), ROOMY)],
  ['acceptedDeliveries', (ledger) => ledger.acceptedDeliveries({ limit: 1 })],
  ['changeIncidents', (ledger) => ledger.changeIncidents([])],
  ['statusRound', (ledger) => ledger.statusRound([])],
  ['checkpoint', (ledger) => ledger.checkpoint()],
  ['acquireLease', (ledger) => ledger.acquireLease('probes', 'one', 1000)],
];

export function lifeContract({ it }: Contract): void {
  describe('life', () => {
    it('has everything that it acknowledged after it is opened again', async (fixture) => {
      const runs = Array.from({ length: 40 }, (_, number) => number);
      await Promise.all(runs.map((number) => fixture.ledger.startRun(aStart(number))));
      await Promise.all(runs.slice(1).map((number) => fixture.ledger.finishRun(aFinish(number))));
      const before = await fixture.ledger.receipts('acme', { limit: 200 });
      const reopened = await fixture.reopen();
      expect(await reopened.receipts('acme', { limit: 200 })).to.deep.equal(before);
      const open = await reopened.overdueRuns(LEDGER_NOW + 60_000, 10);
      expect(open.map(({ runId }) => runId)).to.deep.equal([runIdOf(0)]);
      expect(await reopened.appendEntries(['{"after":"reopening"}'])).to.equal(39);
    });

    it('commits what is queued when it closes, and signs a last checkpoint over it', async (fixture) => {
      const queued = [1, 2, 3].map((number) => fixture.ledger.recordRun(aStart(number), aFinish(number)));
      const reopened = await fixture.reopen();
      expect(await Promise.all(queued)).to.deep.equal(queued.map(() => ({ kind: 'started' })));
      expect(await reopened.logSize()).to.equal(3);
      expect((await reopened.checkpoint())?.size).to.equal(3);
    });

    it('closes once, however often it is asked', async ({ ledger }) => {
      await Promise.all([ledger.close(), ledger.close()]);
      await ledger.close();
      expect(await refusal(ledger.logSize())).to.be.instanceOf(LedgerError);
    });

    it('rejects every call after it was closed', async ({ ledger }) => {
      await ledger.close();
      for (const [name, call] of calls) {
        const error = await refusal(call(ledger));
        expect(error, name).to.be.instanceOf(LedgerError).with.property('code', 'ledger-closed');
      }
    });

    it('tells how many rows wait for a commit and for how long the oldest does', async ({ ledger, clock }) => {
      expect(ledger.load()).to.deep.equal({ queuedRows: 0, oldestMs: 0 });
      const first = ledger.startRun(aStart(1));
      const later = clock.advance(7);
      const second = ledger.startRun(aStart(2));
      expect(ledger.load()).to.deep.equal({ queuedRows: 2, oldestMs: 7 });
      await Promise.all([first, second, later]);
      expect(ledger.load()).to.deep.equal({ queuedRows: 0, oldestMs: 0 });
    });
  });
}
