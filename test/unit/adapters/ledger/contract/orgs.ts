import { expect } from 'chai';
import type { NewOrg } from '../../../../../adapters/ledger/port.ts';
import { refusal } from '../../../../support/refusal.ts';
import { aPublication, LINE, orgEntry } from '../../../../support/reputation-rows.ts';
import type { Contract } from '../contract.ts';

const row: NewOrg = { org: 'acme', namespace: 'acme', proof: 'dns', state: 'unverified', since: 1, json: '{"a":1}' };

const claim = { org: 'acme', namespace: 'one', until: 1000, json: '{"nonce":"a"}' };
const of = (number: number): typeof claim => ({ ...claim, org: `org-${number}` });

export function orgContract({ it }: Contract): void {
  describe('organisations', () => {
    it('keeps a row, with its entries, and replaces it', async (fixture) => {
      const { ledger } = fixture;
      expect(await ledger.putOrg(row, null, [])).to.deep.equal({ kind: 'done', logIndex: null });
      expect(await ledger.org('acme')).to.deep.equal({ ...row, change: 1 });
      const verified = { ...row, state: 'verified', json: '{"b":2}' } as const;
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

    it('gives rows in the order of their last change', async ({ ledger }) => {
      for (const org of ['one', 'two']) await ledger.putOrg({ ...row, org }, null, []);
      await ledger.putOrg({ ...row, org: 'one', json: 'new' }, row.json, []);
      await ledger.publish(aPublication());
      expect((await ledger.orgs(0)).map(({ org }) => org)).to.deep.equal(['two', 'one', 'acme']);
      expect((await ledger.orgs(2)).map(({ org }) => org)).to.deep.equal(['one', 'acme']);
      expect(await ledger.orgs(5)).to.deep.equal([]);
    });
  });

  describe('open claims of organisations', () => {
    it('stand side by side, each replaced by its own namespace only', async (fixture) => {
      const { ledger } = fixture;
      const other = { ...claim, namespace: 'two', json: '{"nonce":"b"}' };
      for (const one of [{ ...claim, json: 'older' }, other, claim])
        expect(await ledger.putOrgClaim(one, 0)).to.deep.equal({ kind: 'done' });
      const reopened = await fixture.reopen();
      expect(await reopened.orgClaim('acme', 'one')).to.deep.equal(claim);
      expect(await reopened.orgClaim('acme', 'two')).to.deep.equal(other);
      expect(await reopened.orgClaim('acme', 'three')).to.equal(undefined);
      expect(await reopened.org('acme')).to.equal(undefined);
      expect(await reopened.logSize()).to.equal(0);
    });

    it('are at most 16 of a namespace; the same one again and those of others are no more', async ({ ledger }) => {
      const puts = Array.from({ length: 17 }, (_, number) => ledger.putOrgClaim(of(number), 0));
      const kinds = (await Promise.all(puts)).map(({ kind }) => kind);
      expect(kinds).to.deep.equal([...Array.from({ length: 16 }, () => 'done'), 'too-many']);
      expect(await ledger.orgClaim('org-16', 'one')).to.equal(undefined);
      expect((await ledger.putOrgClaim({ ...of(3), json: 'new' }, 0)).kind).to.equal('done');
      expect((await ledger.putOrgClaim({ ...of(16), namespace: 'two' }, 0)).kind).to.equal('done');
    });

    it('are removed when they are over', async ({ ledger }) => {
      for (let number = 0; number < 16; number += 1)
        await ledger.putOrgClaim({ ...claim, org: `org-${number}`, until: 1000 + number }, 0);
      expect((await ledger.putOrgClaim({ ...claim, until: 9000 }, 999)).kind).to.equal('too-many');
      expect((await ledger.putOrgClaim({ ...claim, until: 9000 }, 1000)).kind).to.equal('done');
      expect(await ledger.orgClaim('org-0', 'one')).to.equal(undefined);
      expect((await ledger.orgClaim('org-1', 'one'))?.until).to.equal(1001);
    });

    it('are for the owner alone once there is one', async ({ ledger }) => {
      await ledger.putOrg({ ...row, namespace: 'one' }, null, []);
      expect(await ledger.putOrgClaim(claim, 0)).to.deep.equal({ kind: 'done' });
      expect(await ledger.putOrgClaim({ ...claim, namespace: 'two' }, 0)).to.deep.equal({ kind: 'taken' });
      expect(await ledger.orgClaim('acme', 'two')).to.equal(undefined);
    });

    it('end when one of them is proven, and stay with any other change of the organisation', async ({ ledger }) => {
      for (const namespace of ['one', 'two']) await ledger.putOrgClaim({ ...claim, namespace }, 0);
      await ledger.putOrgClaim({ ...claim, org: 'other' }, 0);
      expect(await ledger.putOrg(row, 'not read', [], 'ended')).to.deep.equal({ kind: 'conflict' });
      await ledger.putOrg(row, null, []);
      expect((await ledger.orgClaim('acme', 'two'))?.until).to.equal(1000);
      await ledger.putOrg({ ...row, state: 'verified', json: 'next' }, row.json, [], 'ended');
      for (const namespace of ['one', 'two']) expect(await ledger.orgClaim('acme', namespace)).to.equal(undefined);
      expect((await ledger.orgClaim('other', 'one'))?.until).to.equal(1000);
    });

    it('are refused with a time that is not whole', async ({ ledger }) => {
      expect(await refusal(ledger.putOrgClaim({ ...claim, until: 0.5 }, 0))).to.be.instanceOf(TypeError);
      expect(await refusal(ledger.putOrgClaim(claim, 0.5))).to.be.instanceOf(TypeError);
    });
  });
}
