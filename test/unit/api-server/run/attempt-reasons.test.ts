import { expect } from 'chai';
import type { DialFailure, DialResult } from '../../../../adapters/egress/port.ts';
import type { Ledger } from '../../../../adapters/ledger/port.ts';
import { ATTEMPT_REASONS, type AttemptReason } from '../../../../core/attempts/reasons.ts';
import type { JsonObject } from '../../../../core/json/json-value.ts';
import { answered, createTestRuntime, SECRET, type TestRuntime } from '../../../support/a-runtime.ts';
import { at, objectAt, payloadOf, textAt } from '../../../support/members.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const ORB = 'acme.reasons@1.0.0';
const OUTPUTS = {
  id: { type: 'string', from: '/body/data/id' },
  ts: { type: 'string', from: '/body/ts' },
  count: { type: 'integer', from: '/body/count' },
};
const GOOD = { data: { id: 'a' }, ts: 'b', count: 1 };

const failed = (failure: DialFailure, sent = false): DialResult => ({
  kind: 'failed',
  failure,
  sent,
  status: null,
  ms: 3,
  exception: false,
});
const transport = (
  code: Extract<DialFailure, { kind: 'transport' }>['code'],
  fault?: Extract<DialFailure, { kind: 'transport' }>['fault'],
): DialResult => failed({ kind: 'transport', code, ...(fault === undefined ? {} : { fault }) });
const raw = (text: string, type: string): DialResult =>
  answered(null, { body: Buffer.from(text), headers: [['content-type', type]] });
const status = (code: number, wait?: string): DialResult =>
  answered({}, { status: code, headers: wait === undefined ? [] : [['retry-after', wait]] });

