import { expect } from 'chai';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { mostWaiting, WaitingConnections } from '../../../../adapters/http/waiting-connections.ts';

/** A connection of an address, that was never opened. */
const from = (remoteAddress: string): Socket =>
  Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });

const many = (count: number, address = '10.0.0.1'): readonly Socket[] =>
  Array.from({ length: count }, () => from(address));

interface Watched {
  readonly waiting: WaitingConnections;
  readonly begun: readonly Socket[];
  readonly addAll: (sockets: readonly Socket[]) => void;
  /** Lets time pass. */
  readonly pass: (ms: number) => void;
}

function watched(most = 1000): Watched {
  const begun: Socket[] = [];
  let time = 0;
  const waiting = new WaitingConnections({ begin: (socket) => void begun.push(socket), most, now: () => time });
  return {
    waiting,
    begun,
    addAll: (sockets) => {
      for (const socket of sockets) waiting.add(socket);
    },
    pass: (ms) => {
      time += ms;
    },
  };
}

describe('connections that wait for their begin', () => {
  for (const [served, most] of [
    [0, 1024],
    [1, 1],
    [256, 32],
    [257, 33],
    [8192, 1024],
    [100_000, 1024],
  ] as const)
    it(`are ${most} at most where ${served} connections are served`, () => {
      expect(mostWaiting(served)).to.equal(most);
    });

  it('begin in order, the first one at once, then one in a turn of the event loop', async () => {
    const { waiting, begun, addAll } = watched();
    const sockets = many(4);
    addAll(sockets);
    for (let turn = 1; turn <= sockets.length; turn += 1) {
      expect(begun).to.deep.equal(sockets.slice(0, turn));
      expect(waiting.size).to.equal(sockets.length - turn);
      await nextTurn();
    }
    expect(begun).to.deep.equal(sockets);
  });

  it('begin one in a turn also when they come two by two', async () => {
    const { begun, addAll } = watched();
    for (let turn = 1; turn <= 3; turn += 1) {
      addAll(many(2));
      expect(begun).to.have.lengthOf(turn);
      await nextTurn();
    }
  });

  it('begin at once again after a turn in which none came', async () => {
    const { begun, addAll } = watched();
    const [first, later] = [many(1), many(1)];
    addAll(first);
    await nextTurn();
    addAll(later);
    expect(begun).to.deep.equal([...first, ...later]);
  });

  it('begin four in a turn once they have waited for more than 50 ms', async () => {
    const { begun, addAll, pass } = watched();
    addAll(many(8));
    pass(50);
    await nextTurn();
    expect(begun).to.have.lengthOf(2);
    pass(1);
    await nextTurn();
    expect(begun).to.have.lengthOf(6);
    await nextTurn();
    expect(begun).to.have.lengthOf(8);
  });

  it('begin one in a turn again when those that waited for long have begun', async () => {
    const { begun, addAll, pass } = watched();
    addAll(many(3));
    pass(51);
    addAll(many(4));
    await nextTurn();
    expect(begun, 'the two that waited, and the one after them').to.have.lengthOf(4);
    await nextTurn();
    expect(begun).to.have.lengthOf(5);
  });

  it('take turns by address; an IPv6 network of 64 bits is one, in which its addresses take turns', async () => {
    const { waiting, begun, addAll } = watched();
    const [one, other, third] = ['2001:db8::1', '2001:db8::2', '10.0.0.1'] as const;
    addAll([...many(3, one), ...many(2, other), ...many(2, third)]);
    while (waiting.size > 0) await nextTurn();
    const addresses = begun.map(({ remoteAddress }) => remoteAddress);
    expect(addresses).to.deep.equal([one, one, third, other, third, one, other]);
  });

  it('begin beyond that pace when too many wait', () => {
    const { waiting, begun, addAll } = watched(3);
    const sockets = many(10);
    addAll(sockets);
    expect(waiting.size).to.equal(3);
    expect(begun).to.deep.equal(sockets.slice(0, 7));
  });

  it('are closed, and never begin, when nothing more is served', async () => {
    const { waiting, begun, addAll } = watched();
    const sockets = many(3);
    addAll(sockets);
    waiting.close();
    await nextTurn();
    expect(begun).to.deep.equal(sockets.slice(0, 1));
    expect(sockets.map(({ destroyed }) => destroyed)).to.deep.equal([false, true, true]);
  });
});
