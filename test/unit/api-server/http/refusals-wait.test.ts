import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { NO_RATES } from '../../../../api-server/http/request-rates.ts';
import { aClock, startApp, type TestApp } from '../../../support/api-app.ts';
import { echoing, things } from '../../../support/test-routes.ts';
import { untilTrue } from '../../../support/wait-for.ts';

const BURST = 2;
const EVERY_MS = 100;
const HEAD = 'GET /things HTTP/1.1\r\nHost: x\r\n';
const GOOD = `${HEAD}Authorization: Bearer good\r\n\r\n`;

const answerOf = async (socket: Socket): Promise<string> => String((await once(socket, 'data'))[0]);

describe('refusals beyond their rate', () => {
  let app: TestApp;
  let now: number;
  let sockets: Socket[];
  beforeEach(async () => {
    now = 0;
    sockets = [];
    app = await startApp([things, echoing], {
      clock: { ...aClock(), monotonic: () => now },
      rates: { ...NO_RATES, refusals: { perSecond: 1000 / EVERY_MS, burst: BURST } },
    });
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    return app.close();
  });

  async function dial(localAddress = '127.0.0.1'): Promise<Socket> {
    const socket = connect({ host: '127.0.0.1', port: app.port, localAddress });
    sockets.push(socket.on('error', () => undefined));
    await once(socket, 'connect');
    return socket;
  }

  /** Uses up what is sent at once. */
  async function useUp(): Promise<void> {
    for (let at = 0; at < BURST; at += 1) {
      const socket = await dial();
      socket.write(`${HEAD}\r\n`);
      expect(await answerOf(socket)).to.match(/^HTTP\/1\.1 401 /);
    }
  }

  const waiting = (count: number): Promise<void> =>
    untilTrue(`${count} wait`, () => app.app.load().waitingRefusals === count);

  const refused: readonly (readonly [what: string, request: string, status: number])[] = [
    ['without a key', `${HEAD}\r\n`, 401],
    ['with a wrong key', GOOD.replace('good', 'wrong'), 401],
    ['to no route', GOOD.replace('/things', '/nothing'), 404],
    ['by a wrong method', GOOD.replace('GET', 'DELETE'), 405],
  ];
  for (const [what, request, status] of refused) {
    it(`wait: a request ${what}, while others are served`, async () => {
      await useUp();
      const slow = await dial();
      slow.write(request);
      await waiting(1);
      const served = await dial();
      served.write(GOOD);
      expect(await answerOf(served)).to.match(/^HTTP\/1\.1 200 /);
      now += EVERY_MS;
      expect(await answerOf(slow)).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
      await waiting(0);
    });
  }

  it('take turns by address, so that the first one of an address is among the next', async () => {
    await useUp();
    const flood = await Promise.all(Array.from({ length: 3 }, () => dial()));
    for (const [at, socket] of flood.entries()) {
      socket.write(`${HEAD}\r\n`);
      await waiting(at + 1);
    }
    const other = await dial('127.0.0.2');
    other.write(`${HEAD}\r\n`);
    await waiting(4);
    now += 2 * EVERY_MS;
    expect(await answerOf(other)).to.match(/^HTTP\/1\.1 401 /);
    await waiting(2);
  });

  it('let the connection serve its next request, though a body came with the first one', async () => {
    await useUp();
    const socket = await dial();
    const post = HEAD.replace('GET /things', 'POST /things/1');
    socket.write(`${post}Content-Length: 200000\r\nContent-Type: application/json\r\n\r\n${'x'.repeat(200_000)}`);
    await waiting(1);
    now += EVERY_MS;
    expect(await answerOf(socket)).to.match(/^HTTP\/1\.1 401 [^]*Connection: keep-alive/i);
    socket.write(GOOD);
    expect(await answerOf(socket)).to.match(/^HTTP\/1\.1 200 /);
  });

  it('do not wait when the rest of their body is not read: the connection closes after them', async () => {
    await useUp();
    const socket = await dial();
    socket.write(`${HEAD.replace('GET /things', 'POST /things/1')}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`);
    expect(await answerOf(socket)).to.match(/^HTTP\/1\.1 401 [^]*Connection: close/i);
  });

  it('are dropped with their connection', async () => {
    await useUp();
    const socket = await dial();
    socket.write(`${HEAD}\r\n`);
    await waiting(1);
    socket.destroy();
    await waiting(0);
    now += EVERY_MS;
    await untilTrue('the request is observed', () => app.observed.some(({ status }) => status === 499));
    expect(app.observed.map(({ status }) => status)).to.deep.equal([401, 401, 499]);
  });
});
