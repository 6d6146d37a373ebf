import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { ed25519Verify, sha256Hex } from '../../../../adapters/keys/primitives.ts';
import { LedgerError, type Ledger } from '../../../../adapters/ledger/port.ts';
import type { DialFailure } from '../../../../adapters/egress/port.ts';
import { SelfCheck } from '../../../../api-server/self-check/self-check.ts';
import { Slots } from '../../../../api-server/runtime/slots.ts';
import { sweep } from '../../../../api-server/run/sweeper.ts';
import type { JsonObject } from '../../../../core/json/json-value.ts';
import { commit } from '../../../../core/receipt/commitment.ts';
import { isReceiptRecord } from '../../../../core/receipt/record-schema.ts';
import { parseJws } from '../../../../core/receipt/jws.ts';
import { readPayload } from '../../../../core/receipt/payload.ts';
import type { ReceiptRecord } from '../../../../core/receipt/record.ts';
import {
  ACME,
  answered,
  createTestRuntime,
  hangs,
  receiptKey,
  SECRET,
  type Executed,
} from '../../../support/a-runtime.ts';
import { at, objectAt, textAt } from '../../../support/members.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const FIVE = ['receipt_id', 'risk_level', 'signature_valid', 'timestamp', 'trust_score'];
const forked = (): Promise<never> => Promise.reject(new LedgerError('ledger-forked', 'another history'));
const unavailable = (): Promise<never> => Promise.reject(new LedgerError('ledger-unavailable', 'away'));

