import { expect } from 'chai';
import type { Ledger, NewGrant } from '../../../../../adapters/ledger/port.ts';
import { aFinish, aStart, LEDGER_NOW } from '../../../../support/ledger-rows.ts';
import { aDecision, aGrant, aStartPolicy, decisionIdOf } from '../../../../support/policy-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import type { Contract } from '../contract.ts';

const { orbiset, caller, orbId, inputsSha256 } = aGrant();
const RUN = { orbiset, caller, orbId, inputsSha256 };

const usable = async (ledger: Ledger, now = LEDGER_NOW): Promise<readonly string[]> =>
  (await ledger.grantsFor('acme', RUN, now)).map(({ grantId }) => grantId);

/** A start that uses up grants. */
const using = (number: number, grants: readonly string[], startedAt = LEDGER_NOW) =>
  aStart(number, { startedAt, policy: aStartPolicy(number, { grants }) });

export function policyGrantContract({ it }: Contract): void {
  describe('grants', () => {
    it('are for one run of the same caller, Orbiset, Orb and inputs, until they expire', async (fixture) => {
      expect(await fixture.ledger.addGrant(aGrant())).to.deep.equal({ kind: 'granted' });
      const ledger = await fixture.reopen();
      expect(await ledger.grantsFor('acme', RUN, LEDGER_NOW + 899_999)).to.deep.equal([
        { grantId: 'grt_1', scope: 'payments:approve' },
      ]);
      expect(await usable(ledger, LEDGER_NOW + 900_000)).to.deep.equal([]);
      expect(await ledger.grantsFor('globex', RUN, LEDGER_NOW)).to.deep.equal([]);
      for (const other of [{ orbiset: 'acme.test' }, { caller: 'anonymous' }, { orbId: 'x' }, { inputsSha256: '' }])
        expect(await ledger.grantsFor('acme', { ...RUN, ...other }, LEDGER_NOW)).to.deep.equal([]);
    });

    it('are given once for a decision and scope, also by concurrent calls', async ({ ledger }) => {
      const grants = Array.from({ length: 5 }, (_, number) => aGrant({ grantId: `grt_${number}` }));
      const results = await Promise.all(grants.map((grant) => ledger.addGrant(grant)));
      expect(results.map(({ kind }) => kind)).to.have.members(['granted', 'exists', 'exists', 'exists', 'exists']);
      const others: readonly Partial<NewGrant>[] = [
        { grantId: 'grt_a', scope: 'risk:approve' },
        { grantId: 'grt_b', decisionId: decisionIdOf(2) },
      ];
      for (const other of others) expect((await ledger.addGrant(aGrant(other))).kind).to.equal('granted');
      expect((await usable(ledger)).length).to.equal(3);
    });

    it('are used up by exactly one of ten starts that race for two of them', async ({ ledger }) => {
      await ledger.addGrant(aGrant());
      await ledger.addGrant(aGrant({ grantId: 'grt_2', scope: 'risk:approve' }));
      const starts = Array.from({ length: 10 }, (_, number) => ledger.startRun(using(number, ['grt_1', 'grt_2'])));
      const refused = (await Promise.all(starts)).filter(({ kind }) => kind === 'grant-used');
      expect(refused.length).to.equal(9);
      expect(await usable(ledger)).to.deep.equal([]);
      expect((await ledger.decisions('acme', { limit: 20 })).items.length).to.equal(1);
      expect((await ledger.overdueRuns(LEDGER_NOW + 100_000, 20)).length).to.equal(1);
      expect((await ledger.addGrant(aGrant({ grantId: 'grt_3' }))).kind).to.equal('exists');
    });

    it('let nothing start, nor be used up, unless all of them can be used', async ({ ledger }) => {
      await ledger.addGrant(aGrant());
      const later = LEDGER_NOW + 900_000;
      const starts = [
        using(1, ['grt_1', 'grt_unknown']),
        using(2, ['grt_1'], later),
        aStart(3, { tenant: 'globex', policy: aStartPolicy(3, { grants: ['grt_1'] }) }),
        aStart(4, {
          policy: aStartPolicy(4, { decision: aDecision(4, { inputsSha256: 'cd'.repeat(32) }), grants: ['grt_1'] }),
        }),
      ];
      for (const start of starts) expect(await ledger.startRun(start)).to.deep.equal({ kind: 'grant-used' });
      expect(await ledger.recordRun(using(1, ['grt_unknown']), aFinish(1))).to.deep.equal({ kind: 'grant-used' });
      expect([await ledger.logSize(), await usable(ledger)]).to.deep.equal([0, ['grt_1']]);
      expect(await ledger.startRun(using(1, ['grt_1']))).to.deep.equal({ kind: 'started' });
    });

    it('have an id of their own, and times', async ({ ledger }) => {
      await ledger.addGrant(aGrant());
      const taken = aGrant({ decisionId: decisionIdOf(9) });
      for (const wrong of [taken, aGrant({ at: 0.5 }), aGrant({ expiresAt: Number.NaN })])
        expect(await refusal(ledger.addGrant(wrong))).to.be.instanceOf(TypeError);
    });
  });
}
