import { expect } from 'chai';
import type { Ledger, RunFinish } from '../../../../../adapters/ledger/port.ts';
import { aFinish, aStart, LEDGER_NOW, receiptIdOf, runIdOf } from '../../../../support/ledger-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import type { Contract } from '../contract.ts';

const FAR = LEDGER_NOW + 1_000_000;
const openRuns = async (ledger: Ledger): Promise<readonly string[]> =>
  (await ledger.overdueRuns(FAR, 100)).map(({ runId }) => runId);

export function runContract({ it }: Contract): void {
  describe('runs', () => {
    it('shows a started run, as it was given, once its deadline lies before the time asked for', async ({ ledger }) => {
      const start = aStart(1, { deadlineAt: LEDGER_NOW + 500 });
      expect(await ledger.startRun(start)).to.deep.equal({ kind: 'started' });
      expect(await ledger.overdueRuns(LEDGER_NOW + 500, 10)).to.deep.equal([]);
      const { runId, tenant, startedAt, deadlineAt, seed } = start;
      const overdue = await ledger.overdueRuns(LEDGER_NOW + 501, 10);
      expect(overdue).to.deep.equal([{ runId, tenant, startedAt, deadlineAt, seed }]);
    });

    it('lists overdue runs by deadline, oldest first, up to the limit, without closed ones', async ({ ledger }) => {
      const deadlines = [50, 10, 40, 20, 30];
      await Promise.all(
        deadlines.map((ms, number) => ledger.startRun(aStart(number, { deadlineAt: LEDGER_NOW + ms }))),
      );
      await ledger.finishRun(aFinish(3));
      const overdue = await ledger.overdueRuns(FAR, 3);
      expect(overdue.map(({ runId }) => runId)).to.deep.equal([runIdOf(1), runIdOf(4), runIdOf(2)]);
    });

    it('closes a run: its receipt is there, with the index of its entry', async ({ ledger }) => {
      await ledger.startRun(aStart(1));
      const finish = aFinish(1, {}, { outcome: 'orb_error', issuedAt: LEDGER_NOW + 7, orbId: 'globex.geo@2.0.0-rc.1' });
      expect(await ledger.finishRun(finish)).to.deep.equal({ kind: 'finished' });
      const { entry, ...receipt } = finish.receipt;
      expect(await ledger.receiptOfRun('acme', runIdOf(1))).to.deep.equal({ ...receipt, tenant: 'acme', logIndex: 0 });
      expect(await ledger.entries(0, 10)).to.deep.equal([entry]);
      expect(await openRuns(ledger)).to.deep.equal([]);
    });

    it('answers a second finish with the receipt of the first, and writes nothing', async ({ ledger }) => {
      await ledger.startRun(aStart(1));
      await ledger.finishRun(aFinish(1));
      const late = aFinish(1, {}, { receiptId: receiptIdOf(2) });
      expect(await ledger.finishRun(late)).to.deep.equal({ kind: 'closed', receiptId: receiptIdOf(1) });
      expect(await ledger.receipt('acme', receiptIdOf(2))).to.equal(undefined);
      expect(await ledger.logSize()).to.equal(1);
    });

    it('lets exactly one of many concurrent finishes of a run close it', async ({ ledger }) => {
      await ledger.startRun(aStart(1));
      const finishes = Array.from({ length: 20 }, (_, number) => aFinish(1, {}, { receiptId: receiptIdOf(number) }));
      const results = await Promise.all(finishes.map((finish) => ledger.finishRun(finish)));
      const winner = (await ledger.receiptOfRun('acme', runIdOf(1)))?.receiptId;
      expect(results.filter(({ kind }) => kind === 'finished').length).to.equal(1);
      const others = results.filter((result) => result.kind === 'closed');
      expect(new Set(others.map(({ receiptId }) => receiptId))).to.deep.equal(new Set([winner]));
      expect(await ledger.logSize()).to.equal(1);
    });

    it('refuses a bad row alone: the other rows of its group are committed', async ({ ledger }) => {
      await Promise.all([1, 2].map((number) => ledger.startRun(aStart(number))));
      const [first, unknown, second] = await Promise.all([
        ledger.finishRun(aFinish(1)),
        refusal(ledger.finishRun(aFinish(99))),
        ledger.finishRun(aFinish(2)),
      ]);
      expect([first.kind, second.kind]).to.deep.equal(['finished', 'finished']);
      expect(unknown).to.be.instanceOf(TypeError);
      expect(await ledger.receipt('acme', receiptIdOf(99))).to.equal(undefined);
      expect(await ledger.logSize()).to.equal(2);
    });

    const badFinishes: readonly (readonly [string, RunFinish])[] = [
      ['of the run of another tenant', aFinish(1, { tenant: 'globex' })],
      ['with a receipt id that is taken', aFinish(1, {}, { receiptId: receiptIdOf(2) })],
      ['with an entry beyond 65535 bytes of UTF-8', aFinish(1, {}, { entry: `"${'é'.repeat(32_767)}"` })],
      ['issued at no whole millisecond', aFinish(1, {}, { issuedAt: LEDGER_NOW + 0.5 })],
      ['with a receipt that is no compact JWS', aFinish(1, {}, { jws: 'e30.e30' })],
      ['with a JWS whose base64url has two readings', aFinish(1, {}, { jws: 'e30.e30.YR' })],
    ];
    for (const [why, finish] of badFinishes) {
      it(`refuses a finish ${why}, and leaves the run open`, async ({ ledger }) => {
        await Promise.all([1, 2].map((number) => ledger.startRun(aStart(number))));
        await ledger.finishRun(aFinish(2));
        expect(await refusal(ledger.finishRun(finish))).to.be.instanceOf(TypeError);
        expect(await openRuns(ledger)).to.deep.equal([runIdOf(1)]);
        expect(await ledger.logSize()).to.equal(1);
        expect(await ledger.finishRun(aFinish(1))).to.deep.equal({ kind: 'finished' });
      });
    }

    it('refuses a second start under one run id, whoever asks', async ({ ledger }) => {
      await ledger.startRun(aStart(1));
      expect(await refusal(ledger.startRun(aStart(1, { tenant: 'globex' })))).to.be.instanceOf(TypeError);
      expect((await ledger.overdueRuns(FAR, 10)).map(({ tenant }) => tenant)).to.deep.equal(['acme']);
    });

    it('refuses a start under the id of a closed run', async ({ ledger }) => {
      await ledger.recordRun(aStart(1), aFinish(1));
      expect(await refusal(ledger.startRun(aStart(1)))).to.be.instanceOf(TypeError);
      expect(await openRuns(ledger)).to.deep.equal([]);
    });

    it('records a run that starts and ends at once, closed from the first', async ({ ledger }) => {
      const recorded = await ledger.recordRun(aStart(1), aFinish(1, {}, { outcome: 'policy_denied' }));
      expect(recorded).to.deep.equal({ kind: 'started' });
      expect((await ledger.receipt('acme', receiptIdOf(1)))?.outcome).to.equal('policy_denied');
      expect(await openRuns(ledger)).to.deep.equal([]);
      expect((await ledger.finishRun(aFinish(1, {}, { receiptId: receiptIdOf(2) }))).kind).to.equal('closed');
    });

    it('records nothing of a run when its receipt is refused', async ({ ledger }) => {
      await ledger.recordRun(aStart(1), aFinish(1));
      const twice = aFinish(2, {}, { receiptId: receiptIdOf(1) });
      expect(await refusal(ledger.recordRun(aStart(2), twice))).to.be.instanceOf(TypeError);
      expect(await openRuns(ledger)).to.deep.equal([]);
      expect(await ledger.startRun(aStart(2))).to.deep.equal({ kind: 'started' });
    });
  });
}
