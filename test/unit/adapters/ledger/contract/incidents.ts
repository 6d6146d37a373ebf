import { expect } from 'chai';
import type { IncidentChange, IncidentQuery, Ledger } from '../../../../../adapters/ledger/port.ts';
import { anOpening, incidentIdOf, workerLease } from '../../../../support/ingest-rows.ts';
import { LEDGER_NOW } from '../../../../support/ledger-rows.ts';
import { incidentEntry } from '../../../../support/reputation-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import type { Contract } from '../contract.ts';

const APPLIED = { kind: 'applied' };

const stale = (...numbers: readonly number[]): object => ({ kind: 'stale', incidentIds: numbers.map(incidentIdOf) });

/** What a read gives of `anOpening(number)`. */
function opened(number: number, change: Partial<IncidentChange> = {}): object {
  const { expectedRevision: _expected, updates: _updates, logEntry: _entry, ...rest } = anOpening(number, change);
  return { ...rest, revision: 1, logIndex: null };
}

const resolved = (number: number, change: Partial<IncidentChange> = {}): IncidentChange =>
  anOpening(number, {
    expectedRevision: 1,
    status: 'resolved',
    endedAt: LEDGER_NOW + 500,
    updates: [{ at: LEDGER_NOW + 500, by: 'key:k7Qp2xZa', json: '{"text":"resolved"}' }],
    ...change,
  });

const idsOf = async (ledger: Ledger, query: Partial<IncidentQuery> = {}): Promise<readonly string[]> =>
  (await ledger.incidents('acme', { limit: 200, ...query })).items.map(({ incidentId }) => incidentId);

