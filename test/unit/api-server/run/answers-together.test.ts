import { expect } from 'chai';
import { LoopTurns } from '../../../../api-server/http/loop-turns.ts';
import type { Caller } from '../../../../core/api-key/caller.ts';
import { ACME, answered, createTestRuntime } from '../../../support/a-runtime.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';
import { untilTrue } from '../../../support/wait-for.ts';

const START = 1_795_168_800_000;
const GLOBEX: Caller = { ...ACME, id: 'key:globex00', tenants: ['globex'] };
const RUNS = 60;
/** Time that the answer of one run takes, ms. */
const WORK_MS = 3;

describe('answers of providers that arrive together', () => {
  let fixture: SqliteFixture;
  before(async () => {
    fixture = await openSqliteFixture();
  });
  after(() => fixture.dispose());

  it('of one tenant leave a turn to that of another tenant', async () => {
    let now = 0;
    const order: string[] = [];
    const { promise: answers, resolve: answerAll } = Promise.withResolvers<void>();
    const { sealing } = createTestRuntime({ ledger: fixture.ledger, clock: createFakeClock(START) }).runtime;
    const sign = (bytes: Uint8Array): Uint8Array => {
      now += WORK_MS;
      const [, payload = ''] = Buffer.from(bytes).toString().split('.');
      order.push(Buffer.from(payload, 'base64url').toString().includes('globex.call') ? 'globex' : 'acme');
      return sealing.signer.sign(bytes);
    };
    const test = createTestRuntime({
      ledger: fixture.ledger,
      clock: createFakeClock(START),
      answer: () => answers.then(() => answered({ id: 'x' })),
      parts: {
        sealing: { ...sealing, signer: { ...sealing.signer, sign } },
        turns: new LoopTurns({ now: () => now }),
      },
    });
    test.addOrb('globex.call@1.0.0', {}, 'globex');
    test.addOrbiset('own', {}, 'globex');
    const runs = Array.from({ length: RUNS }, () => test.execute({ orbId: 'acme.echo@1.0.0' }));
    await untilTrue('all are sent', () => test.sent.length === RUNS);
    runs.push(test.execute({ orbiset: 'own', orbId: 'globex.call@1.0.0', caller: GLOBEX }));
    await untilTrue('it is sent too', () => test.sent.length === RUNS + 1);
    answerAll();
    expect(new Set((await Promise.all(runs)).map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(order.length).to.equal(RUNS + 1);
    expect(order.indexOf('globex')).to.be.lessThan(5);
  });
});
