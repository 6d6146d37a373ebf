import { expect } from 'chai';
import { Slots } from '../../../../api-server/runtime/slots.ts';
import type { Caller } from '../../../../core/api-key/caller.ts';
import {
  ACME,
  answered,
  createTestRuntime,
  hangs,
  type Executed,
  type TestRuntime,
} from '../../../support/a-runtime.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const START = 1_795_168_800_000;
const GLOBEX: Caller = { ...ACME, id: 'key:globex00', tenants: ['globex'] };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Starts runs of `acme`, ten at a time, until each has begun to wait or was refused. */
async function attack(test: TestRuntime, runs: number): Promise<readonly Promise<Executed>[]> {
  const all: Promise<Executed>[] = [];
  const answers = { count: 0 };
  while (all.length < runs) {
    for (let run = 0; run < 10; run += 1) all.push(test.execute({ orbId: 'acme.slow@1.0.0' }));
    for (const one of all.slice(-10)) void one.then(() => (answers.count += 1));
    while (test.runtime.inFlight.count('acme.support') + answers.count < all.length) await turn();
    for (let turns = 0; turns < 50; turns += 1) await turn();
  }
  return all;
}

const ofOther = (test: TestRuntime): Promise<Executed> =>
  test.execute({ orbiset: 'own', orbId: 'globex.fast@1.0.0', caller: GLOBEX });

/** Both tenants call one origin, and the provider never answers the runs of `acme`. */
describe('a tenant beside one whose runs fill the slots of their origin', () => {
  let fixture: SqliteFixture;
  before(async () => {
    fixture = await openSqliteFixture();
  });
  after(() => fixture.dispose());

  const create = (tenantPct: number): TestRuntime => {
    const test = createTestRuntime({
      ledger: fixture.ledger,
      clock: createFakeClock(START),
      answer: (request, signal) => (request.url.endsWith('/slow') ? hangs(request, signal) : answered({ id: 'x' })),
      parts: { slots: new Slots({ perKey: 16, waiting: 40, tenantPct }) },
    });
    test.addOrb('acme.slow@1.0.0', { url: 'https://api.example.com/slow', execution: { timeout_ms: 60_000 } });
    test.addOrb('globex.fast@1.0.0', { url: 'https://api.example.com/fast' }, 'globex');
    test.addOrbiset('own', {}, 'globex');
    return test;
  };

  for (const runs of [20, 80]) {
    it(`is answered at once while ${runs} slow runs of the other have, or want, the 16 slots`, async () => {
      const test = create(75);
      const all = await attack(test, runs);
      expect(test.sent.length).to.be.lessThan(16);
      const answers = [await ofOther(test), await ofOther(test), await ofOther(test)];
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
      test.runtime.inFlight.kill('acme.support', 'orbiset-suspended');
      const ended = await Promise.all(all);
      expect(new Set(ended.map(({ code }) => code)).has('overloaded')).to.equal(runs > 50);
    });
  }

  it('would wait behind them without shares', async () => {
    const test = create(100);
    const all = await attack(test, 20);
    const controlled = { answered: false };
    const other = ofOther(test).then((answer) => {
      controlled.answered = true;
      return answer;
    });
    for (let turns = 0; turns < 200; turns += 1) await turn();
    expect(controlled.answered).to.equal(false);
    test.runtime.inFlight.kill('acme.support', 'orbiset-suspended');
    await Promise.all(all);
    expect((await other).status).to.equal(200);
  });
});
