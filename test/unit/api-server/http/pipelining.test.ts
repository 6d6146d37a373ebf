import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { json } from '../../../../api-server/http/reply.ts';
import type { Route } from '../../../../api-server/http/route.ts';
import { startApp } from '../../../support/api-app.ts';
import { aRoute, echoing, gated } from '../../../support/test-routes.ts';

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n\r\n`;

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(
    socket.on('error', () => undefined),
    'connect',
  );
  return socket;
}

/** Also when it closes with an error. */
const closing = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.resume().once('close', () => resolve()));

/** What is received until so many answers are there, or the server closes. */
function answers(socket: Socket, count: number): Promise<string> {
  let received = '';
  return new Promise((resolve) => {
    const onData = (chunk: Buffer): void => {
      received += chunk.toString('latin1');
      if (received.split('HTTP/1.1 ').length > count && received.endsWith('}')) done();
    };
    const done = (): void => {
      socket.off('data', onData).off('close', done);
      resolve(received);
    };
    socket.on('data', onData).once('close', done);
  });
}

/** Counts its calls, and answers with the number: the earlier, the later. */
function counting(): { readonly route: Route; readonly most: () => number } {
  let calls = 0;
  let open = 0;
  let most = 0;
  const handle: Route['handle'] = async () => {
    calls += 1;
    open += 1;
    most = Math.max(most, open);
    const call = calls;
    for (let turn = 30; turn > call; turn -= 1) await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
    return json({ call });
  };
  return { route: aRoute({ path: '/counting', handle }), most: () => most };
}

const LARGE = 8_388_608;
const large = aRoute(
  { path: '/large', scope: 'public', handle: () => Promise.resolve(json({ large: 'x'.repeat(LARGE) })) },
  'large',
);

describe('requests that are pipelined', () => {
  it('are answered in order, one at a time, on a connection that stays', async () => {
    const { route, most } = counting();
    const app = await startApp([route]);
    const socket = await dial(app.port);
    for (const round of [0, 1]) {
      socket.write(get('/counting').repeat(20));
      const received = await answers(socket, 20);
      expect([...received.matchAll(/"call":(\d+)/g)].map(([, call]) => Number(call))).to.deep.equal(
        Array.from({ length: 20 }, (_, index) => 20 * round + index + 1),
      );
    }
    expect(most()).to.equal(1);
    socket.destroy();
    await app.close();
  });

  it('have their bodies read when their turn comes', async () => {
    const { route, entered, proceed } = gated();
    const app = await startApp([route, echoing]);
    const socket = await dial(app.port);
    const body = 'y'.repeat(200_000);
    const head = `Host: x\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    socket.write(get('/gated'));
    socket.write(`POST /things/1 HTTP/1.1\r\n${head}\r\n\r\n${body}`);
    await entered;
    proceed();
    expect(await answers(socket, 2)).to.include(body);
    await app.close();
  });

  it('are read no further than some of them, whatever a client sends that never reads', async () => {
    const { route, entered, proceed, signals } = gated();
    const app = await startApp([route]);
    const socket = await dial(app.port);
    const closed = closing(socket);
    socket.write(get('/gated').repeat(50_000));
    await entered;
    await closed;
    proceed();
    expect(signals.map(({ aborted }) => aborted)).to.deep.equal([true]);
    await app.close();
  });

  it('are parsed no further when their connection is cut', async () => {
    const { route, entered, proceed } = gated();
    const app = await startApp([route]);
    let parsed = 0;
    app.app.server.on('request', () => (parsed += 1));
    const socket = await dial(app.port);
    const closed = closing(socket);
    socket.write(get('/gated').repeat(1000));
    await entered;
    await closed;
    proceed();
    // One that is served, those that may wait, and the one that was too many.
    expect(parsed).to.equal(1 + 64 + 1);
    await app.close();
  });

  it('wait in a number that all connections share', async () => {
    const { route, entered, proceed } = gated();
    const app = await startApp([route], { limits: { waiting: 6 } });
    const sockets = await Promise.all([dial(app.port), dial(app.port)]);
    const closed = sockets.map(closing);
    sockets[0]?.write(get('/gated').repeat(6));
    await entered;
    sockets[1]?.write(get('/gated').repeat(6));
    await Promise.race(closed);
    expect(sockets.map(({ destroyed }) => destroyed)).to.deep.equal([false, true]);
    proceed();
    sockets[0]?.destroy();
    await app.close();
  });
});

const STALL_MS = 800;

/** Takes a large answer in some 130 pieces with a pause after each: longer than STALL_MS in all. */
async function takeSlowly(port: number): Promise<{
  readonly socket: Socket;
  readonly bytes: number;
  readonly ms: number;
  readonly longestPauseMs: number;
}> {
  const socket = await dial(port);
  socket.write(get('/large'));
  await once(socket, 'readable');
  const begun = performance.now();
  let [bytes, longestPauseMs, last] = [0, 0, begun];
  while (bytes < LARGE && !socket.closed) {
    const chunk: unknown = socket.read();
    bytes += Buffer.isBuffer(chunk) ? chunk.length : 0;
    await sleep(10);
    const now = performance.now();
    longestPauseMs = Math.max(longestPauseMs, now - last);
    last = now;
  }
  return { socket, bytes, ms: performance.now() - begun, longestPauseMs };
}

describe('answers that are not read', () => {
  it('end their connection when nothing is taken for the time limit', async () => {
    const app = await startApp([large], { limits: { stallMs: 50 } });
    const socket = await dial(app.port);
    socket.pause().write(get('/large'));
    while (app.observed.length === 0) await sleep(5);
    expect(app.observed.map(({ status }) => status)).to.deep.equal([499]);
    socket.destroy();
    await app.close();
  });

  it('arrive whole when they are taken slowly, and the connection stays', async () => {
    const app = await startApp([large], { limits: { stallMs: STALL_MS } });
    // A machine that stands still makes of a slow client one that takes nothing: then another client tries.
    for (let taken = await takeSlowly(app.port); ; taken = await takeSlowly(app.port)) {
      if (taken.longestPauseMs > STALL_MS / 2) {
        taken.socket.destroy();
        continue;
      }
      expect(taken.socket.closed).to.equal(false);
      expect(taken.bytes).to.be.above(LARGE);
      expect(taken.ms).to.be.above(STALL_MS);
      await sleep(1.2 * STALL_MS);
      taken.socket.write(get('/large'));
      await once(taken.socket, 'readable');
      expect(app.observed.at(-1)?.status).to.equal(200);
      taken.socket.destroy();
      break;
    }
    await app.close();
  });
});
