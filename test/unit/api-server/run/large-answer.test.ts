import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { AnswerReader } from '../../../../adapters/answer-worker/port.ts';
import type { Ledger } from '../../../../adapters/ledger/port.ts';
import { jcs } from '../../../../core/json/jcs.ts';
import type { JsonObject } from '../../../../core/json/json-value.ts';
import { answered, createTestRuntime, SECRET, type TestRuntime } from '../../../support/a-runtime.ts';
import { answersHere } from '../../../support/answers-here.ts';
import { at, objectAt, payloadOf, textAt } from '../../../support/members.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const ORB = 'acme.large@1.0.0';
const OUTPUTS = {
  list: { type: 'array', from: '/body/list' },
  note: { type: 'string' },
  more: { type: 'string' },
} as const;

/** An answer of some 100 kB whose texts hold a secret. */
const LARGE = { list: Array.from({ length: 3000 }, (_, number) => `item ${number} of ${SECRET}`), note: 'ä' };

describe('a large answer of a provider', () => {
  let fixture: SqliteFixture;
  let ledger: Ledger;
  let read: number;
  before(async () => {
    fixture = await openSqliteFixture();
    ({ ledger } = fixture);
  });
  after(() => fixture.dispose());
  beforeEach(() => {
    read = 0;
  });

  const counted: AnswerReader = {
    ...answersHere,
    read: (...args) => {
      read += 1;
      return answersHere.read(...args);
    },
  };

  function create(body: JsonObject, answers: AnswerReader = counted, status = 200): TestRuntime {
    const test = createTestRuntime({
      ledger,
      clock: fixture.clock,
      answer: () => answered(body, { status }),
      parts: { answers },
    });
    test.addOrb(ORB, { outputs: OUTPUTS, execution: { retry: { max_attempts: 1 } } });
    return test;
  }

  it('is read elsewhere, redacted, and answered with the outputs that its receipt commits to', async () => {
    const answer = await create(LARGE).execute({ orbId: ORB });
    expect([answer.status, read]).to.deep.equal([200, 1]);
    const outputs = objectAt(answer.body, 'outputs');
    const list = LARGE.list.map((text) => text.replace(SECRET, '[redacted:TOKEN]'));
    expect(outputs).to.deep.equal({ list, note: 'ä', more: null });
    expect(answer.body['missing_outputs']).to.deep.equal(['more']);
    expect(Object.keys(answer.body).slice(0, 3)).to.deep.equal(['run_id', 'status', 'outputs']);
    const salt = Buffer.from(textAt(answer.body, 'openings', 'output', 'salt'), 'base64url');
    const digest = createHash('sha256').update(salt).update(jcs(outputs)).digest('hex');
    const stored = await ledger.receiptOfRun('acme', textAt(answer.body, 'run_id'));
    expect(JSON.stringify(payloadOf(stored?.jws ?? ''))).to.include(digest);
  });

  it('is answered again to a repeat with the same key, as it was', async () => {
    const test = create(LARGE);
    const [first, second] = [
      await test.execute({ orbId: ORB, key: 'large-1' }),
      await test.execute({ orbId: ORB, key: 'large-1' }),
    ];
    expect([second.status, read, second.body['run_id']]).to.deep.equal([200, 1, first.body['run_id']]);
    expect(at(second.body, 'outputs')).to.deep.equal(objectAt(first.body, 'outputs'));
  });

  it('is read here when it is small', async () => {
    const answer = await create({ list: [SECRET], note: 'b', more: 'c' }).execute({ orbId: ORB });
    expect([answer.status, read, at(answer.body, 'outputs', 'note')]).to.deep.equal([200, 0, 'b']);
  });

  it('fails the attempt when it takes too long to read, and says why', async () => {
    const tooLong: AnswerReader = { ...answersHere, read: async () => ({ kind: 'too-complex' }) };
    const answer = await create(LARGE, tooLong).execute({ orbId: ORB });
    expect([answer.status, answer.code]).to.deep.equal([502, 'provider-failed']);
    expect(JSON.stringify(answer.body)).to.include('answer-too-complex');
  });

  it('is overloaded, not a fault of the provider, when nothing can read it', async () => {
    const busy: AnswerReader = { ...answersHere, read: async () => ({ kind: 'unavailable' }) };
    const answer = await create(LARGE, busy).execute({ orbId: ORB });
    expect([answer.status, answer.code, answer.body['maybe_executed']]).to.deep.equal([503, 'overloaded', true]);
  });

  it('is overloaded, not a time-out of the provider, when the deadline comes while it waits to be read', async () => {
    const waits: AnswerReader = {
      ...answersHere,
      read: (_work, _owner, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        }),
    };
    const test = create(LARGE, waits);
    test.addOrb(ORB, { outputs: OUTPUTS, execution: { timeout_ms: 30 } });
    const answer = await test.execute({ orbId: ORB });
    const stored = await ledger.receiptOfRun('acme', textAt(answer.body, 'run', 'run_id'));
    const outcome = textAt(payloadOf(stored?.jws ?? ''), 'execution', 'outcome');
    expect([answer.status, answer.code, outcome]).to.deep.equal([503, 'overloaded', 'platform_error']);
  });

  it('is not read at all when its status is none of 2xx and nobody sees it', async () => {
    const answer = await create(LARGE, counted, 500).execute({ orbId: ORB });
    expect([answer.code, read]).to.deep.equal(['provider-failed', 0]);
  });
});
