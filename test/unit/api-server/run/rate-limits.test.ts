import { expect } from 'chai';
import type { DialResult } from '../../../../adapters/egress/port.ts';
import type { Ledger } from '../../../../adapters/ledger/port.ts';
import { answered, createTestRuntime, type Executed, type TestRuntime } from '../../../support/a-runtime.ts';
import { at, textAt } from '../../../support/members.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const ORB = 'acme.limited@1.0.0';
const says = (status: number, wait?: string): DialResult =>
  answered({}, { status, headers: wait === undefined ? [] : [['retry-after', wait]] });

/** Code, header and member: the two must not differ. */
const told = ({ code, headers, body }: Executed): readonly unknown[] => [
  code,
  headers['retry-after'],
  body['retry_after_s'],
];

describe('a provider that answers 429', () => {
  let fixture: SqliteFixture;
  let ledger: Ledger;
  before(async () => {
    fixture = await openSqliteFixture();
    ledger = fixture.ledger;
  });
  after(() => fixture.dispose());

  function create(answer: () => DialResult, options: Parameters<TestRuntime['addOrb']>[1] = {}): TestRuntime {
    const test = createTestRuntime({ ledger, clock: fixture.clock, answer });
    test.addOrb(ORB, options);
    return test;
  }

  const dateIn = (ms: number): string => new Date(fixture.clock.now() + ms).toUTCString();

  const rows: readonly (readonly [why: string, wait: () => string | undefined, seconds: number])[] = [
    ['seconds', () => '90', 90],
    ['a date', () => dateIn(90_000), 90],
    ['more than an hour', () => '86400', 3600],
    ['a date of tomorrow', () => dateIn(86_400_000), 3600],
    ['nothing: the time for which this Orbiset is not called', () => undefined, 30],
  ];
  for (const [why, wait, seconds] of rows) {
    it(`is told with the wait in header and body: ${why}`, async () => {
      const test = create(() => says(429, wait()));
      const answer = await test.execute({ orbId: ORB });
      expect(told(answer)).to.deep.equal(['provider-rate-limited', String(seconds), seconds]);
      expect([answer.status, answer.body['provider_status'], test.sent.length]).to.deep.equal([502, 429, 1]);
      expect(textAt(answer.body, 'next'))
        .to.match(/after Retry-After seconds/)
        .and.not.match(/secrets|vault/);
      expect(at(answer.body, 'run', 'attempts', '0', 'reason')).to.equal('rate-limited');
    });
  }

  it('is told the rest of the wait, and not called meanwhile', async () => {
    const test = create(() => says(429, '3600'));
    await test.execute({ orbId: ORB });
    await fixture.clock.advance(600_000);
    const again = await test.execute({ orbId: ORB, key: 'rest' });
    expect(told(again)).to.deep.equal(['provider-rate-limited', '3000', 3000]);
    expect([test.sent.length, at(again.body, 'run', 'attempts')]).to.deep.equal([1, []]);
    expect(textAt(again.body, 'detail')).to.equal(
      'main: quota of this Orbiset used up, 3000 s more (last failure: HTTP 429, asks to wait 3600 s or more). Nothing was sent. Replica: test.',
    );
    expect((await test.execute({ orbId: ORB, key: 'rest' })).headers['idempotency-replayed']).to.equal(undefined);
  });

  it('cools for five minutes without a secret, and the whole wait is told', async () => {
    const test = create(() => says(429, '3600'), { execution: { headers: {} } });
    expect(told(await test.execute({ orbId: ORB }))).to.deep.equal(['provider-rate-limited', '3600', 3600]);
    await fixture.clock.advance(60_000);
    expect(told(await test.execute({ orbId: ORB }))).to.deep.equal(['providers-unavailable', '3540', 3540]);
    expect(test.sent).to.have.lengthOf(1);
    await fixture.clock.advance(240_000);
    await test.execute({ orbId: ORB });
    expect(test.sent).to.have.lengthOf(2);
  });

  it('waits out a short pause within the deadline, and answers', async () => {
    const results = [says(429, '2'), answered({ id: 'x' })];
    const test = create(() => results.shift() ?? says(500));
    const run = test.execute({ orbId: ORB });
    while (test.sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    await fixture.clock.advance(2000);
    expect((await run).status).to.equal(200);
  });

  for (const status of [401, 402, 403]) {
    it(`is another thing than ${status}: a refused credential`, async () => {
      const answer = await create(() => says(status)).execute({ orbId: ORB });
      expect(answer.code).to.equal('provider-refused-credential');
      expect(textAt(answer.body, 'next')).to.match(/vault entry TOKEN/);
    });
  }
});