describe('a run', () => {
  let fixture: SqliteFixture;
  let ledger: Ledger;
  before(async () => {
    fixture = await openSqliteFixture();
    ledger = fixture.ledger;
  });
  after(() => fixture.dispose());

  const create = (options: Partial<Parameters<typeof createTestRuntime>[0]> = {}) =>
    createTestRuntime({ ledger, clock: fixture.clock, ...options });

  /** The stored record of an answer's receipt, after a check of its signature and form. */
  async function checkReceipt(answer: Executed): Promise<ReceiptRecord> {
    const place = answer.status === 200 ? ['receipt'] : ['run', 'receipt'];
    const stored = await ledger.receipt('acme', textAt(answer.body, ...place, 'receipt_id'));
    const parts = parseJws(stored?.jws ?? '');
    const key = Buffer.from(receiptKey.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
    if (!parts || !ed25519Verify(key, parts.signature, parts.signingInput)) throw new Error('no good receipt');
    const payload = readPayload(parts.payload);
    if (!payload.ok || !isReceiptRecord(payload.value)) throw new Error('no record');
    return payload.value;
  }

  const receiptsNow = async (): Promise<number> => (await ledger.receipts('acme', { limit: 200 })).items.length;

  it('answers a success with the outputs, the five members and openings that fit the receipt', async () => {
    const { execute, counted } = create();
    const answer = await execute({});
    expect(answer.status).to.equal(200);
    expect(Object.keys(answer.body).toSorted()).to.deep.equal([
      'execution_ms',
      'openings',
      'outputs',
      'receipt',
      'run_id',
      'status',
    ]);
    expect(Object.keys(objectAt(answer.body, 'receipt')).toSorted()).to.deep.equal(FIVE);
    expect(answer.body['outputs']).to.deep.equal({ id: 'x1' });
    const record = await checkReceipt(answer);
    const salt = (field: string): Buffer => Buffer.from(textAt(answer.body, 'openings', field, 'salt'), 'base64url');
    const committed = (field: string, text: string): JsonObject => ({
      ...commit(salt(field), Buffer.from(text), 'application/json', sha256Hex),
    });
    expect(record.input).to.deep.equal(committed('input', '{"text":"hi"}'));
    expect(record.output).to.deep.equal(committed('output', '{"id":"x1"}'));
    expect(record.execution.outcome).to.equal('success');
    expect(counted).to.deep.equal(['attempt acme.echo@1.0.0 main success', 'run success']);
  });

  it('sends the rendered request with the secret, the trace and the name of the platform', async () => {
    const { execute, sent } = create();
    await execute({ inputs: { text: 'say "hi"' } });
    expect(sent).to.have.lengthOf(1);
    expect(sent[0]?.body).to.equal('{"text":"say \\"hi\\""}');
    const headers = new Map(sent[0]?.headers.map(([name, value]) => [name.toLowerCase(), value]));
    expect(headers.get('authorization')).to.equal(`Bearer ${SECRET}`);
    expect(headers.get('user-agent')).to.equal('orb-platform/test');
    expect(headers.get('traceparent')).to.match(/^00-0af7651916cd43dd8448eb211c80319c-/);
  });

  it('leaves no form of a secret in the answer or the log when the provider echoes it', async () => {
    const forms = [SECRET, Buffer.from(SECRET).toString('base64'), Buffer.from(SECRET).toString('hex')];
    const { execute, logged, counted } = create({ answer: () => answered({ id: forms.join(' ') }) });
    const answer = await execute({ query: 'debug=true' });
    const reported = answer.text + JSON.stringify(logged);
    expect(forms.filter((form) => reported.includes(form))).to.deep.equal([]);
    expect(at(answer.body, 'outputs', 'id')).to.equal('[redacted:TOKEN] [redacted:TOKEN] [redacted:TOKEN]');
    expect(counted).to.include('redactions 3');
  });

  const failures: readonly [string, DialFailure, boolean, string, boolean][] = [
    [
      'blocked by the dialer',
      { kind: 'blocked', code: 'egress-denied-address' },
      false,
      '502 provider-failed orb_error',
      false,
    ],
    ['a name that does not resolve', { kind: 'transport', code: 'dns' }, false, '502 provider-failed orb_error', false],
    ['a reset after sending', { kind: 'transport', code: 'reset' }, true, '502 provider-failed orb_error', true],
    [
      'an answer that is too large',
      { kind: 'response', code: 'response-too-large' },
      true,
      '502 provider-failed orb_error',
      true,
    ],
    ['a deadline', { kind: 'timeout', code: 'deadline' }, true, '504 provider-timeout timeout', true],
    ['a connect time-out', { kind: 'timeout', code: 'connect-timeout' }, false, '504 provider-timeout timeout', false],
  ];
  for (const [why, failure, sent, expected, maybe] of failures) {
    it(`ends as ${expected}: ${why}`, async () => {
      const { execute } = create({
        answer: () => ({ kind: 'failed', failure, sent, status: null, ms: 3, exception: false }),
      });
      const answer = await execute({});
      const { execution } = await checkReceipt(answer);
      expect(`${answer.status} ${String(answer.code)} ${execution.outcome}`).to.equal(expected);
      expect(answer.body['maybe_executed'] === true).to.equal(maybe);
      expect(execution.attempts).to.have.lengthOf(1);
      const { reason, detail, ...attempt } = objectAt(answer.body, 'run', 'attempts', '0');
      expect([attempt]).to.deep.equal(execution.attempts);
      expect([typeof reason, typeof detail]).to.deep.equal(['string', 'string']);
    });
  }

  it('records a status outside of 100 to 599 as none, so that the receipt still verifies', async () => {
    const { execute } = create({ answer: () => answered({}, { status: 999 }) });
    const { execution } = await checkReceipt(await execute({}));
    expect(execution.attempts.map(({ http_status }) => http_status)).to.deep.equal([null]);
  });

  const hostile: readonly [string, string][] = [
    ['a lone surrogate', '{"id":"\\ud800"}'],
    ['nesting without end', `{"id":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
    ['a number beyond all doubles', '{"id":1e999}'],
    ['an own __proto__', '{"__proto__":{"id":"x"}}'],
  ];
  for (const [why, body] of hostile) {
    it(`ends with a receipt when the provider answers with ${why}`, async () => {
      const { execute, addOrb } = create({ answer: () => answered({}, { body: Buffer.from(body) }) });
      addOrb('acme.any@1.0.0', {
        outputs: {
          id: { type: 'string' },
          all: { type: 'array', from: '/body/id' },
          n: { type: 'number', from: '/body/id' },
        },
      });
      expect((await execute({ orbId: 'acme.any@1.0.0' })).code).to.equal('provider-failed');
      const open = await execute({});
      expect([open.status, at(open.body, 'outputs', 'id')]).to.deep.equal([200, null]);
      expect((await checkReceipt(open)).checks.find(({ id }) => id === 'output_schema')?.result).to.equal('fail');
    });
  }

  it('ends as 504 without an attempt when no slot comes free before the deadline', async () => {
    const { execute, sent, addOrb, runtime } = create({
      answer: hangs,
      parts: { slots: new Slots({ perKey: 1, waiting: 10 }) },
    });
    addOrb('acme.short@1.0.0', { execution: { timeout_ms: 30 } });
    const holder = execute({});
    while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const waiting = await execute({ orbId: 'acme.short@1.0.0' });
    const { execution } = await checkReceipt(waiting);
    expect(`${waiting.status} ${execution.outcome} ${execution.attempts.length}`).to.equal('504 timeout 0');
    expect([waiting.body['maybe_executed'], sent.length]).to.deep.equal([undefined, 1]);
    runtime.inFlight.kill('acme.support', 'orbiset-suspended');
    expect((await holder).status).to.equal(503);
  });

  it('starts no run when as many wait for slots as may', async () => {
    const { execute, sent, runtime } = create({
      answer: hangs,
      parts: { slots: new Slots({ perKey: 1, waiting: 0 }) },
    });
    const holder = execute({});
    while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const before = await receiptsNow();
    const refused = await execute({});
    expect([refused.status, refused.code, refused.headers['retry-after']]).to.deep.equal([503, 'overloaded', '1']);
    expect([await receiptsNow(), runtime.inFlight.count('acme.support')]).to.deep.equal([before, 1]);
    runtime.inFlight.kill('acme.support', 'orbiset-suspended');
    await holder;
  });

  it('ends a run in flight with the code of the kill switch, a receipt and platform_error', async () => {
    const { execute, sent, runtime } = create({ answer: hangs });
    const running = execute({});
    while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(runtime.inFlight.kill('acme.support', 'orbiset-suspended')).to.equal(1);
    const answer = await running;
    const { execution } = await checkReceipt(answer);
    expect(`${answer.status} ${String(answer.code)} ${execution.outcome}`).to.equal(
      '503 orbiset-suspended platform_error',
    );
    expect(answer.body['maybe_executed']).to.equal(true);
    expect(runtime.inFlight.count('acme.support')).to.equal(0);
  });

  it('starts nothing when the ledger is away: 503, no byte sent, no run', async () => {
    const { execute, sent, runtime } = create({ ledger: { ...ledger, startRun: unavailable } });
    const answer = await execute({});
    expect([answer.status, answer.code, answer.body['run'], sent.length]).to.deep.equal([
      503,
      'ledger-unavailable',
      undefined,
      0,
    ]);
    expect(answer.body['maybe_executed']).to.equal(undefined);
    expect(runtime.inFlight.count('acme.support')).to.equal(0);
  });

  const unstarted: readonly (readonly [why: string, startRun: Ledger['startRun'], told: string])[] = [
    ['its start row fails in a way that nobody expects', () => Promise.reject(new RangeError('a fault')), 'RangeError'],
    [
      'its key was used before',
      () => Promise.resolve({ kind: 'idempotent', entry: { isSameBody: false, runId: 'run_x', answer: undefined } }),
      'idempotency-key-reused',
    ],
  ];
  for (const [why, startRun, told] of unstarted) {
    it(`leaves nothing in flight when ${why}`, async () => {
      const { execute, runtime, sent } = create({ ledger: { ...ledger, startRun } });
      expect(String(await execute({}).then(({ code }) => code, String))).to.contain(told);
      expect([sent.length, runtime.inFlight.count('acme.support')]).to.deep.equal([0, 0]);
    });
  }

  it('says that it may have been executed, without a receipt, when the ledger is lost after the start', async () => {
    const { execute, sent } = create({ ledger: { ...ledger, finishRun: unavailable } });
    const answer = await execute({});
    expect([answer.status, answer.code, answer.body['maybe_executed'], sent.length]).to.deep.equal([
      503,
      'ledger-unavailable',
      true,
      1,
    ]);
    expect(at(answer.body, 'run', 'receipt')).to.equal(undefined);
    const runId = textAt(answer.body, 'run', 'run_id');
    expect(await ledger.receiptOfRun('acme', runId)).to.equal(undefined);
    await fixture.clock.advance(90_001);
    await sweep(create().runtime);
    expect((await ledger.receiptOfRun('acme', runId))?.outcome).to.equal('platform_error');
  });

  it('says so with ledger-forked when the history falls into doubt during the run', async () => {
    const answer = await create({ ledger: { ...ledger, finishRun: forked } }).execute({});
    expect([answer.status, answer.code, answer.body['maybe_executed']]).to.deep.equal([503, 'ledger-forked', true]);
    expect(answer.text).to.not.include('another history');
  });

  it('drops a result that comes after the sweeper: 500 run-closed with the five members of its receipt', async () => {
    const test = create({
      answer: async () => {
        await fixture.clock.advance(90_001);
        await sweep(test.runtime);
        return answered({ id: 'late' });
      },
    });
    const answer = await test.execute({});
    expect([answer.status, answer.code, answer.body['maybe_executed']]).to.deep.equal([500, 'run-closed', true]);
    expect(Object.keys(objectAt(answer.body, 'run', 'receipt')).toSorted()).to.deep.equal(FIVE);
    expect(at(answer.body, 'run', 'receipt', 'signature_valid')).to.equal(true);
    expect(answer.text).to.not.include('late');
    const { execution } = await checkReceipt(answer);
    expect([execution.closed_by, execution.outcome]).to.deep.equal(['sweeper', 'platform_error']);
    expect(test.runtime.selfCheck.failed).to.equal(false);
  });

  it('answers 500 when its receipt does not verify, and starts no run after it', async () => {
    const other = new SelfCheck(generateKeyPairSync('ed25519').publicKey);
    const { execute, sent } = create({ parts: { selfCheck: other } });
    const first = await execute({});
    expect([first.status, first.code]).to.deep.equal([500, 'signing-misconfigured']);
    expect(at(first.body, 'run', 'receipt', 'signature_valid')).to.equal(false);
    expect(at(first.body, 'run', 'attempts', '0', 'outcome')).to.equal('success');
    const before = await receiptsNow();
    const second = await execute({});
    expect([second.status, second.code, second.body['run'], sent.length]).to.deep.equal([
      500,
      'signing-misconfigured',
      undefined,
      1,
    ]);
    expect(await receiptsNow()).to.equal(before);
  });

  it('says in the receipt that the key was revoked while the run went on', async () => {
    const { execute } = create();
    const answer = await execute({ caller: { ...ACME, standing: () => 'revoked-or-expired' } });
    const record = await checkReceipt(answer);
    expect(record.checks.find(({ id }) => id === 'caller_auth')?.result).to.equal('fail');
    expect(record.trust_score).to.equal(59);
  });

  it('takes the smallest of the limits on time', async () => {
    const { execute, addOrbiset } = create({ answer: hangs });
    addOrbiset('quick', { limits: { timeout_ms: 20 } });
    const answer = await execute({ orbiset: 'quick' });
    expect([answer.status, answer.code]).to.deep.equal([504, 'provider-timeout']);
    expect((await checkReceipt(answer)).execution.outcome).to.equal('caller_error');
  });

  it('keeps what two runs sign apart', async () => {
    const { execute } = create();
    const answers = await Promise.all(Array.from({ length: 20 }, () => execute({})));
    const ids = answers.map((answer) => at(answer.body, 'receipt', 'receipt_id'));
    const salts = answers.map((answer) => at(answer.body, 'openings', 'input', 'salt'));
    expect([new Set(ids).size, new Set(salts).size]).to.deep.equal([20, 20]);
  });
});