const rows: readonly (readonly [why: string, result: DialResult, reason: AttemptReason, detail: string])[] = [
  ['HTML', raw(`<p>${'x'.repeat(1193)}</p>`, 'text/html; charset=utf-8'), 'not-json', 'not JSON (text/html, 1.2 kB)'],
  ['an image', raw('PNG', 'image/png'), 'not-json', 'not JSON (image/png, 3 bytes)'],
  ['a body without a type', raw('hello', ''), 'not-json', 'not JSON (no media type, 5 bytes)'],
  [
    'JSON that ends early',
    raw('{"data":', 'application/json'),
    'broken-json',
    'broken JSON at its end (application/json, 8 bytes)',
  ],
  [
    'JSON with a fault',
    raw('{"data":1,}', 'application/json'),
    'broken-json',
    'broken JSON at character 10 (application/json, 11 bytes)',
  ],
  [
    'bytes that are no text',
    answered(null, { body: Buffer.from([0x22, 0xff, 0x22]) }),
    'not-text',
    'not UTF-8 (application/json, 3 bytes)',
  ],
  [
    'a wrong type',
    answered({ ...GOOD, ts: 5 }),
    'output-wrong-type',
    'output `ts`: /body/ts is a number, string declared',
  ],
  ['null', answered({ ...GOOD, ts: null }), 'output-wrong-type', 'output `ts`: /body/ts is null, string declared'],
  [
    'a fraction',
    answered({ ...GOOD, count: 1.5 }),
    'output-wrong-type',
    'output `count`: /body/count is a number, integer up to 2^53-1 declared',
  ],
  [
    'a wrong pointer',
    answered({ ...GOOD, data: { other: 1 } }),
    'output-missing',
    'output `id`: nothing at /body/data/id; /body/data is an object',
  ],
  [
    'a pointer with a member too many',
    answered({ id: 'a', ts: 'b', count: 1 }),
    'output-missing',
    'output `id`: nothing at /body/data/id; /body is an object: write /body/id',
  ],
  [
    'a long integer',
    raw('{"data":{"id":"a"},"ts":"b","count":12345678901234567890}', 'application/json'),
    'output-missing',
    'output `count`: nothing at /body/count; /body is an object; an integer beyond 2^53-1 counts as absent',
  ],
  [
    'an empty body',
    raw('', 'application/json'),
    'output-missing',
    'output `id`: nothing at /body/data/id; the answer has no body; output `ts`: nothing at /body/ts; the answer has no body; output `count`: nothing at /body/count; the answer has no body',
  ],
  [
    'text that is ill-formed',
    raw('{"data":{"id":"\\ud800"},"ts":"b","count":1}', 'application/json'),
    'output-not-representable',
    'output `id`: /body/data/id is string, and can not be returned',
  ],
  ['503', status(503), 'server-error', 'HTTP 503'],
  ['307', status(307), 'redirected', 'HTTP 307'],
  ['401', status(401), 'credential-refused', 'HTTP 401'],
  ['404', status(404), 'request-rejected', 'HTTP 404'],
  ['429', status(429, '7000'), 'rate-limited', 'HTTP 429, asks to wait 3600 s or more'],
  ['a name that is not there', transport('dns'), 'host-not-found', 'host not found: api.example.com'],
  [
    'no name server',
    transport('dns', { kind: 'no-lookup' }),
    'lookup-failed',
    'no name server answered for api.example.com',
  ],
  [
    'a closed port',
    transport('connect', { kind: 'refused' }),
    'connection-refused',
    'connection refused by api.example.com',
  ],
  ['no route', transport('connect'), 'connection-failed', 'The host could not be reached.'],
  [
    'a wrong name',
    transport('tls', { kind: 'wrong-name' }),
    'certificate-wrong-name',
    'the certificate does not name api.example.com',
  ],
  [
    'a strange authority',
    transport('tls', { kind: 'untrusted' }),
    'certificate-untrusted',
    'no known authority signed the certificate of api.example.com',
  ],
  ['a handshake that broke', transport('tls'), 'tls-failed', 'No TLS connection could be made.'],
  [
    'a reset',
    failed({ kind: 'transport', code: 'reset' }, true),
    'connection-reset',
    'The connection ended before an answer came.',
  ],
  [
    'a large body',
    failed({ kind: 'response', code: 'response-too-large' }, true),
    'answer-too-large',
    'answer larger than 4 MiB',
  ],
  [
    'a broken gzip',
    failed({ kind: 'response', code: 'undecodable' }, true),
    'encoding-broken',
    'The compressed body of the answer is broken.',
  ],
  [
    'no connection in time',
    failed({ kind: 'timeout', code: 'connect-timeout' }),
    'connect-timeout',
    'no connection to api.example.com within 1 s',
  ],
  [
    'a stalled body',
    failed({ kind: 'timeout', code: 'body-idle' }, true),
    'body-stalled',
    'no byte of the body for 5 s',
  ],
  [
    'no answer in time',
    failed({ kind: 'timeout', code: 'deadline' }, true),
    'answer-timeout',
    'no whole answer within 30 s, the limit of the run',
  ],
  [
    'a certificate of later',
    transport('tls', { kind: 'not-yet-valid' }),
    'certificate-not-yet-valid',
    ATTEMPT_REASONS['certificate-not-yet-valid'].says,
  ],
  [
    'an expired certificate that could not be read',
    transport('tls', { kind: 'expired', at: null }),
    'certificate-expired',
    'The certificate of the host has expired.',
  ],
  [
    'a port without TLS',
    transport('tls', { kind: 'not-tls' }),
    'tls-failed',
    'api.example.com does not speak TLS on this port',
  ],
  ['an answer that was cut', transport('truncated'), 'answer-cut', ATTEMPT_REASONS['answer-cut'].says],
  ['what is no HTTP', transport('protocol'), 'not-http', ATTEMPT_REASONS['not-http'].says],
  [
    'a list of encodings',
    failed({ kind: 'response', code: 'unsupported-encoding' }, true),
    'encoding-unsupported',
    ATTEMPT_REASONS['encoding-unsupported'].says,
  ],
  [
    'too many headers',
    failed({ kind: 'response', code: 'headers-too-large' }, true),
    'headers-too-large',
    ATTEMPT_REASONS['headers-too-large'].says,
  ],
  [
    'a private address',
    failed({ kind: 'blocked', code: 'egress-denied-address' }),
    'egress-denied-address',
    'The name of the host leads to an address that is not public.',
  ],
  [
    'no descriptor left in this process',
    failed({ kind: 'exhausted', code: 'platform-exhausted' }),
    'platform-exhausted',
    'The platform had no descriptor, memory or time left for the call or its answer. It says nothing about the provider.',
  ],
];

const attemptOf = (body: JsonObject): JsonObject => objectAt(body, 'run', 'attempts', '0');

