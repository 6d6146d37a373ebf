import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { LedgerError } from '../../../../adapters/ledger/port.ts';
import { aCaller, startApp, TEST_NOW, type CallOptions, type TestApp } from '../../../support/api-app.ts';
import { anything, aRoute, echo, echoing, gated, things } from '../../../support/test-routes.ts';

const open = aRoute({ path: '/open', scope: 'public', handle: echo }, 'open');
const maybe = aRoute({ path: '/maybe', anonymous: 'maybe', handle: echo }, 'maybe');
const scoped = aRoute({ path: '/scoped', scope: 'admin' }, 'scoped');
const faulty = aRoute(
  { path: '/faulty', handle: () => Promise.reject(new Error('the password is hunter2')) },
  'faulty',
);
const throwing = aRoute(
  {
    path: '/throwing',
    handle: () => {
      throw new TypeError('not even a promise');
    },
  },
  'throwing',
);
const away = aRoute(
  {
    path: '/away',
    handle: () => Promise.reject(new LedgerError('ledger-unavailable', 'disk full')),
    operation: { operationId: 'away', summary: '', tags: [], responses: anything, problems: ['ledger-unavailable'] },
  },
  'away',
);
const ROUTES = [things, echoing, open, maybe, scoped, faulty, throwing, away];

const LIMIT = 1000;
const JSON_TYPE = { 'content-type': 'application/json' };

describe('createApp', () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(ROUTES, { limits: { bodyBytes: LIMIT, headerCount: 20 } });
  });
  afterEach(() => app.close());

  const refusals: [string, string, string, CallOptions, number, string][] = [
    ['no key', 'GET', '/things', { key: null }, 401, 'unauthenticated'],
    ['an unknown key', 'GET', '/things', { key: 'wrong' }, 401, 'unauthenticated'],
    ['a key from a wrong address', 'GET', '/things', { key: 'elsewhere' }, 403, 'forbidden'],
    ['a key without the scope', 'GET', '/scoped', {}, 403, 'forbidden'],
    ['a wrong key where none is needed but one may be sent', 'GET', '/maybe', { key: 'wrong' }, 401, 'unauthenticated'],
    ['an unknown path', 'GET', '/nothing', {}, 404, 'route-not-found'],
    ['another case of a path', 'GET', '/Things', {}, 404, 'route-not-found'],
    ['a trailing slash', 'GET', '/things/', {}, 404, 'route-not-found'],
    ['a method that the path lacks', 'DELETE', '/things', {}, 405, 'method-not-allowed'],
    ['OPTIONS', 'OPTIONS', '/things', {}, 405, 'method-not-allowed'],
    [
      'a malformed percent in the path',
      'POST',
      '/things/%zz',
      { headers: JSON_TYPE, body: '{}' },
      400,
      'malformed-path',
    ],
    ['invalid UTF-8 in the path', 'POST', '/things/%ff', { headers: JSON_TYPE, body: '{}' }, 400, 'malformed-path'],
    ['a body without media type', 'POST', '/things/1', { body: new Uint8Array(2) }, 415, 'unsupported-media-type'],
    [
      'another media type',
      'POST',
      '/things/1',
      { headers: { 'content-type': 'text/json' }, body: '{}' },
      415,
      'unsupported-media-type',
    ],
    [
      'another charset',
      'POST',
      '/things/1',
      { headers: { 'content-type': 'application/json; charset=latin1' }, body: '{}' },
      415,
      'unsupported-media-type',
    ],
    [
      'a compressed body',
      'POST',
      '/things/1',
      { headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, body: 'x' },
      415,
      'unsupported-media-type',
    ],
    [
      'a body over the limit',
      'POST',
      '/things/1',
      { headers: JSON_TYPE, body: 'x'.repeat(LIMIT + 1) },
      413,
      'body-too-large',
    ],
    [
      'too many headers',
      'GET',
      '/open',
      { headers: Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`x-${i}`, '1'])) },
      431,
      'headers-too-large',
    ],
  ];
  for (const [why, method, path, options, status, code] of refusals) {
    it(`refuses ${why} with ${status} ${code}`, async () => {
      const answer = await app.call(method, path, options);
      expect([answer.status, answer.code]).to.deep.equal([status, code]);
    });
  }

  it('challenges for a bearer token, and says when the token is the fault', async () => {
    expect((await app.call('GET', '/things', { key: null })).headers.get('www-authenticate')).to.equal('Bearer');
    const wrong = await app.call('GET', '/things', { key: 'wrong' });
    expect(wrong.headers.get('www-authenticate')).to.equal('Bearer error="invalid_token"');
  });

  it('names the missing scope', async () => {
    const answer = await app.call('GET', '/scoped');
    expect(answer.value).to.have.property('detail', 'The key lacks the scope admin.');
  });

  it('lists the methods that a path has', async () => {
    expect((await app.call('DELETE', '/things')).headers.get('allow')).to.equal('GET, HEAD');
    expect((await app.call('GET', '/things/1')).headers.get('allow')).to.equal('POST');
  });

  it('gives the handler path, query, body and caller', async () => {
    const answer = await app.call('POST', '/things/a%40b%2Fc?x=1&x=%20', {
      headers: { 'content-type': 'Application/JSON; charset="UTF-8"' },
      body: '{"ä":1}',
    });
    expect(answer.value).to.include({ id: 'a@b/c', body: '{"ä":1}', caller: 'key:abcdefgh' });
    expect(answer.value).to.have.deep.property('query', [
      ['x', '1'],
      ['x', ' '],
    ]);
  });

  it('takes a body of exactly the limit', async () => {
    const answer = await app.call('POST', '/things/1', { headers: JSON_TYPE, body: 'x'.repeat(LIMIT) });
    expect(answer.value).to.have.property('body', 'x'.repeat(LIMIT));
  });

  it('takes a request without a key where the route leaves that to its handler', async () => {
    expect((await app.call('GET', '/maybe', { key: null })).value).to.not.have.property('caller');
    expect((await app.call('GET', '/maybe')).value).to.have.property('caller', 'key:abcdefgh');
  });

  it('keeps the caller’s trace and puts itself in as parent', async () => {
    const traceparent = `00-${'ab'.repeat(16)}-${'12'.repeat(8)}-01`;
    const { value } = await app.call('GET', '/open', { headers: { traceparent } });
    expect(value)
      .to.have.property('traceparent')
      .that.matches(new RegExp(`^00-${'ab'.repeat(16)}-(?!${'12'.repeat(8)})[0-9a-f]{16}-01$`));
  });

  it('answers HEAD like GET, with the length and without the body', async () => {
    const [head, get] = [await app.call('HEAD', '/things'), await app.call('GET', '/things')];
    expect([head.status, head.body.length]).to.deep.equal([200, 0]);
    expect(head.headers.get('content-length')).to.equal(get.headers.get('content-length'));
  });

  for (const path of ['/faulty', '/throwing']) {
    it(`hides what a handler throws at ${path}, logs it, and lives on`, async () => {
      const answer = await app.call('GET', path);
      expect([answer.status, answer.code]).to.deep.equal([500, 'internal-error']);
      expect(Buffer.from(answer.body).toString()).to.not.match(/hunter2|promise/);
      expect(app.logged[0]?.fields['request_id']).to.equal(answer.headers.get('orb-request-id'));
      expect((await app.call('GET', '/things')).status).to.equal(200);
    });
  }

  it('answers 503 with Retry-After when the ledger is away', async () => {
    const answer = await app.call('GET', '/away');
    expect([answer.status, answer.code, answer.headers.get('retry-after')]).to.deep.equal([
      503,
      'ledger-unavailable',
      '1',
    ]);
  });

  it('gives each request an id of its own', async () => {
    const ids = [await app.call('GET', '/things'), await app.call('GET', '/things')].map((answer) =>
      answer.headers.get('orb-request-id'),
    );
    expect(new Set(ids).size).to.equal(2);
  });

  it('observes the path template, never the path', async () => {
    await app.call('POST', '/things/secret-name', { headers: JSON_TYPE, body: '{}' });
    await app.call('GET', '/unknown-name');
    await app.call('DELETE', '/things');
    expect(app.observed.map(({ route, method, status }) => [route, method, status])).to.deep.equal([
      ['/things/{id}', 'POST', 200],
      ['none', 'GET', 404],
      ['/things', 'DELETE', 405],
    ]);
  });
});

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

