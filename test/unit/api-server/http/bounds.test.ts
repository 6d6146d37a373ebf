import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import { json } from '../../../../api-server/http/reply.ts';
import type { AppOptions } from '../../../../api-server/http/server.ts';
import type { Refusal } from '../../../../api-server/http/server-limits.ts';
import { parseCidr } from '../../../../core/network/cidr.ts';
import { aCaller, startApp, type TestApp } from '../../../support/api-app.ts';
import { issue, makeCa } from '../../../support/tls.ts';
import { aRoute, echo, echoing, gated } from '../../../support/test-routes.ts';
import { untilTrue } from '../../../support/wait-for.ts';

const open = aRoute({ path: '/open', scope: 'public', handle: echo }, 'open');
const LARGE = 8_388_608;
const large = aRoute(
  { path: '/large', scope: 'public', handle: () => Promise.resolve(json({ large: 'x'.repeat(LARGE) })) },
  'large',
);
const raw = aRoute(
  {
    path: '/raw',
    method: 'post',
    scope: 'source',
    accepts: 'bytes',
    handle: async (request) => json({ kind: (await request.readBody({ limitBytes: 10_000 })).kind }),
  },
  'raw',
);
const leaf = issue(makeCa(), { names: ['localhost'], ips: ['127.0.0.1'] });
const PROXY = parseCidr('127.0.0.1/32');

async function dial(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, localAddress });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

async function dialTls(port: number): Promise<Socket> {
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
}

const GET = 'GET /open HTTP/1.1\r\nHost: x\r\n\r\n';

/** Whether the server still answers on this connection. */
async function isServed(socket: Socket): Promise<boolean> {
  if (socket.destroyed || socket.closed) return false;
  socket.write(GET);
  return Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)]);
}

