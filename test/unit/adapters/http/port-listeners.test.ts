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

const connected = async (port: number, localAddress: string): Promise<Socket> => {
  const client = connect({ port, host: LOOPBACK.host, localAddress }).on('error', () => undefined);
  await once(client, 'connect');
  return client;
};

/** Turns of the event loop until a connection begins that another address opens after these. Then all are closed. */
async function turnsBehind(server: Server, port: number, count: number): Promise<number> {
  const begun = acceptedBy(server, (socket) => socket.on('error', () => undefined));
  const clients = await Promise.all(Array.from({ length: count }, () => connected(port, '127.0.0.1')));
  const before = begun.size;
  clients.push(await connected(port, '127.0.0.2'));
  let turns = 0;
  for (; ![...begun].some(({ remoteAddress }) => remoteAddress === '127.0.0.2'); turns += 1) await nextTurn();
  for (const socket of [...clients, ...begun]) socket.destroy();
  // No number fits where most had begun already: then nothing was behind them.
  return before > count / 2 ? NaN : turns;
}

describe('the listeners of a port', () => {
  it('let a caller begin soon after 300 connections of another address, where one listener has it wait', async function late() {
    if (process.platform !== 'linux') this.skip();
    const [many, one] = [createServer(), createServer()];
    const listeners = new PortListeners(many);
    const { port } = await listeners.listen(LOOPBACK);
    const alone = await listenOn(one, LOOPBACK);
    expect(await turnsBehind(one, alone.port, 300)).to.be.at.least(100);
    expect(await turnsBehind(many, port, 300)).to.be.at.most(50);
    await listeners.close();
    one.close();
  });

  it('read nothing of a connection before it begins', async () => {
    const server = createServer();
    const listeners = new PortListeners(server);
    const { port, host } = await listeners.listen(LOOPBACK);
    const read: number[] = [];
    acceptedBy(server, ({ bytesRead }) => read.push(bytesRead));
    const clients = Array.from({ length: 100 }, () => connect(port, host));
    for (const client of clients) client.write('GET');
    while (read.length < clients.length) await nextTurn();
    expect(read).to.deep.equal(clients.map(() => 0));
    for (const client of clients) client.destroy();
    await listeners.close();
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

  it('reset what has not begun when they close', async function reset() {
    if (process.platform !== 'linux') this.skip();
    const server = createServer();
    const accepted = acceptedBy(server);
    const listeners = new PortListeners(server);
    const { port } = await listeners.listen(LOOPBACK);
    const clients = await Promise.all(Array.from({ length: 100 }, () => connected(port, LOOPBACK.host)));
    while (listeners.waiting === 0) await nextTurn();
    const closing = listeners.close();
    const ended = clients.map((client) => new Promise((resolve) => client.once('close', resolve).resume()));
    for (const socket of accepted) socket.destroy();
    await Promise.all([closing, ...ended]);
    expect([listeners.waiting, accepted.size < clients.length]).to.deep.equal([0, true]);
  });

  it('do not listen after they were closed meanwhile', async () => {
    const listeners = new PortListeners(createServer());
    const listening = listeners.listen(LOOPBACK).catch((error: unknown) => error);
    await listeners.close();
    expect(await listening)
      .to.be.an('error')
      .that.has.property('message', 'closed while it began to listen');
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