describe('the reason of a failed attempt', () => {
  let fixture: SqliteFixture;
  let ledger: Ledger;
  before(async () => {
    fixture = await openSqliteFixture();
    ledger = fixture.ledger;
  });
  after(() => fixture.dispose());

  function create(result: DialResult): TestRuntime {
    const test = createTestRuntime({ ledger, clock: fixture.clock, answer: () => result });
    test.addOrb(ORB, { outputs: OUTPUTS, execution: { retry: { max_attempts: 1 } } });
    return test;
  }

  for (const code of [401, 402, 403]) {
    it(`names the vault entry that a ${code} refuses`, async () => {
      const { body } = await create(status(code)).execute({ orbId: ORB });
      expect(body['code']).to.equal('provider-refused-credential');
      expect(body['next']).to.equal(
        `Check the vault entry TOKEN that the request carried, and the account (402: unpaid), with the provider.`,
      );
    });

    it(`says how to send a credential where a ${code} answers a request without one`, async () => {
      const test = createTestRuntime({ ledger, clock: fixture.clock, answer: () => status(code) });
      const headers = { 'Content-Type': 'application/json' };
      test.addOrb(ORB, { outputs: OUTPUTS, execution: { headers, retry: { max_attempts: 1 } } });
      const { body } = await test.execute({ orbId: ORB });
      expect(body['code']).to.equal('provider-rejected');
      expect(body['next']).to.include("Authorization: 'Bearer {{orbiset.secrets.KEY}}'");
    });
  }

  for (const [why, result, reason, detail] of rows) {
    it(`names the fault: ${why}`, async () => {
      const test = create(result);
      const { body } = await test.execute({ orbId: ORB });
      expect([attemptOf(body)['reason'], attemptOf(body)['detail']]).to.deep.equal([reason, detail]);
      expect(body['detail']).to.equal(`Provider main: ${detail.replace(/\.$/, '')}.`);
      const line = test.logged.find(({ message }) => message === 'run');
      expect(line?.fields).to.deep.include({ receipt_id: at(body, 'run', 'receipt', 'receipt_id') });
      expect(JSON.stringify(line?.fields)).to.contain(
        `"reason":${JSON.stringify(reason)},"detail":${JSON.stringify(detail)}`,
      );
    });
  }

  it('has the age of an expired certificate', async () => {
    const day = 86_400_000;
    const expired = transport('tls', { kind: 'expired', at: fixture.clock.now() - 3 * day - 1000 });
    expect(attemptOf((await create(expired).execute({ orbId: ORB })).body)).to.deep.include({
      reason: 'certificate-expired',
      detail: 'certificate expired 3 d ago',
    });
  });

  it('says what to write next, by its reason', async () => {
    const { body } = await create(answered({ ...GOOD, ts: 5 })).execute({ orbId: ORB });
    expect(body['next']).to.equal(
      'Correct type or from of the output in the manifest. The provider may have done its work: look there before you try again.',
    );
    const unsent = await create(transport('dns')).execute({ orbId: ORB });
    expect(unsent.body['next']).to.equal(
      'Correct the host in url of the manifest. Nothing was sent, so the same Idempotency-Key may be used again.',
    );
  });

  it('holds no value of the body, and no secret in any text of the provider', async () => {
    const marker = 'canary-of-the-body';
    const bodies = [
      answered({ ...GOOD, ts: [marker] }),
      answered({ [marker]: marker }),
      raw(`{"data": ${marker}`, 'application/json'),
      raw(marker, `text/${SECRET}`),
      raw(marker, `text/\u202e${marker}`),
    ];
    for (const result of bodies) {
      const test = create(result);
      const { text } = await test.execute({ orbId: ORB });
      const all = `${text} ${JSON.stringify(test.logged)}`;
      expect([all.includes(marker), all.includes(SECRET)]).to.deep.equal([false, false]);
      expect(text).to.match(/"reason":"[a-z-]+"/);
    }
  });

  it('is neither in the receipt nor in the answer that is kept under an Idempotency-Key', async () => {
    const test = create(status(503));
    const first = await test.execute({ orbId: ORB, key: 'reasons' });
    expect(first.text).to.contain('server-error');
    const again = await test.execute({ orbId: ORB, key: 'reasons' });
    expect([again.headers['idempotency-replayed'], again.text.includes('server-error')]).to.deep.equal(['true', false]);
    const stored = await ledger.receiptOfRun('acme', textAt(first.body, 'run', 'run_id'));
    const attempt = objectAt(payloadOf(stored?.jws), 'execution', 'attempts', '0');
    expect(Object.keys(attempt).toSorted()).to.deep.equal(['duration_ms', 'http_status', 'outcome', 'provider']);
  });
});