export function incidentContract({ it }: Contract): void {
  describe('incidents', () => {
    it('keep what their last change says, all updates, and the index of their first entry', async (fixture) => {
      const { ledger } = fixture;
      await ledger.appendEntries(['{}']);
      expect(await ledger.changeIncidents([anOpening(1, { dueAt: 7 })])).to.deep.equal(APPLIED);
      expect(await ledger.incident('acme', incidentIdOf(1))).to.deep.equal({
        ...opened(1, { dueAt: 7 }),
        updates: anOpening(1).updates,
      });
      const change = resolved(1, { severity: 'critical', orbId: null, provider: 'api.sendgrid.com', json: '{}' });
      const entries = (['opened', 'resolved'] as const).map((event) =>
        incidentEntry({ incident_id: incidentIdOf(1), event }),
      );
      await ledger.changeIncidents([{ ...change, logEntry: entries[0] ?? '' }]);
      const last = { ...change, expectedRevision: 2, updates: [], openedAt: 0, logEntry: entries[1] ?? '' };
      await ledger.changeIncidents([last]);
      const reopened = await fixture.reopen();
      const { updates, ...incident } = (await reopened.incident('acme', incidentIdOf(1))) ?? { updates: [] };
      const { updates: _updates, expectedRevision: _expected, ...expected } = change;
      expect(incident).to.deep.equal({ ...expected, openedAt: 0, revision: 3, logIndex: 1 });
      expect(updates).to.deep.equal([...anOpening(1).updates, ...change.updates]);
      expect(await reopened.entries(1, 9)).to.deep.equal(entries);
      expect(await reopened.incident('globex', incidentIdOf(1))).to.equal(undefined);
    });

    it('change together or not at all, and only from the revision that was read', async ({ ledger }) => {
      const both = [anOpening(1), anOpening(2)];
      const results = await Promise.all([ledger.changeIncidents(both), ledger.changeIncidents(both)]);
      expect(results).to.deep.equal([APPLIED, stale(1, 2)]);
      expect(await ledger.changeIncidents([resolved(1), anOpening(2)])).to.deep.equal(stale(2));
      expect(await ledger.changeIncidents([resolved(3)])).to.deep.equal(stale(3));
      expect(await ledger.changeIncidents([resolved(1, { tenant: 'globex' })]), 'of another tenant').to.deep.equal(
        stale(1),
      );
      expect((await ledger.incident('acme', incidentIdOf(1)))?.revision).to.equal(1);
      const twice = [resolved(1), resolved(1, { expectedRevision: 2, status: 'withdrawn' })];
      expect(await ledger.changeIncidents(twice)).to.deep.equal(APPLIED);
      expect(await ledger.incident('acme', incidentIdOf(1))).to.include({ revision: 3, status: 'withdrawn' });
      expect(await ledger.changeIncidents([])).to.deep.equal(APPLIED);
    });

    it('change by time under a lease alone', async ({ ledger, clock }) => {
      const lease = await workerLease(ledger);
      expect(await ledger.changeIncidents([anOpening(1)], lease)).to.deep.equal(APPLIED);
      await clock.advance(60_000);
      await ledger.acquireLease('ingest-worker', 'two', 1000);
      expect(await ledger.changeIncidents([resolved(1)], lease)).to.deep.equal({ kind: 'lost-lease' });
      expect((await ledger.incident('acme', incidentIdOf(1)))?.revision).to.equal(1);
    });

    it('are listed by their opening, the last first, page by page, by what they are', async ({ ledger }) => {
      await ledger.changeIncidents([
        anOpening(1),
        anOpening(2, { orbId: 'acme.other@1.0.0' }),
        anOpening(3, { orbId: null, provider: 'api.sendgrid.com', openedAt: LEDGER_NOW + 2 }),
        anOpening(4),
        anOpening(5, { tenant: 'globex' }),
      ]);
      await ledger.changeIncidents([resolved(4)]);
      const first = await ledger.incidents('acme', { limit: 2 });
      const rest = await ledger.incidents('acme', { limit: 2, cursor: first.nextCursor ?? '' });
      const listed = [...first.items, ...rest.items].map(({ incidentId }) => incidentId);
      expect(listed).to.deep.equal([4, 3, 2, 1].map(incidentIdOf));
      expect(rest.nextCursor).to.equal(null);
      expect(rest.items[1]).to.deep.equal(opened(1));
      expect(await idsOf(ledger, { status: 'resolved' })).to.deep.equal([incidentIdOf(4)]);
      expect(await idsOf(ledger, { orbId: 'acme.other@1.0.0' })).to.deep.equal([incidentIdOf(2)]);
      expect(await idsOf(ledger, { provider: 'api.sendgrid.com' })).to.deep.equal([incidentIdOf(3)]);
      expect(await idsOf(ledger, { since: LEDGER_NOW + 2, until: LEDGER_NOW + 4 })).to.deep.equal(
        [3, 2].map(incidentIdOf),
      );
      for (const wrong of [{ limit: 0 }, { limit: 1, cursor: 'x' }])
        expect(await refusal(ledger.incidents('acme', wrong))).to.be.instanceOf(RangeError);
    });

    it('are found by their group while they are open, and for a while after', async ({ ledger }) => {
      await ledger.changeIncidents([
        anOpening(1, { groupKey: 'a' }),
        anOpening(2, { groupKey: 'a' }),
        anOpening(3, { groupKey: 'b' }),
        anOpening(4, { groupKey: 'a', tenant: 'globex' }),
      ]);
      await ledger.changeIncidents([resolved(1)]);
      const find = async (groups: readonly string[], endedSince: number): Promise<readonly string[]> =>
        (await ledger.incidentsByGroup('acme', groups, endedSince)).map(({ incidentId }) => incidentId);
      expect(await find(['a', 'c', 'a'], LEDGER_NOW + 500)).to.deep.equal([2, 1].map(incidentIdOf));
      expect(await find(['b', 'a'], LEDGER_NOW + 501)).to.deep.equal([3, 2].map(incidentIdOf));
      const newest = await ledger.incidentsByGroup('acme', ['a', 'b'], 0, { onlyNewest: true });
      expect(newest.map(({ incidentId }) => incidentId)).to.deep.equal([2, 3].map(incidentIdOf));
      // A late signal shows that the last one began before the others: it stays the last of its group.
      const known = await ledger.incident('acme', incidentIdOf(2));
      const earlier = {
        ...anOpening(2),
        groupKey: 'a',
        openedAt: 0,
        expectedRevision: known?.revision ?? 0,
        updates: [],
      };
      expect(await ledger.changeIncidents([earlier])).to.deep.equal(APPLIED);
      expect(await find(['a'], 0)).to.deep.equal([2, 1].map(incidentIdOf));
      const many = Array.from({ length: 1001 }, String);
      expect(await refusal(ledger.incidentsByGroup('acme', many, 0))).to.be.instanceOf(RangeError);
    });

    it('are told when they are due, the first due first', async ({ ledger }) => {
      await ledger.changeIncidents([
        anOpening(1, { dueAt: LEDGER_NOW + 20 }),
        anOpening(2),
        anOpening(3, { dueAt: LEDGER_NOW + 10, tenant: 'globex' }),
      ]);
      const due = async (at: number, limit = 9): Promise<readonly string[]> =>
        (await ledger.incidentsDue(LEDGER_NOW + at, limit)).map(({ incidentId }) => incidentId);
      expect([await due(9), await due(10), await due(20), await due(20, 1)]).to.deep.equal([
        [],
        [incidentIdOf(3)],
        [3, 1].map(incidentIdOf),
        [incidentIdOf(3)],
      ]);
      await ledger.changeIncidents([resolved(1)]);
      expect(await due(20)).to.deep.equal([incidentIdOf(3)]);
      expect(await refusal(ledger.incidentsDue(0, 201))).to.be.instanceOf(RangeError);
    });

    it('that are open are found by their Orb, and counted by severity', async ({ ledger }) => {
      await ledger.changeIncidents([
        anOpening(1),
        anOpening(2, { severity: 'critical' }),
        anOpening(3, { orbId: 'acme.other@1.0.0' }),
        anOpening(4, { tenant: 'globex' }),
      ]);
      await ledger.changeIncidents([resolved(1)]);
      const { orbId } = anOpening(1);
      const open = await ledger.openIncidents('acme', orbId ?? '');
      expect(open.map(({ incidentId }) => incidentId)).to.deep.equal([incidentIdOf(2)]);
      expect(await ledger.openIncidentCounts()).to.deep.equal([
        { severity: 'critical', open: 1 },
        { severity: 'high', open: 2 },
      ]);
    });

    it('of the platform are shown while they are open, and for a while after', async ({ ledger }) => {
      const page = { onStatusPage: true, orbId: null };
      await ledger.changeIncidents([anOpening(1, page), anOpening(2, page), anOpening(3)]);
      await ledger.changeIncidents([resolved(1, page)]);
      const shown = async (endedSince: number, limit = 9): Promise<readonly string[]> =>
        (await ledger.platformIncidents({ endedSince, limit })).map(({ incidentId }) => incidentId);
      expect(await shown(LEDGER_NOW + 501)).to.deep.equal([incidentIdOf(2)]);
      expect(await shown(LEDGER_NOW + 500)).to.deep.equal([2, 1].map(incidentIdOf));
      expect(await shown(0, 1)).to.deep.equal([incidentIdOf(2)]);
      const [, first] = await ledger.platformIncidents({ endedSince: 0, limit: 2 });
      expect(first?.updates.map(({ json }) => json)).to.deep.equal(['{"text":"opened"}', '{"text":"resolved"}']);
      expect(await refusal(ledger.platformIncidents({ endedSince: 0, limit: 0 }))).to.be.instanceOf(RangeError);
    });

    it('are refused when they can not be, with all that they came with', async ({ ledger }) => {
      const long = 'x'.repeat(65_537);
      const wrong: readonly Partial<IncidentChange>[] = [
        { expectedRevision: -1 },
        { expectedRevision: 0.5 },
        { openedAt: 0.5 },
        { endedAt: Number.NaN },
        { dueAt: Infinity },
        { json: long },
        { updates: [{ at: 0.5, by: 'x', json: '{}' }] },
        { updates: [{ at: 0, by: 'x', json: long }] },
        { groupKey: 'x'.repeat(4097) },
        { logEntry: long },
        { logEntry: incidentEntry({ incident_id: incidentIdOf(9) }) },
        { logEntry: '{}' },
      ];
      for (const change of wrong) {
        const changes = [anOpening(1), anOpening(2, change)];
        expect(await refusal(ledger.changeIncidents(changes))).to.be.instanceOf(TypeError);
      }
      expect(await idsOf(ledger)).to.deep.equal([]);
    });
  });
}
