import { expect } from 'chai';
import type { DialFailure, DialResult, OutboundRequest } from '../../../../adapters/egress/port.ts';
import type { Ledger } from '../../../../adapters/ledger/port.ts';
import { Slots } from '../../../../api-server/runtime/slots.ts';
import type { JsonObject, JsonValue } from '../../../../core/json/json-value.ts';
import { answered, createTestRuntime, hangs, type TestRuntime } from '../../../support/a-runtime.ts';
import { at, textAt } from '../../../support/members.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

type Answer = (request: OutboundRequest, signal: AbortSignal) => DialResult | Promise<DialResult>;

const failed = (failure: DialFailure, sent: boolean): DialResult => ({
  kind: 'failed',
  failure,
  sent,
  status: null,
  ms: 3,
  exception: false,
});
const reset = failed({ kind: 'transport', code: 'reset' }, true);
const refused = failed({ kind: 'transport', code: 'connect' }, false);
const says = (status: number, headers: readonly (readonly [string, string])[] = []): DialResult =>
  answered({}, { status, headers });

const ORB = 'acme.many@1.0.0';

/** Answers of a provider, one after the other; the last one for ever. */
const inTurn = (...answers: readonly DialResult[]): Answer => {
  let index = 0;
  return () => {
    const found = answers[Math.min(index, answers.length - 1)];
    index += 1;
    if (found === undefined) throw new TypeError('no answer');
    return found;
  };
};

/** `a error`, for each attempt that a problem lists. */
function pathOf(body: JsonObject): readonly string[] {
  const attempts = at(body, 'run', 'attempts');
  if (!Array.isArray(attempts)) return [];
  return attempts.map((one: JsonValue) => `${textAt(one, 'provider')} ${textAt(one, 'outcome')}`);
}

const hosts = ({ sent }: TestRuntime): readonly string[] => sent.map(({ url }) => new URL(url).hostname.slice(0, 1));

/** 40 runs at once. @returns how many came to b */
async function atB(test: TestRuntime): Promise<number> {
  await Promise.all(Array.from({ length: 40 }, () => test.execute({ orbId: ORB })));
  return hosts(test).filter((host) => host === 'b').length;
}

const answersOf = (first: DialResult): Readonly<Record<string, Answer>> => ({
  a: inTurn(first),
  b: inTurn(answered({ id: 'b' })),
});

