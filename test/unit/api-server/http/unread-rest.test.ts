import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { listenOnLoopback } from '../../../../adapters/process/listen.ts';
import { json } from '../../../../api-server/http/reply.ts';
import { respond, type RespondOptions } from '../../../../api-server/http/respond.ts';
import { untilTrue } from '../../../support/wait-for.ts';

const BODY = 500_000;
const LIMIT = 1_000_000;
const options: RespondOptions = {
  requestId: 'req_1',
  headers: {},
  bodyBytes: LIMIT,
  stallMs: 1000,
  idleMs: 1000,
  hold: () => ({ close: () => undefined }),
  smallChunks: () => undefined,
  closing: false,
};

describe('the part of a body that nobody reads', () => {
  let server: Server;
  let kept: number;
  let chunks: number;
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const ways: readonly (readonly [what: string, bytes: number, isKeptOpen: boolean])[] = [
    ['is read past, and its connection serves the next request', BODY, true],
    ['is dropped until its connection closes, when it is too large', 2 * LIMIT, false],
  ];
  for (const [what, bytes, isKeptOpen] of ways) {
    it(`${what}; its memory is given back at once`, async () => {
      [kept, chunks] = [0, 0];
      server = createServer((request, response) => {
        respond(request, response, json({ refused: true }), options);
        request.on('data', (chunk: Buffer) => {
          chunks += 1;
          kept += chunk.length;
        });
      });
      const socket = connect({ host: '127.0.0.1', port: await listenOnLoopback(server) });
      let received = '';
      socket.on('data', (data) => (received += String(data)));
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`);
      await untilTrue('it is answered', () => received.includes('refused'));
      if (isKeptOpen) {
        socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
        await untilTrue('the next one is answered', () => received.match(/refused/g)?.length === 2);
      } else await untilTrue('it is closed', () => socket.closed);
      socket.destroy();
      expect(chunks).to.be.above(0);
      expect(kept).to.equal(0);
    });
  }
});
