import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { DialFailure, DialResult } from '../../../../adapters/egress/port.ts';
import { LedgerError, type Ledger } from '../../../../adapters/ledger/port.ts';
import type { RouteRequest } from '../../../../api-server/http/route.ts';
import { SelfCheck } from '../../../../api-server/self-check/self-check.ts';
import { signAndCheck } from '../../../../api-server/self-check/sign-and-check.ts';
import { claimOf, replay } from '../../../../api-server/run/idempotency.ts';
import { sweep } from '../../../../api-server/run/sweeper.ts';
import { ACME, answered, createTestRuntime, hangs, receiptKey } from '../../../support/a-runtime.ts';
import { at, objectAt, textAt } from '../../../support/members.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const failedBy = (failure: DialFailure, sent: boolean): DialResult => ({
  kind: 'failed',
  failure,
  sent,
  status: null,
  ms: 3,
  exception: false,
});

const BARE: Omit<RouteRequest, 'caller' | 'header'> = {
  requestId: 'req_1',
  traceparent: '',
  params: {},
  query: new URLSearchParams(),
  headerPairs: [],
  address: '192.0.2.1',
  body: new Uint8Array(),
  longTurn: () => Promise.resolve(),
  readBody: () => ({ kind: 'body', bytes: new Uint8Array() }),
  signal: new AbortController().signal,
};

const lost = (): Promise<never> => Promise.reject(new LedgerError('ledger-unavailable', 'away'));

