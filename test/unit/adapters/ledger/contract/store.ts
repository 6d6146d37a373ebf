import { expect } from 'chai';
import { digestOfLetter as aDigest } from '../../../../support/reputation-rows.ts';
import type { Contract } from '../contract.ts';

export function storeContract({ it }: Contract): void {
  describe('manifests', () => {
    it('gives a manifest to a tenant that stored it, and to no other', async ({ ledger }) => {
      await ledger.putManifest('acme', aDigest('a'), '{"orb_id":"ž"}');
      expect(await ledger.manifest('acme', aDigest('a'))).to.equal('{"orb_id":"ž"}');
      expect(await ledger.manifest('globex', aDigest('a'))).to.equal(undefined);
      expect(await ledger.manifest('acme', aDigest('b'))).to.equal(undefined);
    });

    it('takes the same digest again, from the same tenant and from another', async ({ ledger }) => {
      const puts = ['acme', 'acme', 'globex'].map((tenant) => ledger.putManifest(tenant, aDigest('a'), '{}'));
      await Promise.all(puts);
      expect(await ledger.manifest('acme', aDigest('a'))).to.equal('{}');
      expect(await ledger.manifest('globex', aDigest('a'))).to.equal('{}');
    });
  });

  describe('state', () => {
    it('keeps the last text of each key, apart by kind, and forgets what is deleted', async (fixture) => {
      const { ledger } = fixture;
      await ledger.putState('pin', 'b', '1');
      await ledger.putState('pin', 'a', '2');
      await ledger.putState('pin', 'b', '3');
      await ledger.putState('other', 'b', '4');
      const reopened = await fixture.reopen();
      const pins = [
        { key: 'a', json: '2' },
        { key: 'b', json: '3' },
      ];
      expect(await reopened.states('pin')).to.deep.equal(pins);
      expect(await reopened.state('other', 'b')).to.equal('4');
      await reopened.deleteState('pin', 'b');
      await reopened.deleteState('pin', 'never-there');
      expect(await reopened.state('pin', 'b')).to.equal(undefined);
      expect(await reopened.states('pin')).to.deep.equal([{ key: 'a', json: '2' }]);
      expect(await reopened.states('none')).to.deep.equal([]);
    });
  });
}
