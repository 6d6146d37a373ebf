import { expect } from 'chai';
import type { NewOrg } from '../../../../../adapters/ledger/port.ts';
import { refusal } from '../../../../support/refusal.ts';
import { aPublication, LINE, orgEntry } from '../../../../support/reputation-rows.ts';
import type { Contract } from '../contract.ts';

const row: NewOrg = { org: 'acme', namespace: 'acme', proof: 'dns', state: 'pending', since: 1, json: '{"nonce":"a"}' };

export function orgContract({ it }: Contract): void {
  describe('organisations', () => {
    it('keeps a row, with its entries, and replaces it', async (fixture) => {
      const { ledger } = fixture;
      expect(await ledger.putOrg(row, null, [])).to.deep.equal({ kind: 'done', logIndex: null });
      expect(await ledger.org('acme')).to.deep.equal({ ...row, change: 1 });
      const verified = { ...row, state: 'verified', json: '{"nonce":"b"}' } as const;
      const entries = [orgEntry('verified')];
      expect(await ledger.putOrg(verified, row.json, entries)).to.deep.equal({ kind: 'done', logIndex: 0 });
      const reopened = await fixture.reopen();
      expect(await reopened.org('acme')).to.deep.equal({ ...verified, change: 2 });
      expect(await reopened.org('globex')).to.equal(undefined);
      expect((await reopened.lineEvidence(LINE, 'acme')).events.map(({ entry }) => entry.kind)).to.deep.equal(['org']);
    });

    it('lets one of several concurrent writers of the same row through', async ({ ledger }) => {
      const names = ['a', 'b', 'c'];
      const first = names.map((json) => ledger.putOrg({ ...row, json }, null, [orgEntry('verified')]));
      expect((await Promise.all(first)).map(({ kind }) => kind)).to.deep.equal(['done', 'conflict', 'conflict']);
      const next = names.map((json) => ledger.putOrg({ ...row, json: `${json}2` }, 'a', []));
      expect((await Promise.all(next)).map(({ kind }) => kind)).to.deep.equal(['done', 'conflict', 'conflict']);
      expect(await ledger.putOrg(row, null, [])).to.deep.equal({ kind: 'conflict' });
      expect(await ledger.logSize()).to.equal(1);
    });

    it('refuses a row that can not be, alone', async ({ ledger }) => {
      const bad = [
        ledger.putOrg({ ...row, since: 0.5 }, null, []),
        ledger.putOrg(row, null, [`"${'x'.repeat(65_534)}"`]),
      ];
      const good = ledger.putOrg({ ...row, org: 'globex' }, null, []);
      for (const one of bad) expect(await refusal(one)).to.be.instanceOf(TypeError);
      expect(await good).to.deep.equal({ kind: 'done', logIndex: null });
      expect(await ledger.org('acme')).to.equal(undefined);
    });

    it('gives rows in the order of their last change, and all changes of the ledger in one list', async ({
      ledger,
    }) => {
      for (const org of ['one', 'two']) await ledger.putOrg({ ...row, org }, null, []);
      await ledger.putOrg({ ...row, org: 'one', json: 'new' }, row.json, []);
      await ledger.publish(aPublication());
      expect((await ledger.orgs(0)).map(({ org }) => org)).to.deep.equal(['two', 'one', 'acme']);
      expect((await ledger.orgs(2)).map(({ org }) => org)).to.deep.equal(['one', 'acme']);
      expect(await ledger.changesSince(2)).to.deep.equal([
        { change: 3, kind: 'org', id: 'one' },
        { change: 4, kind: 'org', id: 'acme' },
        { change: 5, kind: 'publication', id: 'acme.echo@1.0.0' },
      ]);
      expect(await ledger.changesSince(5)).to.deep.equal([]);
    });
  });
}