const manySlots = (): Slots => new Slots({ perKey: 256, waiting: 1000 });

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('callProviders (failover.md §12)', () => {
  let fixture: SqliteFixture;
  let ledger: Ledger;
  before(async () => {
    fixture = await openSqliteFixture();
    ledger = fixture.ledger;
  });
  after(() => fixture.dispose());

  /** A runtime with an Orb of the providers a, b …, in this order. */
  function create(
    answers: Readonly<Record<string, Answer>>,
    execution: Readonly<Record<string, unknown>> = {},
    slots = manySlots(),
    swap: Readonly<Record<string, unknown>> = {},
  ): TestRuntime {
    const answer: Answer = (request, signal) => {
      const found = answers[new URL(request.url).hostname.split('.')[0] ?? ''];
      if (found === undefined) throw new TypeError(request.url);
      return found(request, signal);
    };
    const test = createTestRuntime({ ledger, clock: fixture.clock, answer, parts: { slots } });
    const [primary = '', ...fallbacks] = Object.keys(answers);
    const executionOf = (name: string): Readonly<Record<string, unknown>> => ({
      type: 'http',
      method: 'POST',
      url: `https://${name}.example.com/run`,
      body_template: '{}',
      ...execution,
    });
    const providers = Object.fromEntries(fallbacks.map((name) => [name, { execution: executionOf(name) }]));
    const manifest = { provider: primary, providers, swap_config: { primary, fallbacks, ...swap } };
    test.addOrb(ORB, { url: '', execution: { headers: {}, ...executionOf(primary) }, manifest });
    return test;
  }

  it('says that the next provider may have executed a run that ends by the 429 of the first', async () => {
    const test = create({ a: inTurn(says(429)), b: inTurn(reset) });
    const { status, code, body } = await test.execute({ orbId: ORB });
    expect([status, code, body['maybe_executed'], pathOf(body)]).to.deep.equal([
      502,
      'provider-rate-limited',
      true,
      ['a rate_limited', 'b error'],
    ]);
    expect(body['next']).to.match(/^Unless maybe_executed is true/);
  });

  it('repeats at the same provider with the same key, the id of the run', async () => {
    const execution = { idempotency_header: 'Idempotency-Key' };
    const test = create({ a: inTurn(reset, answered({ id: 'x' })), b: inTurn(answered({ id: 'b' })) }, execution);
    const run = test.execute({ orbId: ORB });
    while (test.sent.length === 0) await turn();
    await turn();
    await fixture.clock.advance(100);
    const answer = await run;
    expect([answer.status, hosts(test)]).to.deep.equal([200, ['a', 'a']]);
    const keys = test.sent.map(({ headers }) => headers.find(([name]) => name === 'idempotency-key')?.[1]);
    expect(keys).to.deep.equal([answer.body['run_id'], answer.body['run_id']]);
  });

  it('says that an earlier attempt may have been executed, whatever the last one came to', async () => {
    const test = create({ a: inTurn(reset, says(400)) }, { method: 'PUT' });
    const run = test.execute({ orbId: ORB });
    while (test.sent.length === 0) await turn();
    await turn();
    await fixture.clock.advance(100);
    const answer = await run;
    expect([answer.code, answer.body['maybe_executed'], pathOf(answer.body)]).to.deep.equal([
      'provider-rejected',
      true,
      ['a error', 'a client_error'],
    ]);
  });

  it('stops after three attempts at all providers together, and lists them', async () => {
    const down = inTurn(says(503));
    const test = create({ a: down, b: down, c: down, d: down }, { idempotent: true });
    const answer = await test.execute({ orbId: ORB });
    expect([answer.code, pathOf(answer.body)]).to.deep.equal(['provider-failed', ['a error', 'b error', 'c error']]);
    expect(answer.body['provider_status']).to.equal(503);
  });

  it('stops earlier where the manifest says so', async () => {
    const down = inTurn(says(503));
    const test = create({ a: down, b: down }, { idempotent: true, retry: { max_attempts: 1 } });
    expect(pathOf((await test.execute({ orbId: ORB })).body)).to.deep.equal(['a error']);
  });

  it('goes on after statuses of the manifest, and not after others', async () => {
    const good = inTurn(answered({ id: 'b' }));
    const retry = { on_status: [404], not_executed_status: [] };
    const repeated = create({ a: inTurn(says(404)), b: good }, { idempotent: true, retry });
    expect((await repeated.execute({ orbId: ORB })).status).to.equal(200);
    const not = create({ a: inTurn(says(503)), b: good }, { idempotent: true, retry });
    expect((await not.execute({ orbId: ORB })).code).to.equal('provider-failed');
    expect(hosts(not)).to.deep.equal(['a']);
  });

  it('repeats no more than the budget allows when everybody fails at once, and moves all that was not sent', async () => {
    expect(await atB(create(answersOf(says(503)), { idempotent: true }))).to.equal(10);
    expect(await atB(create(answersOf(refused), { idempotent: true }))).to.equal(40);
  });

  it('lets no more wait for a provider than the budget allows', async function () {
    this.timeout(20_000); // 80 runs, each with a receipt on the disk
    const retry = { on_status: [503], not_executed_status: [] };
    const good = Array.from({ length: 50 }, () => answered({ id: 'a' }));
    const test = create(
      { a: inTurn(...good, says(503, [['retry-after', '2']])) },
      { idempotent: true, retry },
      manySlots(),
      {
        hard_failure: { consecutive_failures: 50 },
      },
    );
    await Promise.all(good.map(() => test.execute({ orbId: ORB })));
    const others = fixture.clock.sleeping();
    let finished = 0;
    const runs = Array.from({ length: 30 }, () => test.execute({ orbId: ORB }).finally(() => (finished += 1)));
    const settled = (): boolean => finished + fixture.clock.sleeping() - others >= 30;
    while (!settled()) await turn();
    await fixture.clock.advance(2000);
    await Promise.all(runs);
    // 20 % of 80 runs.
    expect(test.sent).to.have.lengthOf(96);
  });

  it('gives half of the time to a provider that another one may follow, and all of it to the last', async () => {
    const test = create({ a: hangs, b: hangs }, { idempotent: true, timeout_ms: 3000 });
    const answer = await test.execute({ orbId: ORB });
    expect([answer.code, pathOf(answer.body)]).to.deep.equal(['provider-timeout', ['a timeout', 'b timeout']]);
  });

  it('gives all of the time to a request that must not be sent twice', async () => {
    const test = create({ a: hangs, b: inTurn(answered({ id: 'b' })) }, { timeout_ms: 1500 });
    const answer = await test.execute({ orbId: ORB });
    expect([answer.code, answer.body['maybe_executed'], hosts(test)]).to.deep.equal(['provider-timeout', true, ['a']]);
  });

  it('takes its own shortage of descriptors for no fault of the provider: overloaded, no breaker, no status', async () => {
    const exhausted = failed({ kind: 'exhausted', code: 'platform-exhausted' }, false);
    const shortages = Array.from({ length: 30 }, () => exhausted);
    const test = create({ a: inTurn(...shortages, answered({ id: 'a' })) }, { idempotent: true });
    for (let number = 0; number < shortages.length; number += 1) {
      const answer = await test.execute({ orbId: ORB });
      expect([answer.status, answer.code, pathOf(answer.body)]).to.deep.equal([503, 'overloaded', ['a cancelled']]);
      expect(answer.body['maybe_executed']).to.not.equal(true);
    }
    expect((await test.execute({ orbId: ORB })).status).to.equal(200);
  });

  it('makes no further attempt after a kill switch, also while it waits', async () => {
    const cooling = says(503, [['retry-after', '5']]);
    const test = create({ a: inTurn(cooling) }, { idempotent: true });
    const run = test.execute({ orbId: ORB });
    while (test.sent.length === 0) await turn();
    await turn();
    test.runtime.switches.stopEgress();
    const answer = await run;
    expect([answer.status, answer.code, pathOf(answer.body)]).to.deep.equal([503, 'egress-stopped', ['a error']]);
    expect(test.sent).to.have.lengthOf(1);
    test.runtime.switches.allowEgress();
  });

  it('ends with the answer that came before a kill switch', async () => {
    const test = create({
      a: () => {
        test.runtime.inFlight.kill('acme.support', 'orbiset-suspended');
        return answered({ id: 'x' });
      },
    });
    expect((await test.execute({ orbId: ORB })).status).to.equal(200);
  });

  it('holds the slots of the provider that it calls, and gives back those of the one before', async () => {
    const SHARE = { tenant: 'acme', key: 'key:other' };
    const slots = new Slots({ perKey: 1, waiting: 10 });
    const test = create({ a: inTurn(refused), b: hangs }, {}, slots);
    const run = test.execute({ orbId: ORB });
    while (test.sent.length < 2) await turn();
    const free = (origin: string): boolean => {
      const held = slots.acquire(SHARE, [origin], new AbortController().signal);
      if (held instanceof Promise) return false;
      held?.release();
      return true;
    };
    expect([free('https://a.example.com'), slots.hasRoom(SHARE)]).to.deep.equal([true, true]);
    const waits = new AbortController();
    expect(slots.acquire(SHARE, ['https://b.example.com'], waits.signal)).to.be.instanceOf(Promise);
    waits.abort();
    test.runtime.inFlight.kill('acme.support', 'orbiset-suspended');
    expect((await run).code).to.equal('orbiset-suspended');
    expect(free('https://b.example.com')).to.equal(true);
  });

  it('gives the half-open slot back when the call itself goes wrong', async () => {
    let fault = false;
    const test = create({
      a: () => {
        if (fault) throw new TypeError('a bug');
        return says(500);
      },
    });
    for (let run = 0; run < 5; run += 1) await test.execute({ orbId: ORB });
    expect(test.runtime.failover.breakers('acme', ORB)).to.deep.equal({ a: 'open' });
    await fixture.clock.advance(5000);
    fault = true;
    await test.execute({ orbId: ORB }).then(
      () => expect.fail('no error'),
      (error: unknown) => expect(error).to.be.instanceOf(TypeError),
    );
    const orb = [...test.catalog.all()].find(({ orbId }) => orbId === ORB)?.compiled;
    if (orb === undefined) throw new TypeError('no Orb');
    expect(test.runtime.failover.of(orb).admit('a')).to.not.equal(undefined);
  });
});
