import { expect } from 'chai';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WaitingConnections } from '../../../../adapters/http/waiting-connections.ts';

/** A connection of an address, that was never opened. */
const from = (remoteAddress: string): Socket =>
  Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });

const many = (count: number, address: string): readonly Socket[] => Array.from({ length: count }, () => from(address));

describe('connections that wait for their begin', () => {
  const begun: Socket[] = [];
  const addresses = (): readonly (string | undefined)[] => begun.map(({ remoteAddress }) => remoteAddress);
  const waitingWith = (most?: number): WaitingConnections =>
    new WaitingConnections((socket) => void begun.push(socket), most);
  beforeEach(() => {
    begun.length = 0;
  });

  it('begin in order, the first one at once, then one in a turn of the event loop', async () => {
    const waiting = waitingWith();
    const sockets = many(4, '10.0.0.1');
    for (const socket of sockets) waiting.add(socket);
    for (let turn = 1; turn <= sockets.length; turn += 1) {
      expect(begun).to.deep.equal(sockets.slice(0, turn));
      expect(waiting.size).to.equal(sockets.length - turn);
      await nextTurn();
    }
    expect(begun).to.deep.equal(sockets);
  });

  it('begin one in a turn also when they come one by one', async () => {
    const waiting = waitingWith();
    for (let turn = 1; turn <= 3; turn += 1) {
      for (const socket of many(2, '10.0.0.1')) waiting.add(socket);
      expect(begun).to.have.lengthOf(turn);
      await nextTurn();
    }
  });

  it('begin at once again after a turn in which none came', async () => {
    const waiting = waitingWith();
    waiting.add(from('10.0.0.1'));
    await nextTurn();
    waiting.add(from('10.0.0.2'));
    expect(addresses()).to.deep.equal(['10.0.0.1', '10.0.0.2']);
  });

  it('take turns by address; an IPv6 network of 64 bits is one, in which its addresses take turns', async () => {
    const waiting = waitingWith();
    const [one, other, third] = ['2001:db8::1', '2001:db8::2', '10.0.0.1'] as const;
    for (const socket of [...many(3, one), ...many(2, other), ...many(2, third)]) waiting.add(socket);
    while (waiting.size > 0) await nextTurn();
    expect(addresses()).to.deep.equal([one, one, third, other, third, one, other]);
  });

  it('begin beyond that pace when too many wait', () => {
    const waiting = waitingWith(3);
    const sockets = many(10, '10.0.0.1');
    for (const socket of sockets) waiting.add(socket);
    expect(waiting.size).to.equal(3);
    expect(begun).to.deep.equal(sockets.slice(0, 7));
  });

  it('are closed, and never begin, when nothing more is served', async () => {
    const waiting = waitingWith();
    const sockets = many(3, '10.0.0.1');
    for (const socket of sockets) waiting.add(socket);
    waiting.close();
    await nextTurn();
    expect(begun).to.deep.equal(sockets.slice(0, 1));
    expect(sockets.map(({ destroyed }) => destroyed)).to.deep.equal([false, true, true]);
  });
});
