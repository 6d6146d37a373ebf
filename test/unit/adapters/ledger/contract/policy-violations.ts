import { expect } from 'chai';
import type { RunFinish } from '../../../../../adapters/ledger/port.ts';
import { aFinish, aStart } from '../../../../support/ledger-rows.ts';
import { aFinishPolicy, aStartPolicy, aViolation, LEDGER_DAY } from '../../../../support/policy-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import type { Contract } from '../contract.ts';

type Violations = readonly ReturnType<typeof aViolation>[];

const finishWith = (number: number, violations: Violations): RunFinish =>
  aFinish(number, { policy: aFinishPolicy({ violations }) });

export function policyViolationContract({ it }: Contract): void {
  describe('violations', () => {
    it('leave one entry for a rule, digest and day, behind that of the receipt', async (fixture) => {
      const { ledger } = fixture;
      const numbers = Array.from({ length: 8 }, (_, number) => number);
      await Promise.all(
        numbers.map((number) =>
          ledger.recordRun(
            aStart(number, { policy: aStartPolicy(number) }),
            finishWith(number, [aViolation(number), aViolation(number, { rule: 'orb-system/standing/other' })]),
          ),
        ),
      );
      const reopened = await fixture.reopen();
      await reopened.recordRun(aStart(9), finishWith(9, [aViolation(9)]));
      const entries = await reopened.entries(0, 100);
      const first = [aViolation(0).entry, aViolation(0, { rule: 'orb-system/standing/other' }).entry];
      expect(entries.slice(0, 3)).to.deep.equal([aFinish(0).receipt.entry, ...first]);
      expect(entries.length).to.equal(3 + 7 + 1);
    });

    it('are told apart by rule, digest and day', async ({ ledger }) => {
      const one = aViolation(1);
      const others = [{ rule: 'orb-system/a/b' }, { manifestDigest: 'sha256:other' }, { day: one.day + 1 }];
      await ledger.startRun(aStart(1, { policy: aStartPolicy(1) }));
      await ledger.finishRun(finishWith(1, [one, one, ...others.map((other) => aViolation(1, other))]));
      expect(await ledger.logSize()).to.equal(1 + 4);
    });

    it('are not written when the run was closed before', async ({ ledger }) => {
      await ledger.recordRun(aStart(1), aFinish(1));
      expect((await ledger.finishRun(finishWith(1, [aViolation(1)]))).kind).to.equal('closed');
      expect(await ledger.logSize()).to.equal(1);
      await ledger.recordRun(aStart(2), finishWith(2, [aViolation(2)]));
      expect(await ledger.logSize()).to.equal(3);
    });

    it('are refused with their run when they can not be', async ({ ledger }) => {
      await ledger.startRun(aStart(1));
      const wrong = [{ day: LEDGER_DAY / 86_400_000 + 0.5 }, { entry: `"${'x'.repeat(65_534)}"` }];
      for (const change of wrong) {
        const finish = finishWith(1, [aViolation(1), aViolation(1, change)]);
        expect(await refusal(ledger.finishRun(finish))).to.be.instanceOf(TypeError);
        const both = ledger.recordRun(aStart(2), { ...finishWith(2, [aViolation(2, change)]) });
        expect(await refusal(both)).to.be.instanceOf(TypeError);
      }
      expect(await ledger.logSize()).to.equal(0);
      expect(await ledger.finishRun(finishWith(1, [aViolation(1)]))).to.deep.equal({ kind: 'finished' });
    });
  });
}
