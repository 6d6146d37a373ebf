import { expect } from 'chai';
import type { Ledger, NewMaintenance, StatusInterval } from '../../../../../adapters/ledger/port.ts';
import { LEDGER_NOW } from '../../../../support/ledger-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import type { Contract } from '../contract.ts';

/** A stretch of `runtime`, in ms after `LEDGER_NOW`. */
const stretch = (from: number, to: number, change: Partial<StatusInterval> = {}): StatusInterval => ({
  service: 'runtime',
  from: LEDGER_NOW + from,
  to: LEDGER_NOW + to,
  state: 'operational',
  announced: false,
  ...change,
});

const down = { state: 'major_outage' };

const all = async (ledger: Ledger, since = 0): Promise<readonly StatusInterval[]> =>
  (await ledger.statusIntervals({ since, limit: 1000 })).items;

const aWindow = (id: string, change: Partial<NewMaintenance> = {}): NewMaintenance => ({
  id,
  from: LEDGER_NOW + 1000,
  to: LEDGER_NOW + 2000,
  services: ['runtime', 'ingestion'],
  title: 'A larger disk',
  by: 'key:k7Qp2xZa',
  ...change,
});

export function statusContract({ it }: Contract): void {
  describe('intervals of the status', () => {
    it('are prolonged by rounds of the same state, and begin anew with another, a gap or an announcement', async (fixture) => {
      const rounds = [
        stretch(0, 30),
        stretch(30, 60),
        stretch(60, 90, down),
        stretch(95, 120, down),
        stretch(120, 150, { ...down, announced: true }),
        stretch(0, 30, { service: 'ingestion' }),
      ];
      const kept = { kind: 'kept', last: LEDGER_NOW + 150 };
      expect(await fixture.ledger.statusRound(rounds)).to.deep.equal(kept);
      const ledger = await fixture.reopen();
      expect(await ledger.statusRound([stretch(30, 60, { service: 'ingestion' })])).to.deep.equal({
        kind: 'kept',
        last: LEDGER_NOW + 60,
      });
      expect(await all(ledger)).to.deep.equal([
        stretch(0, 60, { service: 'ingestion' }),
        stretch(0, 60),
        ...rounds.slice(2, 5),
      ]);
      expect(await ledger.statusRound([])).to.deep.equal({ kind: 'kept', last: 0 });
    });

    it('stay as they are when rounds are told again', async ({ ledger }) => {
      const rounds = [stretch(0, 30), stretch(30, 60), stretch(60, 90, down), stretch(90, 120)];
      await ledger.statusRound(rounds);
      const before = await all(ledger);
      const kept = { kind: 'kept', last: LEDGER_NOW + 120 };
      for (const again of [rounds, rounds.slice(1, 2), rounds.toReversed()])
        expect(await ledger.statusRound(again)).to.deep.equal(kept);
      expect(await all(ledger)).to.deep.equal(before);
    });

    it('never overlap: one row that would keeps its whole round out', async ({ ledger }) => {
      await ledger.statusRound([stretch(100, 200), stretch(300, 400)]);
      const before = await all(ledger);
      const wrong = [
        stretch(100, 200, down),
        stretch(150, 160, down),
        stretch(150, 250),
        stretch(50, 101),
        stretch(50, 500),
        stretch(250, 301),
        stretch(500, 500),
        stretch(500, 499),
        stretch(100, 200, { announced: true }),
      ];
      for (const row of wrong) {
        const result = await ledger.statusRound([stretch(400, 430), stretch(0, 9, { service: 'ingestion' }), row]);
        expect(result).to.deep.equal({ kind: 'invalid', position: 2 });
      }
      expect(await all(ledger)).to.deep.equal(before);
      expect((await ledger.statusRound([stretch(200, 300), stretch(0, 100)])).kind).to.equal('kept');
    });

    it('of a round are kept once when it is told at the same time by several', async ({ ledger }) => {
      const told = Array.from({ length: 5 }, () => ledger.statusRound([stretch(0, 30), stretch(30, 60, down)]));
      for (const result of await Promise.all(told)) expect(result.kind).to.equal('kept');
      expect(await all(ledger)).to.deep.equal([stretch(0, 30), stretch(30, 60, down)]);
    });

    it('are read since a time, by service, page by page', async ({ ledger }) => {
      const runtime = [stretch(0, 30), stretch(30, 60, down), stretch(60, 90)];
      const ingestion = [stretch(0, 50, { service: 'ingestion' }), stretch(50, 60, { service: 'ingestion', ...down })];
      await ledger.statusRound([...runtime, ...ingestion]);
      const expected = [...ingestion, ...runtime];
      for (const limit of [1, 2, 3, 4, 5]) {
        const found: StatusInterval[] = [];
        let cursor: string | null | undefined;
        while (cursor !== null) {
          const page = await ledger.statusIntervals({ since: 0, limit, ...(cursor === undefined ? {} : { cursor }) });
          expect(page.items.length).to.be.within(1, limit);
          found.push(...page.items);
          cursor = page.nextCursor;
        }
        expect(found).to.deep.equal(expected);
      }
      expect(await all(ledger, LEDGER_NOW + 30)).to.deep.equal(expected.filter(({ to }) => to > LEDGER_NOW + 30));
      expect(await all(ledger, LEDGER_NOW + 90)).to.deep.equal([]);
      const wrong = [{ limit: 0 }, { limit: 1001 }, { limit: 1, cursor: 'x' }];
      for (const query of wrong)
        expect(await refusal(ledger.statusIntervals({ since: 0, ...query }))).to.be.instanceOf(RangeError);
    });

    it('are erased when they ended before a time, in slices', async ({ ledger }) => {
      await ledger.statusRound([stretch(0, 30), stretch(30, 60, down), stretch(60, 90)]);
      await ledger.statusRound([stretch(0, 30, { service: 'ingestion' })]);
      const before = LEDGER_NOW + 61;
      const erased = [await ledger.eraseStatus(before, 2), await ledger.eraseStatus(before, 2)];
      expect([...erased, await ledger.eraseStatus(before, 2)]).to.deep.equal([2, 1, 0]);
      expect(await all(ledger)).to.deep.equal([stretch(60, 90)]);
    });

    it('are refused without whole numbers', async ({ ledger }) => {
      const rows = Array.from({ length: 1001 }, (_, number) => stretch(number, number + 1));
      const rounds = [[stretch(0.5, 1)], [stretch(0, Number.NaN)], rows];
      for (const round of rounds) expect(await refusal(ledger.statusRound(round))).to.be.instanceOf(TypeError);
      const erasures = [ledger.eraseStatus(0.5, 1), ledger.eraseStatus(0, 0), ledger.eraseStatus(0, 0.5)];
      for (const erasure of erasures) expect(await refusal(erasure)).to.be.instanceOf(TypeError);
      expect(await all(ledger)).to.deep.equal([]);
    });
  });

  describe('maintenance', () => {
    it('is announced at the time of the ledger, and listed by its beginning', async (fixture) => {
      const { ledger, clock } = fixture;
      await clock.advance(7);
      const told = { announcedAt: LEDGER_NOW + 7, cancelledAt: null };
      expect(await ledger.addMaintenance(aWindow('mnt_1'))).to.deep.equal({ ...aWindow('mnt_1'), ...told });
      const early = aWindow('mnt_2', { from: LEDGER_NOW, to: LEDGER_NOW + 500, services: ['runtime'] });
      await ledger.addMaintenance(early);
      const reopened = await fixture.reopen();
      expect(await reopened.maintenance({ since: LEDGER_NOW + 499 })).to.deep.equal([
        { ...early, ...told },
        { ...aWindow('mnt_1'), ...told },
      ]);
      const left = await reopened.maintenance({ since: LEDGER_NOW + 500 });
      expect(left.map(({ id }) => id)).to.deep.equal(['mnt_1']);
    });

    it('is cancelled or ended once, and not after its end', async ({ ledger }) => {
      await ledger.addMaintenance(aWindow('mnt_1'));
      await ledger.addMaintenance(aWindow('mnt_2'));
      const ended = await ledger.endMaintenance('mnt_1', LEDGER_NOW + 10);
      const announcedAt = LEDGER_NOW;
      expect(ended).to.deep.equal({
        kind: 'ended',
        maintenance: { ...aWindow('mnt_1'), announcedAt, cancelledAt: LEDGER_NOW + 10 },
      });
      expect(await ledger.endMaintenance('mnt_1', LEDGER_NOW + 20)).to.deep.equal({ kind: 'over' });
      expect(await ledger.endMaintenance('mnt_2', LEDGER_NOW + 2000)).to.deep.equal({ kind: 'over' });
      expect(await ledger.endMaintenance('mnt_3', LEDGER_NOW)).to.deep.equal({ kind: 'not-found' });
      const kept = await ledger.maintenance({ since: 0 });
      expect(kept.map(({ cancelledAt }) => cancelledAt)).to.deep.equal([LEDGER_NOW + 10, null]);
    });

    it('is refused when it can not be', async ({ ledger }) => {
      await ledger.addMaintenance(aWindow('mnt_1'));
      const wrong = [aWindow('mnt_1'), aWindow('mnt_2', { from: 0.5 }), aWindow('mnt_2', { to: Number.NaN })];
      for (const one of wrong) expect(await refusal(ledger.addMaintenance(one))).to.be.instanceOf(TypeError);
      expect(await refusal(ledger.endMaintenance('mnt_1', 0.5))).to.be.instanceOf(TypeError);
    });
  });
}