describe('Idempotency-Key (security.md S20)', () => {
  let fixture: SqliteFixture;
  let ledger: Ledger;
  before(async () => {
    fixture = await openSqliteFixture();
    ledger = fixture.ledger;
  });
  after(() => fixture.dispose());

  const create = (options: Partial<Parameters<typeof createTestRuntime>[0]> = {}) =>
    createTestRuntime({ ledger, clock: fixture.clock, ...options });

  it('sends once for 100 requests at the same time; each gets that run or 409', async () => {
    const { execute, sent } = create({ answer: async () => turn().then(() => answered({ id: 'once' })) });
    const answers = await Promise.all(Array.from({ length: 100 }, () => execute({ key: 'k-100' })));
    expect(sent).to.have.lengthOf(1);
    const kinds = new Set(
      answers.map(({ status, body }) => (status === 200 ? '200' : `${status} ${textAt(body, 'code')}`)),
    );
    expect([...kinds].filter((kind) => kind !== '200' && kind !== '409 idempotency-in-progress')).to.deep.equal([]);
    const runs = answers.filter(({ status }) => status === 200).map(({ body }) => body['run_id']);
    expect(new Set(runs).size).to.equal(1);
    const later = await execute({ key: 'k-100' });
    expect([later.status, later.body['run_id'], sent.length]).to.deep.equal([200, runs[0], 1]);
  });

  it('replays the stored answer without the openings, and says so', async () => {
    const { execute } = create();
    const first = await execute({ key: 'k-replay' });
    const again = await execute({ key: 'k-replay' });
    expect(first.headers['idempotency-replayed']).to.equal(undefined);
    expect(again.headers['idempotency-replayed']).to.equal('true');
    const { openings, ...rest } = first.body;
    expect(openings).to.have.all.keys('input', 'output');
    expect(again.body).to.deep.equal(rest);
  });

  it('tells a key that is limited to other Orbs nothing of an earlier run: 403', async () => {
    const { execute } = create();
    await execute({ key: 'k-limited' });
    const limited = await execute({ key: 'k-limited', caller: { ...ACME, orbs: ['acme.other'] } });
    expect([limited.status, limited.code, limited.body['outputs']]).to.deep.equal([403, 'forbidden', undefined]);
  });

  it('does not repeat what only the first request asked to see', async () => {
    const { execute } = create();
    const first = await execute({ key: 'k-debug', query: 'debug=true' });
    expect(first.body['provider_body']).to.be.a('string');
    const again = await execute({ key: 'k-debug' });
    expect([again.headers['idempotency-replayed'], again.body['provider_body']]).to.deep.equal(['true', undefined]);
  });

  it('replays a receipt that failed its check as what it is', async () => {
    const other = generateKeyPairSync('ed25519').publicKey;
    const { execute } = create({ parts: { selfCheck: new SelfCheck(other) } });
    const first = await execute({ key: 'k-unverified' });
    const again = await execute({ key: 'k-unverified' });
    expect([first.code, again.code]).to.deep.equal(['signing-misconfigured', 'signing-misconfigured']);
    expect(at(again.body, 'run', 'receipt', 'signature_valid')).to.equal(false);
  });

  it('replays a receipt that failed the check of the thread as what it is', async () => {
    const selfCheck = new SelfCheck(receiptKey.publicKey);
    selfCheck.sign = (input) => Promise.resolve(signAndCheck(input, receiptKey.signer.sign, { fits: () => false }));
    const { execute } = create({ parts: { selfCheck } });
    const first = await execute({ key: 'k-signed' });
    const again = await execute({ key: 'k-signed' });
    expect([first.code, again.code]).to.deep.equal(['signing-misconfigured', 'signing-misconfigured']);
    expect(at(again.body, 'run', 'receipt', 'signature_valid')).to.equal(false);
  });

  const unsent: readonly (readonly [why: string, failure: DialFailure])[] = [
    ['a name that is not found', { kind: 'transport', code: 'dns' }],
    ['a refused connection', { kind: 'transport', code: 'connect', fault: { kind: 'refused' } }],
    ['a certificate', { kind: 'transport', code: 'tls' }],
    ['the dialer', { kind: 'blocked', code: 'egress-denied-address' }],
    ['no connection in time', { kind: 'timeout', code: 'connect-timeout' }],
  ];
  for (const [why, failure] of unsent) {
    it(`keeps no answer of a run that sent nothing because of ${why}: the key starts a new run`, async () => {
      const results = [failedBy(failure, false), answered({ id: 'x' })];
      const { execute, runtime } = create({ answer: () => results.shift() ?? failedBy(failure, false) });
      const key = `k-${failure.code}`;
      const first = await execute({ key });
      const code = failure.kind === 'timeout' ? 'provider-timeout' : 'provider-failed';
      expect([first.code, first.body['maybe_executed']]).to.deep.equal([code, undefined]);
      const receipt = await runtime.ledger.receiptOfRun('acme', textAt(first.body, 'run', 'run_id'));
      expect(receipt?.receiptId).to.equal(at(first.body, 'run', 'receipt', 'receipt_id'));
      const again = await execute({ key, inputs: { text: 'another body' } });
      expect([again.status, again.headers['idempotency-replayed']]).to.deep.equal([200, undefined]);
      expect((await execute({ key, inputs: { text: 'another body' } })).headers['idempotency-replayed']).to.equal(
        'true',
      );
    });
  }

  it('keeps no answer while the breaker is open, and says that the key may be used again', async () => {
    const { execute, sent } = create({ answer: () => failedBy({ kind: 'transport', code: 'dns' }, false) });
    for (let run = 0; run < 5; run += 1) await execute({});
    const before = sent.length;
    const open = await execute({ key: 'k-open' });
    expect([open.code, sent.length]).to.deep.equal(['providers-unavailable', before]);
    expect(open.body['next']).to.include('the same Idempotency-Key may be used again');
    await fixture.clock.advance(10_000);
    const again = await execute({ key: 'k-open' });
    expect([again.code, again.headers['idempotency-replayed']]).to.deep.equal(['provider-failed', undefined]);
  });

  it('keeps the answer of a run that sent a byte to one of its attempts', async () => {
    const results = [failedBy({ kind: 'transport', code: 'reset' }, true)];
    const { execute } = create({ answer: () => results.shift() ?? answered({ id: 'x' }) });
    expect((await execute({ key: 'k-reset' })).code).to.equal('provider-failed');
    const again = await execute({ key: 'k-reset' });
    expect([again.code, again.headers['idempotency-replayed']]).to.deep.equal(['provider-failed', 'true']);
  });

  it('replays a failed run too: its problem, its receipt, no second send', async () => {
    const { execute, sent } = create({ answer: () => answered({}, { status: 500 }) });
    const first = await execute({ key: 'k-failed' });
    const again = await execute({ key: 'k-failed' });
    expect([first.status, again.status, again.code, sent.length]).to.deep.equal([502, 502, 'provider-failed', 1]);
    // The ledger holds no reason of an attempt.
    const { reason, detail, ...attempt } = objectAt(first.body, 'run', 'attempts', '0');
    expect([reason, detail]).to.deep.equal(['server-error', 'HTTP 500']);
    expect(at(again.body, 'run')).to.deep.equal({ ...objectAt(first.body, 'run'), attempts: [attempt] });
    expect([first.body['openings'] === undefined, again.body['openings']]).to.deep.equal([false, undefined]);
  });

  it('refuses another body under the same key: 422, nothing sent', async () => {
    const { execute, sent } = create();
    await execute({ key: 'k-body' });
    const other = await execute({ key: 'k-body', inputs: { text: 'other' } });
    expect([other.status, other.code, sent.length]).to.deep.equal([422, 'idempotency-key-reused', 1]);
  });

  it('answers 409 while the first one runs', async () => {
    const { execute, sent, runtime } = create({ answer: hangs });
    const first = execute({ key: 'k-running' });
    while (sent.length === 0) await turn();
    const second = await execute({ key: 'k-running' });
    expect([second.status, second.code, second.headers['retry-after']]).to.deep.equal([
      409,
      'idempotency-in-progress',
      '1',
    ]);
    runtime.inFlight.kill('acme.support', 'orbiset-suspended');
    expect((await first).status).to.equal(503);
  });

  it('knows an Orbiset by both spellings of its id, and another Orbiset as another place', async () => {
    const { execute, sent, addOrbiset } = create();
    addOrbiset('other');
    const first = await execute({ key: 'k-place' });
    const same = await execute({ key: 'k-place', orbiset: 'acme.support' });
    const other = await execute({ key: 'k-place', orbiset: 'other' });
    expect(same.body['run_id']).to.equal(first.body['run_id']);
    expect(other.body['run_id']).to.not.equal(first.body['run_id']);
    expect(sent).to.have.lengthOf(2);
  });

  it('claims nothing for a request that starts no run', async () => {
    const { execute, sent } = create();
    expect((await execute({ key: 'k-bad', inputs: {} })).status).to.equal(422);
    expect((await execute({ key: 'k-bad' })).status).to.equal(200);
    expect(sent).to.have.lengthOf(1);
  });

  it('claims nothing for a dry run', async () => {
    const { execute, sent } = create();
    expect((await execute({ key: 'k-dry', query: 'dry_run=true' })).body['dry_run']).to.equal(true);
    expect((await execute({ key: 'k-dry' })).headers['idempotency-replayed']).to.equal(undefined);
    expect(sent).to.have.lengthOf(1);
  });

  it('has an answer after a crash: that of the sweeper', async () => {
    const broken = create({ ledger: { ...ledger, finishRun: lost } });
    const first = await broken.execute({ key: 'k-crash' });
    expect([first.status, first.body['maybe_executed']]).to.deep.equal([503, true]);
    const { execute, sent, runtime } = create();
    expect((await execute({ key: 'k-crash' })).code).to.equal('idempotency-in-progress');
    await fixture.clock.advance(90_001);
    await sweep(runtime);
    const again = await execute({ key: 'k-crash' });
    expect([again.status, again.code, again.body['maybe_executed'], sent.length]).to.deep.equal([
      500,
      'run-closed',
      true,
      0,
    ]);
    expect(at(again.body, 'run', 'run_id')).to.equal(at(first.body, 'run', 'run_id'));
    expect(at(again.body, 'run', 'receipt', 'signature_valid')).to.equal(true);
  });

  it('runs again after 24 hours', async () => {
    const { execute, sent, runtime } = create();
    await execute({ key: 'k-day' });
    await fixture.clock.advance(24 * 60 * 60 * 1000 + 1);
    await sweep(runtime);
    expect((await execute({ key: 'k-day' })).headers['idempotency-replayed']).to.equal(undefined);
    expect(sent).to.have.lengthOf(2);
  });

  it('replays until 24 hours are over', async () => {
    const { execute, sent, runtime } = create();
    await execute({ key: 'k-almost' });
    await fixture.clock.advance(24 * 60 * 60 * 1000 - 1);
    await sweep(runtime);
    expect((await execute({ key: 'k-almost' })).headers['idempotency-replayed']).to.equal('true');
    expect(sent).to.have.lengthOf(1);
  });

  it('gives a call without an API key neither the keys nor the answers of a tenant', () => {
    const { runtime } = create();
    const request = { ...BARE, header: (name: string) => (name === 'idempotency-key' ? 'k-1' : undefined) };
    const orbiset = { fullName: 'acme.support' };
    const [own, anonymous] = [ACME, undefined].map((caller) => claimOf(runtime, { ...request, caller }, orbiset));
    expect(own?.kind === 'claim' && own.claim.path).to.equal('/orbisets/acme.support/execute');
    expect(anonymous?.kind === 'claim' && anonymous.claim.path).to.equal('anonymous /orbisets/acme.support/execute');
  });

  it('claims nothing without the header', () => {
    const { runtime } = create();
    const request = { ...BARE, caller: ACME, header: () => undefined };
    expect(claimOf(runtime, request, { fullName: 'acme.support' })).to.deep.equal({ kind: 'none' });
  });

  const broken: readonly [why: string, answer: string][] = [
    ['nothing', 'null'],
    ['a list', '[]'],
    ['a status as text', '{"status":"200","headers":{},"body":""}'],
    ['no headers', '{"status":200,"body":""}'],
    ['a list of headers', '{"status":200,"headers":[],"body":""}'],
    ['a header that is a number', '{"status":200,"headers":{"a":"b","c":1},"body":""}'],
    ['no body', '{"status":200,"headers":{}}'],
    ['a body that is no text', '{"status":200,"headers":{},"body":{}}'],
  ];
  for (const [why, answer] of broken)
    it(`replays no stored answer that holds ${why}`, () => {
      expect(() => replay({ requestId: 'req_1' }, { isSameBody: true, runId: 'run_1', answer })).to.throw(
        TypeError,
        'a stored answer is not an answer',
      );
    });

  const malformed: readonly [string, string][] = [
    ['a space', 'a b'],
    ['nothing', ''],
    ['256 characters', 'x'.repeat(256)],
    ['a character outside of ASCII', 'ké'],
  ];
  for (const [why, key] of malformed) {
    it(`refuses a key of ${why}, naming the header`, async () => {
      const { execute, sent } = create();
      const answer = await execute({ key });
      expect([answer.status, answer.code, sent.length]).to.deep.equal([400, 'invalid-parameter', 0]);
      expect(answer.body['errors']).to.deep.equal([
        {
          header: 'Idempotency-Key',
          code: 'idempotency-key-malformed',
          detail: 'Idempotency-Key is 1 to 255 visible ASCII characters.',
        },
      ]);
    });
  }

  it('leaves the stored answer unreadable in the files of the ledger', async () => {
    const { execute } = create({ answer: () => answered({ id: 'only-in-the-answer' }) });
    const { text, body } = await execute({ key: 'k-dump' });
    expect(text).to.include('only-in-the-answer');
    const files = readdirSync(fixture.folder).map((name) => readFileSync(join(fixture.folder, name)));
    expect(files.some((bytes) => bytes.includes('only-in-the-answer'))).to.equal(false);
    expect(files.some((bytes) => bytes.includes(textAt(body, 'run_id')))).to.equal(true);
  });
});
