import { expect } from 'chai';
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { createTlsSessions } from '../../../../adapters/egress/tls.ts';

const ticket = (name: string): Buffer => Buffer.from(`ticket of ${name}`);

const accepted = (sessions: ReturnType<typeof createTlsSessions>, name: string): void => {
  const socket = new TLSSocket(new Socket());
  sessions.follow(name, socket);
  socket.emit('session', ticket(name));
  socket.destroy();
};

describe('TLS sessions', () => {
  it('are kept by the name of their server, the newest of each', () => {
    const sessions = createTlsSessions();
    accepted(sessions, 'a.example');
    accepted(sessions, 'b.example');
    expect(sessions.of('a.example')).to.deep.equal(ticket('a.example'));
    expect(sessions.of('b.example')).to.deep.equal(ticket('b.example'));
    expect(sessions.of('c.example')).to.equal(undefined);
  });

  it('are kept for 256 servers: the oldest goes first', () => {
    const sessions = createTlsSessions();
    const names = Array.from({ length: 258 }, (_, number) => `n${number}.example`);
    for (const name of names) accepted(sessions, name);
    const kept = names.filter((name) => sessions.of(name) !== undefined);
    expect(kept).to.deep.equal(names.slice(2));
  });
});
