import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PortListeners } from '../../../../adapters/http/port-listeners.ts';
import { listenOn } from '../../../../adapters/process/listen.ts';

const LOOPBACK = { host: '127.0.0.1', port: 0 };

function acceptedBy(server: Server, then: (socket: Socket) => unknown = () => undefined): ReadonlySet<Socket> {
  const accepted = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    accepted.add(socket);
    then(socket);
  });
  return accepted;
}

/** Turns of the event loop until all of these connections, opened at once, are accepted. Then they are closed. */
async function turnsToAccept(server: Server, port: number, count: number): Promise<number> {
  const accepted = acceptedBy(server, (socket) => socket.on('error', () => undefined).destroy());
  for (let client = 0; client < count; client += 1) connect(port, LOOPBACK.host).on('error', () => undefined);
  let turns = 0;
  for (; accepted.size < count; turns += 1) await nextTurn();
  return turns;
}

describe('the listeners of a port', () => {
  it('accept several connections in a turn of the event loop, where one listener accepts one', async function accept() {
    if (process.platform !== 'linux') this.skip();
    const [many, one] = [createServer(), createServer()];
    const listeners = new PortListeners(many);
    const { port } = await listeners.listen(LOOPBACK);
    const alone = await listenOn(one, LOOPBACK);
    expect(await turnsToAccept(one, alone.port, 300)).to.be.at.least(200);
    expect(await turnsToAccept(many, port, 300)).to.be.at.most(150);
    await listeners.close();
    one.close();
  });

  it('take a port alone: a second program is refused', async () => {
    const listeners = new PortListeners(createServer());
    const taken = await listeners.listen(LOOPBACK);
    for (const second of [() => new PortListeners(createServer()).listen(taken), () => listenOn(createServer(), taken)])
      expect(await second().catch((error: unknown) => error)).to.have.property('code', 'EADDRINUSE');
    await listeners.close();
    const next = new PortListeners(createServer());
    expect(await next.listen(taken)).to.deep.equal(taken);
    await next.close();
  });

  it('accept nothing more once they close, and wait for what is open', async () => {
    const server = createServer();
    const listeners = new PortListeners(server);
    const { port, host } = await listeners.listen(LOOPBACK);
    const accepted = acceptedBy(server);
    const clients = Array.from({ length: 40 }, () => connect(port, host));
    while (accepted.size < clients.length) await nextTurn();
    let isClosed = false;
    const closing = listeners.close().then(() => (isClosed = true));
    const late = connect(port, host);
    expect(await once(late, 'error')).to.have.nested.property('[0].code', 'ECONNREFUSED');
    const [last, ...others] = clients;
    for (const client of others) client.destroy();
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    expect(isClosed).to.equal(false);
    last?.destroy();
    await Promise.all([closing, listeners.close()]);
  });

  it('leave HTTP as it is: every connection gets its answer, and may be half open', async () => {
    const server = createServer((_request, response) => response.end('here'));
    const accepted = acceptedBy(server);
    const listeners = new PortListeners(server);
    const { port, host } = await listeners.listen(LOOPBACK);
    const answers = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const client = connect(port, host).setEncoding('utf8');
        client.end('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
        let text = '';
        for await (const part of client) text += String(part);
        return text.endsWith('here');
      }),
    );
    expect(answers).to.deep.equal(Array.from({ length: 40 }, () => true));
    expect([...accepted].map(({ allowHalfOpen }) => allowHalfOpen)).to.deep.equal(answers);
    await listeners.close();
  });
});
