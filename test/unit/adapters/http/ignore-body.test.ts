import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { ignoreBody } from '../../../../adapters/http/ignore-body.ts';
import { listenOnLoopback } from '../../../../adapters/process/listen.ts';

const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
/** All of them fit into one piece of 64 KiB. */
const CHUNKS = 5000;
const IGNORED_FROM = 10;

describe('ignoreBody', () => {
  let server: Server;
  let port: number;
  beforeEach(async () => {
    server = createServer();
    port = await listenOnLoopback(server);
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  function send(text: string): Socket {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined).write(text);
    return socket;
  }

  it('ends the chunks of a body that were read already', async () => {
    let seen = 0;
    const ignored = Promise.withResolvers<void>();
    server.on('request', (request: IncomingMessage) => {
      request.on('error', () => undefined);
      request.on('data', () => {
        seen += 1;
        if (seen !== IGNORED_FROM) return;
        ignoreBody(request.socket);
        ignored.resolve();
      });
    });
    send(`${HEAD}${'1\r\nx\r\n'.repeat(CHUNKS)}`);
    await ignored.promise;
    await nextTurn();
    expect(seen).to.equal(IGNORED_FROM);
  });

  it('leaves the bodies of later connections whole, which may have the same parser', async () => {
    const bodies: string[] = [];
    server.on('request', (request: IncomingMessage, response) => {
      let text = '';
      request
        .on('error', () => undefined)
        .on('data', (chunk) => {
          text += String(chunk);
          if (request.url !== '/') return;
          ignoreBody(request.socket);
          request.destroy();
        });
      request.on('end', () => {
        bodies.push(text);
        response.end();
      });
    });
    for (let count = 0; count < 5; count += 1) {
      const cut = send(`${HEAD}1\r\nx\r\n`);
      if (!cut.closed) await once(cut, 'close');
      const whole = send(`${HEAD.replace('/', '/whole')}4\r\nbody\r\n0\r\n\r\n`);
      await once(whole, 'data');
      whole.destroy();
    }
    expect(bodies).to.deep.equal(Array.from({ length: 5 }, () => 'body'));
  });

  it('does nothing to a connection that has no parser', () => {
    expect(() => ignoreBody(connect(port, '127.0.0.1'))).to.not.throw();
  });
});
