import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { aClock, startApp, type TestApp } from '../../../support/api-app.ts';
import { aRoute, echo, echoing, gated } from '../../../support/test-routes.ts';

const ROUTES = [echoing, aRoute({ path: '/open', scope: 'public', handle: echo }, 'open')];
const LIMIT = 1500;

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

describe('connections that misbehave', () => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(ROUTES, { limits: { bodyBytes: LIMIT } });
  });
  afterEach(() => app.close());

  const HEAD = 'POST /things/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\n';
  const rows: [string, readonly string[], RegExp][] = [
    [
      'a chunked body over the limit',
      [`${HEAD}Transfer-Encoding: chunked\r\n\r\n800\r\n${'x'.repeat(2048)}\r\n0\r\n\r\n`],
      /^HTTP\/1\.1 413 [^]*"code":"body-too-large"/,
    ],
    [
      'a declared length over the limit, with the body',
      [`${HEAD}Content-Length: 2000\r\n\r\n`, 'x'.repeat(2000)],
      /^HTTP\/1\.1 413 [^]*"code":"body-too-large"/,
    ],
    [
      'length and chunks together',
      [`${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
      /^HTTP\/1\.1 400 [^]*"code":"malformed-request"/,
    ],
    [
      'two lengths',
      [`${HEAD}Content-Length: 5\r\nContent-Length: 6\r\n\r\n12345`],
      /^HTTP\/1\.1 400 [^]*"code":"malformed-request"/,
    ],
    [
      'a malformed chunk',
      [`${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
      /^HTTP\/1\.1 400 [^]*"code":"malformed-request"/,
    ],
    ['no host', ['GET /open HTTP/1.1\r\n\r\n'], /^HTTP\/1\.1 400 [^]*"code":"malformed-request"/],
    ['two hosts', ['GET /open HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n'], /^HTTP\/1\.1 400 [^]*two Host headers/],
    [
      'a host that is none',
      ['GET /open HTTP/1.1\r\nHost: x y\r\n\r\n'],
      /^HTTP\/1\.1 400 [^]*"code":"malformed-request"/,
    ],
    [
      'a host with a user',
      ['GET /open HTTP/1.1\r\nHost: user@x\r\n\r\n'],
      /^HTTP\/1\.1 400 [^]*no host with an optional port/,
    ],
    [
      'two credentials',
      [`${HEAD}AUTHORIZATION: Bearer good\r\nContent-Length: 2\r\n\r\n{}`],
      /^HTTP\/1\.1 400 [^]*two Authorization headers/,
    ],
    [
      'a coding before chunked',
      [`${HEAD}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
      /^HTTP\/1\.1 400 [^]*only Transfer-Encoding is chunked/,
    ],
    [
      'chunks in HTTP/1.0',
      [`${HEAD.replace('HTTP/1.1', 'HTTP/1.0')}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
      /^HTTP\/1\.1 400 [^]*only in HTTP\/1\.1/,
    ],
    [
      'an expectation',
      ['GET /open HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n'],
      /^HTTP\/1\.1 417 [^]*"code":"expectation-failed"/,
    ],
    [
      'a second expectation',
      ['GET /open HTTP/1.1\r\nHost: x\r\nExpect: 100-continue, tea\r\n\r\n'],
      /^HTTP\/1\.1 417 [^]*"code":"expectation-failed"/,
    ],
    [
      'a wish for a tunnel',
      ['CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n'],
      /^HTTP\/1\.1 405 [^]*allow: GET[^]*"code":"method-not-allowed"/,
    ],
    [
      'a method that nobody knows',
      ['BREW /open HTTP/1.1\r\nHost: x\r\n\r\n'],
      /^HTTP\/1\.1 400 [^]*"code":"malformed-request"/,
    ],
    [
      'more headers than the limit',
      [`GET /open HTTP/1.1\r\nHost: x\r\n${'X: y\r\n'.repeat(200)}\r\n`],
      /^HTTP\/1\.1 431 [^]*connection: close[^]*At most 200 headers/i,
    ],
    [
      'a body in chunks of one byte, which only ends,',
      [`${HEAD}Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(2000)}`],
      /^$/,
    ],
    [
      'chunk extensions over 16 KiB',
      [`${HEAD}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}\r\n{\r\n0\r\n\r\n`],
      /^HTTP\/1\.1 431 [^]*"code":"headers-too-large"/,
    ],
    ['something else than HTTP', ['hello\r\n\r\n'], /^HTTP\/1\.1 400 [^]*"code":"malformed-request"/],
    [
      'headers over 16 KiB',
      [`GET /open HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`],
      /^HTTP\/1\.1 431 [^]*"code":"headers-too-large"/,
    ],
    [
      'a path over 16 KiB',
      [`GET /${'x'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
      /^HTTP\/1\.1 431 [^]*"code":"headers-too-large"/,
    ],
  ];
  for (const [why, parts, expected] of rows) {
    it(`answers ${why} with a problem and closes`, async () => {
      expect(await app.raw(...parts)).to.match(expected);
    });
  }

  it('reads more bytes than declared as the next request, not as the body', async () => {
    const received = await app.raw(`${HEAD}Content-Length: 2\r\n\r\n{}GARBAGE\r\n\r\n`);
    expect(received).to.match(/^HTTP\/1\.1 200 [^]*"body":"\{\}"/);
  });

  it('lets a caller that waits for 100 Continue keep its body when it has no key', async () => {
    const head = HEAD.replace('Bearer good', 'Bearer wrong');
    const received = await app.raw(`${head}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`);
    expect(received).to.match(/^HTTP\/1\.1 401 /);
  });

  it('refuses another expectation than 100 Continue', async () => {
    const received = await app.raw(`${HEAD}Expect: tea\r\nContent-Length: 2\r\n\r\n{}`);
    expect(received).to.match(/^HTTP\/1\.1 417 [^]*connection: close[^]*"code":"expectation-failed"/i);
  });

  it('asks for the body of a caller that waits for 100 Continue and may go on', async () => {
    const socket = connect(app.port, '127.0.0.1');
    socket.write(`${HEAD}Expect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n`);
    expect(String((await once(socket, 'data'))[0])).to.match(/^HTTP\/1\.1 100 /);
    socket.write('{}');
    expect(String((await once(socket, 'data'))[0])).to.match(/^HTTP\/1\.1 200 /);
    await once(socket, 'close');
  });
});

describe('connections that are slow', () => {
  const HEAD = 'POST /things/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\n';
  const rows: [string, string][] = [
    ['headers that never end', 'GET /open HTTP/1.1\r\nHost: x\r\nX-Slow: '],
    ['a body that never ends', `${HEAD}Content-Length: 100\r\n\r\n{`],
    ['chunks that never end', `${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`],
  ];
  for (const [why, sent] of rows) {
    it(`cuts ${why} after the time limit, with a problem`, async () => {
      const app = await startApp(ROUTES, { limits: { headersTimeoutMs: 40, requestTimeoutMs: 40 } });
      expect(await app.raw(sent)).to.match(/^HTTP\/1\.1 408 [^]*"code":"request-timeout"/);
      await app.close();
    });
  }
});

describe('a connection that sends nothing', () => {
  it('is closed after the time limit without an answer', async () => {
    const app = await startApp(ROUTES, { limits: { headersTimeoutMs: 40, requestTimeoutMs: 40 } });
    expect(await app.raw()).to.equal('');
    await app.close();
  });

  it('is closed after its time between two requests', async () => {
    const app = await startApp(ROUTES, { limits: { keepAliveMs: 40 } });
    expect(await app.raw('GET /open HTTP/1.1\r\nHost: x\r\n\r\n')).to.match(/^HTTP\/1\.1 200 /);
    await app.close();
  });
});

describe('drain', () => {
  it('ends what is in flight, closes idle connections and refuses new ones', async () => {
    const { route, entered, proceed } = gated();
    const app = await startApp([route]);
    const idle = await dial(app.port);
    const silent = once(idle.resume(), 'close');
    const call = app.call('GET', '/gated');
    await entered;
    const drained = app.app.drain(60_000);
    await silent;
    expect(await dial(app.port).catch((error: unknown) => error)).to.have.property('code', 'ECONNREFUSED');
    proceed();
    expect((await call).value).to.deep.equal({ done: true });
    expect(await drained).to.equal(0);
  });

  it('refuses a run on a connection that is still open', async () => {
    const { route, entered, proceed } = gated();
    const app = await startApp([route]);
    const socket = await dial(app.port);
    let received = '';
    socket.on('data', (chunk) => (received += String(chunk)));
    const request = 'GET /gated HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n\r\n';
    socket.write(request);
    await entered;
    const drained = app.app.drain(60_000);
    socket.write(request);
    await new Promise((resolve) => setImmediate(resolve));
    proceed();
    await once(socket, 'close');
    await drained;
    expect(received).to.match(/^HTTP\/1\.1 200 [^]*{"done":true}/);
    expect(received).to.not.match(/200[^]*200 OK/);
  });

  it('starts no run for a request that was sent behind the stop: it is shutting-down', async () => {
    const { route, entered, proceed } = gated();
    let calls = 0;
    const handle: typeof route.handle = (request) => {
      calls += 1;
      return route.handle(request);
    };
    const app = await startApp([{ ...route, handle, sheds: true }]);
    const socket = await dial(app.port);
    const closed = once(socket.resume(), 'close');
    const request = 'GET /gated HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n\r\n';
    socket.write(request);
    await entered;
    const drained = app.app.drain(60_000);
    socket.write(request);
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    proceed();
    await closed;
    await drained;
    expect(calls).to.equal(1);
  });

  it('cuts what is left when the time is over, and says how much', async () => {
    const clock = aClock();
    const { route, entered, proceed } = gated();
    const app = await startApp([route], { clock });
    const call = app.call('GET', '/gated').catch(() => 'cut');
    await entered;
    const drained = app.app.drain(1000);
    clock.wake();
    expect([await drained, await call]).to.deep.equal([1, 'cut']);
    proceed();
  });
});