describe('bounds of a server', () => {
  let app: TestApp;
  let refusals: Refusal[];
  afterEach(() => app.close());

  async function started(limits: AppOptions['limits'], options: Partial<AppOptions> = {}): Promise<void> {
    refusals = [];
    const refused = (refusal: Refusal): void => void refusals.push(refusal);
    app = await startApp([open, echoing, large, raw], { limits: { ...limits }, refused, ...options });
  }

  describe('connections', () => {
    it('of an address: its longest idle one is closed for a new one, and those of others stay', async () => {
      await started({ connectionsPerAddress: 2 });
      const other = await dial(app.port, '127.0.0.2');
      const sockets = [await dial(app.port), await dial(app.port)];
      await untilTrue('all are accepted', () => app.app.load().connections === 3);
      const [oldest] = sockets;
      const closed = once(oldest?.resume() ?? other, 'close');
      sockets.push(await dial(app.port));
      await closed;
      expect(await Promise.all([other, ...sockets].map(isServed))).to.deep.equal([true, false, true, true]);
      expect(refusals).to.deep.equal(['connections-per-address']);
    });

    it('of TLS count before the handshake', async () => {
      refusals = [];
      app = await startApp([open], {
        tls: { cert: leaf.certificate, key: leaf.key },
        limits: { connectionsPerAddress: 2 },
        refused: (refusal) => void refusals.push(refusal),
      });
      const silent = await dial(app.port);
      const first = await dialTls(app.port);
      await untilTrue('both are accepted', () => app.app.load().connections === 2);
      const closed = once(silent.resume(), 'close');
      const second = await dialTls(app.port);
      await closed;
      expect([await isServed(first), await isServed(second)]).to.deep.equal([true, true]);
      const third = await dialTls(app.port);
      expect([await isServed(first), await isServed(second), await isServed(third)]).to.deep.equal([false, true, true]);
      expect(refusals).to.deep.equal(['connections-per-address', 'connections-per-address']);
      for (const socket of [second, third]) socket.destroy();
      await untilTrue('their places are free', () => app.app.load().connections === 0);
    });

    it('of all: one of the address that has most is closed', async () => {
      await started({ connections: 3 });
      const other = await dial(app.port, '127.0.0.2');
      const sockets = [await dial(app.port), await dial(app.port)];
      await untilTrue('all are accepted', () => app.app.load().connections === 3);
      const newcomer = await dial(app.port, '127.0.0.3');
      expect(await Promise.all([other, ...sockets, newcomer].map(isServed))).to.deep.equal([true, false, true, true]);
      expect(refusals).to.deep.equal(['connections']);
    });

    it('with work in progress stay, and a new one is closed', async () => {
      const { route, entered, proceed } = gated();
      refusals = [];
      const refused = (refusal: Refusal): void => void refusals.push(refusal);
      app = await startApp([open, route], { limits: { connectionsPerAddress: 1 }, refused });
      const call = app.call('GET', '/gated');
      await entered;
      const second = await dial(app.port);
      await once(second.resume(), 'close');
      proceed();
      expect((await call).status).to.equal(200);
      expect(refusals).to.deep.equal(['connections-per-address']);
    });

    const unbounded: readonly (readonly [why: string, options: Partial<AppOptions>])[] = [
      ['of a named proxy', { trustedProxies: PROXY === undefined ? [] : [PROXY] }],
      ['behind a proxy that is not named', { isBehindProxy: true }],
    ];
    for (const [why, options] of unbounded) {
      it(`${why} are those of many callers, so no bound for an address counts`, async () => {
        await started({ connectionsPerAddress: 1, partBytesPerAddress: 1 }, options);
        const sockets = [await dial(app.port), await dial(app.port), await dial(app.port)];
        expect(await Promise.all(sockets.map(isServed))).to.deep.equal([true, true, true]);
        sockets[0]?.write('POST /raw HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n12345');
        await untilTrue('it is counted', () => app.app.load().bodyBytes === 5);
        expect(refusals).to.deep.equal([]);
      });
    }
  });

  const HEAD = 'POST /things/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\n';
  const half = (bytes: number, head = HEAD): string =>
    `${head}Content-Length: ${bytes + 1}\r\n\r\n${'x'.repeat(bytes)}`;

  const from = (address: string): string =>
    half(1000, `POST /raw HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n`);

  describe('half-sent bodies', () => {
    it('of a key: the one beyond the bound is refused, and the others may go on', async () => {
      await started({ partBytesPerKey: 1500 });
      const first = await dial(app.port);
      first.write(half(1000));
      await untilTrue('it is counted', () => app.app.load().bodyBytes === 1000);
      expect(await app.raw(half(1000))).to.match(
        /^HTTP\/1\.1 503 [^]*connection: close[^]*"code":"overloaded"[^]*-per-key/i,
      );
      first.write('y');
      expect(String((await once(first, 'data'))[0])).to.match(/^HTTP\/1\.1 200 /);
      await untilTrue('nothing is held', () => app.app.load().bodyBytes === 0);
      expect(refusals).to.deep.equal(['body-bytes-per-key']);
      first.destroy();
    });

    it('of a key are those of that key, whatever its address', async () => {
      await started(
        { partBytesPerKey: 1500 },
        { authenticate: (header) => ({ kind: 'ok', caller: aCaller({ id: header ?? '' }) }) },
      );
      for (const key of ['one', 'two']) (await dial(app.port)).write(half(1000, HEAD.replace('Bearer good', key)));
      await untilTrue('both are held', () => app.app.load().bodyBytes === 2000);
      expect(await app.raw(half(1000, HEAD.replace('Bearer good', 'one')))).to.match(/-per-key/);
    });

    it('of an address count for senders without key, and the named proxy says whose they are', async () => {
      await started({ partBytesPerAddress: 1500 }, { trustedProxies: PROXY === undefined ? [] : [PROXY] });
      for (const address of ['192.0.2.1', '192.0.2.2']) (await dial(app.port)).write(from(address));
      await untilTrue('both are held', () => app.app.load().bodyBytes === 2000);
      const third = await dial(app.port);
      third.write(from('192.0.2.1'));
      expect(String((await once(third, 'data'))[0])).to.match(/"kind":"no-room"/);
      expect(refusals).to.deep.equal(['body-bytes-per-address']);
    });

    it('that came before they were read are refused for that bound, not for the rest of them', async () => {
      const { route, entered, proceed } = gated();
      const late = aRoute(
        {
          path: '/late',
          method: 'post',
          scope: 'source',
          accepts: 'bytes',
          handle: async (request) => {
            await route.handle(request);
            return json({ kind: (await request.readBody({ limitBytes: 10_000 })).kind });
          },
        },
        'late',
      );
      refusals = [];
      app = await startApp([late], {
        limits: { partBytesPerAddress: 1500 },
        refused: (one) => void refusals.push(one),
      });
      const socket = await dial(app.port);
      const chunk = `fa0\r\n${'x'.repeat(4000)}\r\n`;
      socket.write(`POST /late HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(4)}`);
      await entered;
      await nextTurn(); // what came with the head is parsed in the turn that began the request
      proceed();
      expect(String((await once(socket, 'data'))[0])).to.match(/"kind":"no-room"/);
      expect(refusals).to.deep.equal(['body-bytes-per-address']);
      expect(app.app.load().bodyBytes).to.equal(0);
      socket.destroy();
    });

    it('of all: the oldest of the key that holds most is refused', async () => {
      await started(
        { partBytes: 2500 },
        { authenticate: (header) => ({ kind: 'ok', caller: aCaller({ id: header ?? '' }) }) },
      );
      const sockets: Socket[] = [];
      for (const key of ['large', 'large', 'small']) {
        const socket = await dial(app.port);
        socket.write(half(key === 'large' ? 1000 : 600, HEAD.replace('Bearer good', key)));
        await untilTrue('it was counted', () => app.app.load().bodyBytes >= 1000 * sockets.length);
        sockets.push(socket);
      }
      const [oldest, second, small] = sockets;
      expect(String((await once(oldest ?? app.app.server, 'data'))[0])).to.match(
        /^HTTP\/1\.1 503 [^]*--max-body-bytes\)/,
      );
      for (const socket of [second, small]) {
        socket?.write('y');
        expect(String((await once(socket ?? app.app.server, 'data'))[0])).to.match(/^HTTP\/1\.1 200 /);
      }
      expect(refusals).to.deep.equal(['body-bytes']);
    });

    it('are counted no longer when their caller goes away', async () => {
      await started({});
      const socket = await dial(app.port);
      socket.write(half(1000));
      await untilTrue('it is counted', () => app.app.load().bodyBytes === 1000);
      socket.destroy();
      await untilTrue('nothing is held', () => app.app.load().bodyBytes === 0);
      expect(refusals).to.deep.equal([]);
    });
  });

  describe('bodies in chunks of one byte', () => {
    const tiny = `Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(5000)}`;

    it('are cut and counted', async () => {
      await started({});
      expect(await app.raw(`${HEAD}${tiny}`)).to.equal('');
      expect(refusals).to.deep.equal(['body-chunks']);
    });

    it('are cut also when the request was refused, and are only read past', async () => {
      await started({});
      const socket = await dial(app.port);
      socket.resume().write(`${HEAD.replace('good', 'wrong')}${tiny}`);
      if (!socket.closed) await once(socket, 'close');
      expect(refusals).to.deep.equal(['body-chunks']);
    });
  });

  it('cut the connection that holds the oldest unread answer when there are too many', async () => {
    await started({ unreadBytes: 15_000_000 });
    const REQUEST = 'GET /large HTTP/1.1\r\nHost: x\r\n\r\n';
    const sockets = [await dial(app.port), await dial(app.port), await dial(app.port), await dial(app.port)];
    const [first] = sockets;
    const cut = once(first ?? app.app.server, 'close');
    for (const socket of sockets) socket.pause().write(REQUEST);
    await untilTrue('answers wait', () => app.app.load().unreadBytes > 0);
    await untilTrue('one is cut', () => refusals.includes('unread-bytes'));
    expect(app.app.load().unreadBytes).to.be.within(1, 15_000_000);
    for (const socket of sockets) socket.destroy();
    await cut;
    await untilTrue('nothing is held', () => app.app.load().unreadBytes === 0);
  });
});
