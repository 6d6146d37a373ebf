import { expect } from 'chai';
import type { Ledger, PolicyErasure } from '../../../../../adapters/ledger/port.ts';
import { HOLE, SEAM } from '../../../../../core/json/shared-text.ts';
import { aFinish, aStart, LEDGER_NOW, receiptIdOf, runIdOf } from '../../../../support/ledger-rows.ts';
import {
  aCompletion,
  aDecision,
  aGrant,
  aReplay,
  aStartPolicy,
  LEDGER_DAY,
  someFacts,
} from '../../../../support/policy-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import type { Contract } from '../contract.ts';

const DAY_MS = 86_400_000;

const erase = (ledger: Ledger, change: Partial<PolicyErasure> = {}): Promise<number> =>
  ledger.erasePolicyRecords({ decisionsBefore: 0, replaysBefore: 0, limit: 100, ...change });

export function policyRetentionContract({ it }: Contract): void {
  describe('records of policies', () => {
    it('are erased in slices: decisions before a time with their facts, and never a receipt', async ({ ledger }) => {
      for (const number of [1, 2, 3, 4]) {
        const policy = aStartPolicy(number, {
          decision: aDecision(number, { at: LEDGER_NOW + number }),
          facts: [someFacts()],
        });
        await ledger.recordRun(aStart(number, { policy }), aFinish(number));
      }
      const due = { decisionsBefore: LEDGER_NOW + 4, limit: 2 };
      expect([await erase(ledger, due), await erase(ledger, due), await erase(ledger, due)]).to.deep.equal([2, 1, 0]);
      const left = (await ledger.decisions('acme', { limit: 9 })).items;
      expect(left.map(({ runId }) => runId)).to.deep.equal([runIdOf(4)]);
      expect(await ledger.runFacts('acme', runIdOf(1))).to.deep.equal([]);
      expect(await ledger.runFacts('acme', runIdOf(4))).to.deep.equal([someFacts()]);
      expect((await ledger.receipt('acme', receiptIdOf(1)))?.logIndex).to.equal(0);
    });

    it('are erased with the texts that they share, a day after the last decision that could use them', async ({
      ledger,
    }) => {
      const json = { shared: `{"decision":"allow",${SEAM}"number":${HOLE}}`, own: ['1'] };
      const at = LEDGER_NOW + DAY_MS - 1;
      await ledger.startRun(aStart(1, { policy: aStartPolicy(1, { decision: aDecision(1, { json }) }) }));
      await ledger.startRun(aStart(2, { policy: aStartPolicy(2, { decision: aDecision(2, { json, at }) }) }));
      expect(await erase(ledger, { decisionsBefore: at })).to.equal(1);
      expect((await ledger.decisionOfRun('acme', runIdOf(2)))?.json).to.equal('{"decision":"allow","number":1}');
      const due = { decisionsBefore: LEDGER_NOW + DAY_MS, limit: 1 };
      expect([await erase(ledger, due), await erase(ledger, due)]).to.deep.equal([1, 0]);
      const later = { decisionsBefore: LEDGER_NOW + DAY_MS + 1 };
      expect([await erase(ledger, later), await erase(ledger, later)]).to.deep.equal([2, 0]);
    });

    it('are erased with the changes of replays; their totals stay, as a policy is enforced by them', async ({
      ledger,
    }) => {
      for (const number of [1, 2, 3]) await ledger.addReplay(aReplay(number), 9);
      await ledger.addReplayChanges('rpl_1', ['1', '2', '3']);
      for (const number of [1, 2]) await ledger.updateReplay(`rpl_${number}`, aCompletion());
      const due = { replaysBefore: LEDGER_NOW + 9, limit: 2 };
      const erased = [await erase(ledger, due), await erase(ledger, due), await erase(ledger, due)];
      expect(erased).to.deep.equal([2, 2, 1]);
      const left = (await ledger.replays('acme', { limit: 9 })).items;
      expect(
        left.map(({ replayId }) => replayId),
        'the one that runs',
      ).to.deep.equal(['rpl_3']);
      expect(await ledger.replayChanges('acme', 'rpl_1', { from: 0, limit: 9 })).to.deep.equal([]);
      expect((await ledger.replayTotals('acme', 'prod-limits', aReplay(1).policyDigest)).length).to.equal(2);
    });

    it('are erased with grants a day after they expired, and with counts two days after their day', async ({
      ledger,
      clock,
    }) => {
      await ledger.addGrant(aGrant());
      await ledger.startRun(aStart(1, { policy: aStartPolicy(1) }));
      await clock.advance(900_000 + DAY_MS);
      expect(await erase(ledger)).to.equal(0);
      await clock.advance(1);
      expect(await erase(ledger)).to.equal(1);
      expect((await ledger.addGrant(aGrant())).kind).to.equal('granted');
      await clock.advance(DAY_MS);
      expect([await erase(ledger), (await ledger.policyCounts(LEDGER_DAY)).length]).to.deep.equal([1, 1]);
      await clock.advance(DAY_MS);
      expect([await erase(ledger), await ledger.policyCounts(LEDGER_DAY)]).to.deep.equal([1, []]);
    });

    it('are not erased without whole numbers, nor without a limit', async ({ ledger }) => {
      for (const wrong of [
        { decisionsBefore: 0.5 },
        { replaysBefore: Number.NaN },
        { limit: Infinity },
        { limit: 0 },
        { limit: -1 },
      ])
        expect(await refusal(erase(ledger, wrong))).to.be.instanceOf(TypeError);
    });
  });
}
