import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { listenOnLoopback } from '../../../../adapters/process/listen.ts';
import { readBody, type BodyBounds } from '../../../../api-server/http/body.ts';
import { stopReading } from '../../../../api-server/http/stop-reading.ts';
import { untilTrue } from '../../../support/wait-for.ts';

const BYTES = 4_194_304;
/** The buffers of the system hold less than the body, so the server could read in each of them. */
const TURNS = 200;
const CHUNKED = `100\r\n${'x'.repeat(256)}\r\n`;

const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\n';
const bodies: readonly (readonly [what: string, text: string])[] = [
  ['of a length', `${HEAD}Content-Length: ${BYTES + 1}\r\n\r\n${'x'.repeat(BYTES)}`],
  ['in small chunks', `${HEAD}Transfer-Encoding: chunked\r\n\r\n${CHUNKED.repeat(BYTES / CHUNKED.length)}`],
];

/** Bytes that came after the stop, and bytes that are kept, when the server has had time to read. */
async function laterBytes(request: IncomingMessage, atStop: number): Promise<readonly [read: number, kept: number]> {
  for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
  return [request.socket.bytesRead - atStop, request.readableLength];
}

describe('a request that is not read further', () => {
  let server: Server;
  let port: number;
  let sender: Socket | undefined;
  beforeEach(async () => {
    server = createServer();
    port = await listenOnLoopback(server);
  });
  afterEach(async () => {
    sender?.destroy();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  async function received(text: string): Promise<IncomingMessage> {
    const request = new Promise<IncomingMessage>((resolve) => {
      server.on('request', (incoming: IncomingMessage) => resolve(incoming.on('error', () => undefined)));
    });
    sender = connect({ host: '127.0.0.1', port }).on('error', () => undefined);
    sender.write(text);
    return request;
  }

  for (const [what, text] of bodies) {
    it(`${what} takes no byte more from its connection, and keeps none`, async () => {
      const request = await received(text);
      const atStop = await new Promise<number>((resolve) => {
        request.once('data', () => {
          stopReading(request);
          resolve(request.socket.bytesRead);
        });
      });
      expect(await laterBytes(request, atStop)).to.deep.equal([0, 0]);
      expect(atStop).to.be.below(BYTES);
    });

    for (const held of [0, 200_000, 1_000_000]) {
      it(`${what} stays unread when a bound refuses it after ${held} bytes`, async () => {
        const request = await received(text);
        const atStop = await new Promise<number>((resolve) => {
          const hold: BodyBounds['hold'] = (cut) => {
            let bytes = 0;
            const grow = (more: number): boolean => {
              bytes += more;
              if (bytes <= held) return true;
              resolve(request.socket.bytesRead);
              cut('body-bytes');
              return false;
            };
            return { grow, close: () => undefined };
          };
          void readBody(request, { limitBytes: 2 * BYTES }, { hold, smallChunks: () => undefined });
        });
        expect(await laterBytes(request, atStop)).to.deep.equal([0, 0]);
      });
    }

    it(`${what} that came before anybody read it is dropped`, async () => {
      const request = await received(text);
      await untilTrue('it waits', () => request.readableLength >= request.readableHighWaterMark);
      const atStop = request.socket.bytesRead;
      stopReading(request);
      expect(await laterBytes(request, atStop)).to.deep.equal([0, 0]);
      expect(atStop).to.be.below(BYTES);
    });
  }
});
