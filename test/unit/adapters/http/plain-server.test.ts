import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'chai';
import { createPlainServer } from '../../../../adapters/http/plain-server.ts';
import { listenOnLoopback } from '../../../../adapters/process/listen.ts';

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const rows: [string, string][] = [
  ['requests', GET],
  ['requests without a host', 'GET / HTTP/1.1\r\n\r\n'],
  ['requests with an expectation', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n'],
];

interface Held {
  readonly responses: ServerResponse[];
  /** Writes it and returns what is received until the server closes. */
  readonly converse: (text: string) => Promise<string>;
}

describe('createPlainServer', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  /** Its answers end when the test ends them. */
  async function holding(timeoutMs = 5000): Promise<Held> {
    const responses: ServerResponse[] = [];
    const server = createPlainServer(timeoutMs, (_request, response) => void responses.push(response));
    const port = await listenOnLoopback(server);
    closing.push(() => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    });
    const converse = (text: string): Promise<string> => {
      const socket = connect(port, '127.0.0.1');
      let received = '';
      socket.on('data', (chunk) => (received += String(chunk))).on('error', () => undefined);
      socket.write(text);
      return new Promise((resolve) => socket.once('close', () => resolve(received)));
    };
    return { responses, converse };
  }

  for (const [why, request] of rows) {
    it(`cuts a client that sends many ${why} behind an open answer`, async () => {
      const { responses, converse } = await holding();
      expect(await converse(GET + request.repeat(20_000))).to.equal('');
      expect(responses.length).to.equal(1);
    });
  }

  it('answers a few that are pipelined, in order', async () => {
    const { responses, converse } = await holding();
    const received = converse(GET.repeat(2) + GET.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    for (let count = 1; count <= 3; count += 1) {
      while (responses.length < count) await new Promise((resolve) => setImmediate(resolve));
      expect(responses.length).to.equal(count);
      responses.at(-1)?.end(`answer ${count}`);
    }
    expect([...(await received).matchAll(/answer \d/g)].map(String)).to.deep.equal([
      'answer 1',
      'answer 2',
      'answer 3',
    ]);
  });

  it('ends a connection on which nothing moves', async () => {
    const { converse } = await holding(30);
    expect(await converse(GET)).to.equal('');
  });
});
