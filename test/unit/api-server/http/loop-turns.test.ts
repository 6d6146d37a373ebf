import { expect } from 'chai';
import { LoopTurns } from '../../../../api-server/http/loop-turns.ts';
import type { Share } from '../../../../core/fair-share/share.ts';

const A: Share = { tenant: 'a', key: 'key:a' };
const B: Share = { tenant: 'b', key: 'key:b' };

/** Turns whose work takes a fixed time, and whose next turn comes when the test says so. */
function aLoop(workMs: number) {
  let now = 0;
  let next: (() => void) | undefined;
  const turns = new LoopTurns({ now: () => now, nextTurn: (callback) => (next = callback) });
  const started: string[] = [];
  const start = (share: Share, name: string): Promise<string> =>
    turns.run(share, () => {
      now += workMs;
      started.push(name);
      return Promise.resolve(name);
    });
  const turn = (): void => {
    const callback = next;
    next = undefined;
    callback?.();
  };
  return { turns, started, start, turn };
}

describe('LoopTurns', () => {
  it('starts work at once when the loop is idle', async () => {
    const { start, started, turns } = aLoop(1);
    const done = start(A, 'a1');
    expect([started, turns.waiting]).to.deep.equal([['a1'], 0]);
    expect(await done).to.equal('a1');
  });

  it('starts no more in one turn than fits, and the rest in the next ones', () => {
    const { start, started, turn } = aLoop(1);
    for (let number = 1; number <= 10; number += 1) void start(A, `a${number}`);
    expect(started.length).to.equal(4);
    turn();
    expect(started.length).to.equal(8);
    turn();
    expect(started.length).to.equal(10);
  });

  it('gives a tenant that comes later the next turn, however much another one sent', () => {
    const { start, started, turn } = aLoop(1);
    for (let number = 1; number <= 1000; number += 1) void start(A, 'a');
    void start(B, 'b');
    turn();
    expect(started.indexOf('b')).to.be.within(4, 5);
  });

  it('lets no later work of the same key overtake what waits', () => {
    const { start, started, turn } = aLoop(3);
    for (const name of ['1', '2', '3', '4', '5']) void start(A, name);
    turn();
    void start(A, '6');
    for (let count = 0; count < 5; count += 1) turn();
    expect(started.join('')).to.equal('123456');
  });

  it('passes on how the work ends', async () => {
    const { turns, turn } = aLoop(1);
    for (let number = 0; number < 4; number += 1) void turns.run(A, () => new Promise<void>(() => undefined));
    const failed = turns.run(A, () => Promise.reject(new RangeError('no')));
    turn();
    expect(await failed.catch((error: unknown) => error)).to.be.instanceOf(RangeError);
  });
});
