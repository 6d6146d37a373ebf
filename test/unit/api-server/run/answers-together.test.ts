import { expect } from 'chai';
import { LoopTurns } from '../../../../api-server/http/loop-turns.ts';
import type { Caller } from '../../../../core/api-key/caller.ts';
import { ACME, answered, createTestRuntime, SECRET } from '../../../support/a-runtime.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';
import { untilTrue } from '../../../support/wait-for.ts';

const START = 1_795_168_800_000;
const GLOBEX: Caller = { ...ACME, id: 'key:globex00', tenants: ['globex'] };
const RUNS = 60;
/** Time that the answer of one run takes, ms. */
const WORK_MS = 3;

/** The tenants whose receipts are signed, in order. */
function noted() {
  const order: string[] = [];
  const signed = (bytes: Uint8Array): void => {
    const [, payload = ''] = Buffer.from(bytes).toString().split('.');
    order.push(Buffer.from(payload, 'base64url').toString().includes('globex.call') ? 'globex' : 'acme');
  };
  return { order, signed };
}

describe('answers of providers that arrive together', () => {
  let fixture: SqliteFixture;
  before(async () => {
    fixture = await openSqliteFixture();
  });
  after(() => fixture.dispose());

  it('of one tenant leave a turn to that of another tenant', async () => {
    let now = 0;
    const { order, signed } = noted();
    const { promise: answers, resolve: answerAll } = Promise.withResolvers<void>();
    const { sealing } = createTestRuntime({ ledger: fixture.ledger, clock: createFakeClock(START) }).runtime;
    const sign = (bytes: Uint8Array): Uint8Array => {
      now += WORK_MS;
      signed(bytes);
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

  it('are read in one piece of work, and the run ends in another, so that both wait for their turn', async () => {
    const { promise: signature, resolve: signed } = Promise.withResolvers<number>();
    const turns = new LoopTurns({ now: () => 0 });
    const run: LoopTurns['run'] = turns.run.bind(turns);
    let pieces = 0;
    const counted: LoopTurns['run'] = (share, work) => {
      pieces += 1;
      return run(share, work);
    };
    Object.assign(turns, { run: counted });
    const clock = createFakeClock(START);
    const { sealing } = createTestRuntime({ ledger: fixture.ledger, clock }).runtime;
    const sign = (bytes: Uint8Array): Uint8Array => {
      signed(pieces);
      return sealing.signer.sign(bytes);
    };
    const parts = { turns, sealing: { ...sealing, signer: { ...sealing.signer, sign } } };
    const test = createTestRuntime({ ledger: fixture.ledger, clock, parts });
    expect((await test.execute({ orbId: 'acme.echo@1.0.0' })).status).to.equal(200);
    expect(await signature).to.equal(3); // the call, its answer, the end
  });

  it('leave a turn to others after a long body was read, before its run is planned', async () => {
    const turns = new LoopTurns({ now: () => 0 });
    const test = createTestRuntime({ ledger: fixture.ledger, clock: createFakeClock(START), parts: { turns } });
    const seen: string[] = [];
    const turn: LoopTurns['longTurn'] = turns.longTurn.bind(turns);
    const longTurn: LoopTurns['longTurn'] = (share) => {
      seen.push(share.tenant);
      // What is suspended meanwhile has no run.
      test.addOrbiset('support', { suspended: true });
      return turn(share);
    };
    Object.assign(turns, { longTurn });
    const execute = (length: number): Promise<{ readonly status: number }> =>
      test.execute({ orbId: 'acme.echo@1.0.0', inputs: { text: 'x'.repeat(length) } });
    expect([(await execute(10)).status, seen]).to.deep.equal([200, []]);
    expect([(await execute(100_000)).status, seen]).to.deep.equal([503, ['acme']]);
  });

  it('are redacted in slices: one that takes long leaves turns to another tenant', async () => {
    // Each look at the clock is 0.2 ms later.
    let now = 0;
    const clock = { ...createFakeClock(START), monotonic: () => (now += 0.2) };
    const { order, signed } = noted();
    const { sealing } = createTestRuntime({ ledger: fixture.ledger, clock }).runtime;
    const sign = (bytes: Uint8Array): Uint8Array => {
      signed(bytes);
      return sealing.signer.sign(bytes);
    };
    const { promise: answers, resolve: answerAll } = Promise.withResolvers<void>();
    const long = { o: Array.from({ length: 1500 }, (_, number) => `${SECRET} ${number}`) };
    const test = createTestRuntime({
      ledger: fixture.ledger,
      clock,
      answer: ({ url }) => answers.then(() => answered(url.includes('long') ? long : { id: 'x' })),
      parts: {
        sealing: { ...sealing, signer: { ...sealing.signer, sign } },
        turns: new LoopTurns({ now: clock.monotonic }),
      },
    });
    const outputs = { o: { type: 'array', from: '/body/o' } } as const;
    test.addOrb('acme.long@1.0.0', { url: 'https://api.example.com/long', outputs });
    test.addOrb('globex.call@1.0.0', {}, 'globex');
    test.addOrbiset('own', {}, 'globex');
    const runs = [test.execute({ orbId: 'acme.long@1.0.0' })];
    await untilTrue('the long one is sent', () => test.sent.length === 1);
    runs.push(test.execute({ orbiset: 'own', orbId: 'globex.call@1.0.0', caller: GLOBEX }));
    await untilTrue('the other one is sent', () => test.sent.length === 2);
    answerAll();
    const [first] = await Promise.all(runs);
    expect(order).to.deep.equal(['globex', 'acme']);
    expect(JSON.stringify(first?.body)).to.include('[redacted:TOKEN] 1499').and.not.to.include(SECRET);
  });
});
