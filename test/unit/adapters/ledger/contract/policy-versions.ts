import { expect } from 'chai';
import type { Ledger } from '../../../../../adapters/ledger/port.ts';
import { LEDGER_NOW } from '../../../../support/ledger-rows.ts';
import { aPolicyVersion } from '../../../../support/policy-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import type { Contract } from '../contract.ts';

const FIRST = aPolicyVersion();
const SECOND = aPolicyVersion({ digest: 'sha256:two', generation: 2, at: LEDGER_NOW + 10, spec: '{"two":"ž"}' });

const digests = async (ledger: Ledger): Promise<readonly string[]> =>
  (await ledger.policyVersions('acme', 'prod-limits', 10)).map(({ digest }) => digest);

export function policyVersionContract({ it }: Contract): void {
  describe('versions of policies', () => {
    it('stay beside the one in force, which is one for each policy', async (fixture) => {
      const { ledger } = fixture;
      const other = aPolicyVersion({ namespace: 'globex' });
      for (const version of [FIRST, other, SECOND]) await ledger.putPolicyVersion(version, { inForce: true });
      const reopened = await fixture.reopen();
      expect(await reopened.policiesInForce()).to.deep.equal([SECOND, other]);
      expect(await digests(reopened)).to.deep.equal([SECOND.digest, FIRST.digest]);
      expect((await reopened.policyVersions('acme', 'prod-limits', 1)).length).to.equal(1);
      expect(await refusal(reopened.policyVersions('acme', 'prod-limits', -1))).to.be.instanceOf(RangeError);
      expect(await reopened.policyVersion('acme', 'prod-limits', FIRST.digest)).to.deep.equal(FIRST);
      expect(await reopened.policyVersion('acme', 'prod-limits', 'sha256:none')).to.equal(undefined);
      expect(await reopened.policyVersion('globex', 'prod-limits', SECOND.digest)).to.equal(undefined);
    });

    it('that are not in force leave the one that is', async ({ ledger }) => {
      await ledger.putPolicyVersion(FIRST, { inForce: true });
      await ledger.putPolicyVersion(SECOND, { inForce: false });
      await ledger.putPolicyVersion({ ...FIRST, generation: 3, mode: 'Enforce' }, { inForce: false });
      expect(await ledger.policiesInForce()).to.deep.equal([FIRST]);
      expect(await ledger.policyVersion('acme', 'prod-limits', SECOND.digest)).to.deep.equal(SECOND);
    });

    it('come back into force with their last generation, mode and author', async ({ ledger }) => {
      for (const version of [FIRST, SECOND]) await ledger.putPolicyVersion(version, { inForce: true });
      const again = aPolicyVersion({ generation: 3, at: LEDGER_NOW + 20, by: 'sa:ci/deploy', mode: 'Enforce' });
      await ledger.putPolicyVersion(again, { inForce: true });
      expect(await ledger.policiesInForce()).to.deep.equal([again]);
      expect(await digests(ledger)).to.deep.equal([FIRST.digest, SECOND.digest]);
      const promoted = { ...again, generation: 4, at: LEDGER_NOW + 30 };
      await ledger.putPolicyVersion(promoted, { inForce: true });
      expect(await ledger.policiesInForce()).to.deep.equal([promoted]);
    });

    it('are out of force when their policy is gone, and are kept', async (fixture) => {
      const { ledger } = fixture;
      await ledger.putPolicyVersion(FIRST, { inForce: true });
      await ledger.dropPolicyInForce('acme', 'prod-limits');
      await ledger.dropPolicyInForce('acme', 'never-there');
      const reopened = await fixture.reopen();
      expect(await reopened.policiesInForce()).to.deep.equal([]);
      expect(await digests(reopened)).to.deep.equal([FIRST.digest]);
    });

    it('are refused beyond 256 KiB, and without whole numbers', async ({ ledger }) => {
      const wrong = [{ spec: 'x'.repeat(262_145) }, { tests: 'x'.repeat(262_145) }, { generation: 0.5 }, { at: 0.5 }];
      for (const change of wrong) {
        const error = await refusal(ledger.putPolicyVersion(aPolicyVersion(change), { inForce: true }));
        expect(error, Object.keys(change).join()).to.be.instanceOf(TypeError);
      }
      expect(await ledger.policiesInForce()).to.deep.equal([]);
    });
  });
}