describe('createApp: callers', () => {
  it('aborts the signal of a request whose caller has gone, and counts it as 499', async () => {
    const { route, entered, proceed, signals } = gated();
    const app = await startApp([route]);
    const socket = await dial(app.port);
    socket.write('GET /gated HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n\r\n');
    await entered;
    socket.destroy();
    const [signal] = signals;
    if (signal && !signal.aborted) await once(signal, 'abort');
    expect(app.observed.map(({ status }) => status)).to.deep.equal([499]);
    proceed();
    await app.close();
  });

  it('sheds at the limit, and takes runs again afterwards; without a key nothing is admitted', async () => {
    const { route, entered, proceed } = gated();
    let held = 0;
    const release = (): void => void (held -= 1);
    const admission = {
      admit: () => {
        if (held > 0) return { kind: 'refused', code: 'overloaded' } as const;
        held += 1;
        return { kind: 'admitted', release } as const;
      },
      inFlight: () => held,
    };
    const app = await startApp([route, things], { admission });
    const first = app.call('GET', '/gated');
    await entered;
    expect((await app.call('GET', '/gated', { key: null })).status).to.equal(401);
    const shed = await app.call('GET', '/gated');
    expect([shed.status, shed.code, shed.headers.get('retry-after')]).to.deep.equal([503, 'overloaded', '1']);
    expect((await app.call('GET', '/things')).status).to.equal(200);
    proceed();
    await first;
    expect((await app.call('GET', '/gated')).status).to.equal(200);
    await app.close();
  });

  const DAY = 86_400_000;
  const notices: [string, number, string | null][] = [
    ['not a moment over 14 days before', TEST_NOW + 14 * DAY + 1, null],
    ['14 days before', TEST_NOW + 14 * DAY, '2026-12-04T10:00:00.000Z'],
  ];
  for (const [why, expiresAt, expected] of notices) {
    it(`says when a key expires: ${why}`, async () => {
      const app = await startApp([things], { caller: aCaller({ expiresAt }) });
      expect((await app.call('GET', '/things')).headers.get('orb-key-expires')).to.equal(expected);
      await app.close();
    });
  }
});
