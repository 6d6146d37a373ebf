import { expect } from 'chai';
import type { NewReplay, ReplayUpdate } from '../../../../../adapters/ledger/port.ts';
import { LEDGER_NOW } from '../../../../support/ledger-rows.ts';
import { aCompletion, aReplay } from '../../../../support/policy-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import type { Contract } from '../contract.ts';

const DIGEST = aReplay(1).policyDigest;
const PROGRESS: ReplayUpdate = { status: 'running', endedAt: null, result: '{"evaluated":5}' };
const CANCELLED: ReplayUpdate = { status: 'cancelled', endedAt: LEDGER_NOW + 9, result: '{}' };

export function policyReplayContract({ it }: Contract): void {
  describe('replays', () => {
    it('run until their first end, which stays', async (fixture) => {
      const { ledger } = fixture;
      expect(await ledger.addReplay(aReplay(1), 2)).to.deep.equal({ kind: 'added' });
      const running = { ...aReplay(1), status: 'running', endedAt: null, result: null, jws: null };
      expect(await ledger.replay('acme', 'rpl_1')).to.deep.equal(running);
      expect(await ledger.updateReplay('rpl_1', PROGRESS)).to.deep.equal({ kind: 'done' });
      expect(await ledger.replay('acme', 'rpl_1')).to.deep.equal({ ...running, result: PROGRESS.result });
      const ends = await Promise.all([
        ledger.updateReplay('rpl_1', aCompletion()),
        ledger.updateReplay('rpl_1', CANCELLED),
      ]);
      expect(ends.map(({ kind }) => kind)).to.deep.equal(['done', 'ended']);
      expect(await ledger.updateReplay('rpl_none', CANCELLED)).to.deep.equal({ kind: 'ended' });
      const { totals: _totals, ...end } = aCompletion();
      expect(await (await fixture.reopen()).replay('acme', 'rpl_1')).to.deep.equal({ ...running, ...end });
      expect(await (await fixture.current()).replay('globex', 'rpl_1')).to.equal(undefined);
    });

    it('are started up to a number that run at a time, for each tenant', async ({ ledger }) => {
      const adds = [1, 2, 3].map((number) => ledger.addReplay(aReplay(number), 2));
      expect((await Promise.all(adds)).map(({ kind }) => kind)).to.deep.equal(['added', 'added', 'too-many']);
      expect((await ledger.addReplay(aReplay(4, { tenant: 'globex' }), 2)).kind).to.equal('added');
      await ledger.updateReplay('rpl_1', CANCELLED);
      expect((await ledger.addReplay(aReplay(3), 2)).kind).to.equal('added');
    });

    it('of an instance that stops are aborted, and of a process that is gone when the ledger opens', async (fixture) => {
      const { ledger } = fixture;
      const owners = ['one', 'two', 'one'];
      for (const [number, owner] of owners.entries()) await ledger.addReplay(aReplay(number, { owner }), 9);
      await ledger.updateReplay('rpl_2', aCompletion());
      expect(await ledger.abortReplays('one', LEDGER_NOW + 7)).to.equal(1);
      expect(await ledger.replay('acme', 'rpl_0')).to.include({ status: 'aborted', endedAt: LEDGER_NOW + 7 });
      expect(await ledger.replay('acme', 'rpl_1')).to.include({ status: 'running' });
      const reopened = await fixture.reopen();
      expect(await reopened.replay('acme', 'rpl_1')).to.include({ status: 'aborted', endedAt: LEDGER_NOW });
      expect(await reopened.replay('acme', 'rpl_2')).to.include({ status: 'completed' });
      expect(await reopened.abortReplays(null, LEDGER_NOW)).to.equal(0);
    });

    it('are listed newest first, page by page, for their tenant', async ({ ledger }) => {
      for (const number of [1, 2, 3]) await ledger.addReplay(aReplay(number), 9);
      await ledger.addReplay(aReplay(4, { tenant: 'globex' }), 9);
      const first = await ledger.replays('acme', { limit: 2 });
      const rest = await ledger.replays('acme', { limit: 2, cursor: first.nextCursor ?? '' });
      const { request: _request, ...summary } = aReplay(3);
      expect(first.items[0]).to.deep.equal({ ...summary, status: 'running', endedAt: null });
      expect([...first.items, ...rest.items].map(({ replayId }) => replayId)).to.deep.equal([
        'rpl_3',
        'rpl_2',
        'rpl_1',
      ]);
      expect(rest.nextCursor).to.equal(null);
      expect(await refusal(ledger.replays('acme', { limit: 0 }))).to.be.instanceOf(RangeError);
    });

    it('leave their totals to the version that they replayed, when they complete', async (fixture) => {
      const { ledger } = fixture;
      await ledger.addReplay(aReplay(1), 9);
      await ledger.addReplay(aReplay(2), 9);
      await ledger.addReplay(aReplay(3, { policyDigest: 'sha256:draft' }), 9);
      await ledger.updateReplay('rpl_1', aCompletion());
      await ledger.updateReplay('rpl_2', { status: 'failed', endedAt: LEDGER_NOW, result: '{}' });
      await ledger.updateReplay('rpl_3', aCompletion());
      const totals = { ...aCompletion().totals, policyDigest: DIGEST, replayId: 'rpl_1', endedAt: LEDGER_NOW + 5000 };
      const reopened = await fixture.reopen();
      expect(await reopened.replayTotals('acme', 'prod-limits', DIGEST)).to.deep.equal([totals]);
      expect(await reopened.replayTotals('globex', 'prod-limits', DIGEST)).to.deep.equal([]);
    });

    it('have changes, added in slices while they run, and read by their position', async (fixture) => {
      const { ledger } = fixture;
      await ledger.addReplay(aReplay(1), 9);
      await ledger.addReplay(aReplay(2), 9);
      expect(await ledger.addReplayChanges('rpl_1', ['{"n":0}', '{"n":1}'])).to.deep.equal({ kind: 'done' });
      await ledger.addReplayChanges('rpl_2', ['{"other":0}']);
      await ledger.addReplayChanges('rpl_1', ['{"n":2}']);
      await ledger.updateReplay('rpl_1', aCompletion());
      expect(await ledger.addReplayChanges('rpl_1', ['{"n":3}'])).to.deep.equal({ kind: 'ended' });
      const reopened = await fixture.reopen();
      expect(await reopened.replayChanges('acme', 'rpl_1', { from: 1, limit: 9 })).to.deep.equal([
        { position: 1, json: '{"n":1}' },
        { position: 2, json: '{"n":2}' },
      ]);
      expect((await reopened.replayChanges('acme', 'rpl_1', { from: 0, limit: 2 })).length).to.equal(2);
      expect(await reopened.replayChanges('globex', 'rpl_1', { from: 0, limit: 9 })).to.deep.equal([]);
      for (const wrong of [{ limit: 201 }, { limit: -1 }, { from: -1 }, { from: 0.5 }]) {
        const changes = reopened.replayChanges('acme', 'rpl_1', { from: 0, limit: 1, ...wrong });
        expect(await refusal(changes)).to.be.instanceOf(RangeError);
      }
    });

    it('are refused when they can not be', async ({ ledger }) => {
      await ledger.addReplay(aReplay(1), 9);
      const long = 'x'.repeat(262_145);
      const replays: readonly Partial<NewReplay>[] = [{ replayId: 'rpl_1' }, { startedAt: 0.5 }, { request: long }];
      for (const change of replays)
        expect(await refusal(ledger.addReplay(aReplay(2, change), 9))).to.be.instanceOf(TypeError);
      const { totals: _totals, ...noTotals } = aCompletion();
      const updates: readonly ReplayUpdate[] = [
        aCompletion({ result: long }),
        aCompletion({ jws: long }),
        aCompletion({ endedAt: null }),
        aCompletion({ endedAt: 0.5 }),
        aCompletion({ status: 'failed' }),
        aCompletion({ totals: { evaluated: 0.5, indeterminate: 0, newDenies: 0, windowMs: 0 } }),
        noTotals,
        { ...PROGRESS, endedAt: LEDGER_NOW },
      ];
      for (const update of updates)
        expect(await refusal(ledger.updateReplay('rpl_1', update))).to.be.instanceOf(TypeError);
      const slices = [['x'.repeat(65_537)], Array.from({ length: 1001 }, () => '{}')];
      for (const slice of slices)
        expect(await refusal(ledger.addReplayChanges('rpl_1', slice))).to.be.instanceOf(TypeError);
      expect(await ledger.replay('acme', 'rpl_1')).to.include({ status: 'running', result: null });
    });
  });
}
