import { expect } from 'chai';
import type { Dialer } from '../../../../adapters/egress/port.ts';
import { answerMemory } from '../../../../api-server/run/answer-memory.ts';
import { AwaitedPlaces } from '../../../../core/fair-share/awaited-places.ts';
import { answered, createTestRuntime } from '../../../support/a-runtime.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';
import { at, payloadOf, textAt } from '../../../support/members.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const ACME = { tenant: 'acme', key: 'k' };

const now = (): number => 0;

const nothing = (): Promise<void> => Promise.resolve();

describe('memory for large answers of providers', () => {
  it('is given back whole, once', () => {
    const shared = new AwaitedPlaces({ places: 100, tenantPct: 100, most: 50 });
    const memory = answerMemory(shared, ACME, now);
    expect([memory.hold(40), memory.hold(50), memory.hold(20)]).to.deep.equal([true, true, false]);
    expect(shared.used).to.equal(90);
    memory.free();
    memory.free();
    expect(shared.used).to.equal(0);
  });

  it('is given back when it was a single byte, and leaves that of other attempts', () => {
    const shared = new AwaitedPlaces({ places: 100, tenantPct: 100, most: 50 });
    const [one, other] = [answerMemory(shared, ACME, now), answerMemory(shared, ACME, now)];
    expect([one.hold(1), other.hold(30)]).to.deep.equal([true, true]);
    one.free();
    expect(shared.used).to.equal(30);
  });

  it('leaves room to a tenant that comes', () => {
    const shared = new AwaitedPlaces({ places: 100, tenantPct: 75, most: 50 });
    const first = answerMemory(shared, ACME, now);
    while (first.hold(10));
    expect(answerMemory(shared, { tenant: 'globex', key: 'k' }, now).hold(10)).to.equal(true);
  });

  it('that was waited for is given back with the rest, and who waited no longer gets none', () => {
    const shared = new AwaitedPlaces({ places: 100, tenantPct: 100, most: 50 });
    const memories = [1, 2, 3, 4].map(() => answerMemory(shared, ACME, now));
    const [first, second, third, fourth] = memories;
    expect([first?.hold(50), second?.hold(50), third?.hold(20)]).to.deep.equal([true, true, false]);
    const granted: string[] = [];
    third?.wait(20, () => granted.push('third'))();
    fourth?.wait(30, () => granted.push('fourth'));
    first?.free();
    expect([granted, shared.used]).to.deep.equal([['fourth'], 80]);
    for (const memory of memories) memory.free();
    expect(shared.used).to.equal(0);
  });

  it('says how long it was waited for', () => {
    const shared = new AwaitedPlaces({ places: 100, tenantPct: 100, most: 50 });
    let time = 1000;
    const [first, second] = [1, 2].map(() => answerMemory(shared, ACME, () => time));
    expect([first?.hold(50), first?.grow(30), second?.hold(40)]).to.deep.equal([true, true, false]);
    second?.wait(40, () => undefined);
    time = 1250;
    expect(second?.waitedMs()).to.equal(0);
    first?.free();
    expect([first?.waitedMs(), second?.waitedMs()]).to.deep.equal([0, 250]);
  });

  describe('of a run', () => {
    let fixture: SqliteFixture;
    before(async () => {
      fixture = await openSqliteFixture();
    });
    after(() => fixture.dispose());

    const endings: readonly (readonly [how: string, fails: boolean, status: number])[] = [
      ['answered', false, 200],
      ['failed', true, 500],
    ];
    for (const [how, fails, status] of endings)
      it(`is free when it has ${how}`, async () => {
        const answerBytes = new AwaitedPlaces({ places: 1000, tenantPct: 100, most: 1000 });
        let during = 0;
        const dial: Dialer['dial'] = (_request, { memory }) => {
          expect(memory?.hold(700)).to.equal(true);
          during = answerBytes.used;
          return fails ? Promise.reject(new Error('a fault of ours')) : Promise.resolve(answered({ id: 'x' }));
        };
        const { execute } = createTestRuntime({
          ledger: fixture.ledger,
          clock: createFakeClock(1_795_168_800_000),
          parts: { answerBytes, dialer: { dial, halt: nothing, resume: () => undefined, destroy: nothing } },
        });
        const answer = await execute({ orbId: 'acme.echo@1.0.0' }).catch(() => ({ status: 500 }));
        expect([answer.status, during, answerBytes.used]).to.deep.equal([status, 700, 0]);
      });

    it('that was waited for is no time of its provider', async () => {
      const answerBytes = new AwaitedPlaces({ places: 1000, tenantPct: 100, most: 1000 });
      const clock = createFakeClock(1_795_168_800_000);
      const dial: Dialer['dial'] = async (_request, { memory }) => {
        expect([answerBytes.take('globex', 600), memory?.hold(700)]).to.deep.equal([true, false]);
        const granted = new Promise<void>((resolve) => memory?.wait(700, resolve));
        await clock.advance(400);
        answerBytes.giveBack('globex', 600);
        await granted;
        return answered({ id: 'x' }, { ms: 450 });
      };
      const { execute } = createTestRuntime({
        ledger: fixture.ledger,
        clock,
        parts: { answerBytes, dialer: { dial, halt: nothing, resume: () => undefined, destroy: nothing } },
      });
      const { body } = await execute({ orbId: 'acme.echo@1.0.0' });
      const stored = await fixture.ledger.receiptOfRun('acme', textAt(body, 'run_id'));
      expect(at(payloadOf(stored?.jws), 'execution', 'attempts', '0', 'duration_ms')).to.equal(50);
    });
  });
});
