import { expect } from 'chai';
import type { Dialer } from '../../../../adapters/egress/port.ts';
import { answerMemory } from '../../../../api-server/run/answer-memory.ts';
import { SharedPlaces } from '../../../../core/fair-share/shared-places.ts';
import { answered, createTestRuntime } from '../../../support/a-runtime.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const nothing = (): Promise<void> => Promise.resolve();

describe('memory for large answers of providers', () => {
  it('is given back whole, once', () => {
    const shared = new SharedPlaces({ places: 100, tenantPct: 100 });
    const memory = answerMemory(shared, 'acme');
    expect([memory.hold(40), memory.hold(50), memory.hold(20)]).to.deep.equal([true, true, false]);
    expect(shared.used).to.equal(90);
    memory.free();
    memory.free();
    expect(shared.used).to.equal(0);
  });

  it('is given back when it was a single byte, and leaves that of other attempts', () => {
    const shared = new SharedPlaces({ places: 100, tenantPct: 100 });
    const [one, other] = [answerMemory(shared, 'acme'), answerMemory(shared, 'acme')];
    expect([one.hold(1), other.hold(30)]).to.deep.equal([true, true]);
    one.free();
    expect(shared.used).to.equal(30);
  });

  it('leaves room to a tenant that comes', () => {
    const shared = new SharedPlaces({ places: 100, tenantPct: 75 });
    const first = answerMemory(shared, 'acme');
    while (first.hold(10));
    expect(answerMemory(shared, 'globex').hold(10)).to.equal(true);
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
        const answerBytes = new SharedPlaces({ places: 1000, tenantPct: 100 });
        let during = 0;
        const dial: Dialer['dial'] = (_request, { hold }) => {
          expect(hold?.(700)).to.equal(true);
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
  });
});
