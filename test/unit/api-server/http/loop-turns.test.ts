import { expect } from 'chai';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LoopTurns } from '../../../../api-server/http/loop-turns.ts';
import type { Share } from '../../../../core/fair-share/share.ts';

const A: Share = { tenant: 'a', key: 'key:a' };
const B: Share = { tenant: 'b', key: 'key:b' };

interface Durations {
  /** Of the work itself. */
  readonly workMs: number;
  /** Of what it makes ready, ms. */
  readonly afterMs?: number;
}

const rejects = (): Promise<void> => Promise.reject(new RangeError('no'));
const throws = (): Promise<void> => {
  throw new RangeError('no');
};

/** Turns whose work takes a fixed time, and whose next turn comes when the test says so. */
function aLoop({ workMs, afterMs = 0 }: Durations) {
  let now = 0;
  let next: (() => void) | undefined;
  const turns = new LoopTurns({ now: () => now, nextTurn: (callback) => (next = callback) });
  const started: string[] = [];
  const start = async (share: Share, name: string): Promise<string> => {
    const result = await turns.run(share, () => {
      now += workMs;
      started.push(name);
      return Promise.resolve(name);
    });
    now += afterMs;
    return result;
  };
  /** Until all is done that this turn of the loop starts. */
  const turn = async (): Promise<void> => {
    const callback = next;
    next = undefined;
    callback?.();
    await nextTurn();
  };
  const pass = (ms: number): void => void (now += ms);
  return { turns, started, start, turn, pass };
}

describe('LoopTurns', () => {
  it('starts work at once when the loop is idle', async () => {
    const { start, started, turns } = aLoop({ workMs: 1 });
    const done = start(A, 'a1');
    expect([started, turns.waiting]).to.deep.equal([['a1'], 0]);
    expect(await done).to.equal('a1');
  });

  it('starts no more in one turn than fits, and the rest in the next ones', async () => {
    const { start, started, turn } = aLoop({ workMs: 1 });
    for (let number = 1; number <= 10; number += 1) void start(A, `a${number}`);
    await nextTurn();
    expect(started.length).to.equal(4);
    await turn();
    expect(started.length).to.equal(8);
    await turn();
    expect(started.length).to.equal(10);
  });

  it('gives a tenant that comes later the next turn, however much another one sent', async () => {
    const { start, started, turn } = aLoop({ workMs: 1 });
    for (let number = 1; number <= 1000; number += 1) void start(A, 'a');
    await nextTurn();
    void start(B, 'b');
    await turn();
    expect(started.indexOf('b')).to.be.within(4, 5);
  });

  it('starts a piece of each tenant in one turn while several have work, and more again a second later', async () => {
    const { start, started, turn, pass } = aLoop({ workMs: 1 });
    for (let number = 1; number <= 20; number += 1) void start(A, 'a');
    void start(B, 'b');
    await turn();
    await turn();
    expect(started.join('')).to.equal('aaba');
    pass(1000);
    await turn();
    await turn();
    expect(started.join('')).to.equal('aabaaaaaaaaa');
  });

  it('lets long work rest while another tenant has work, and a second longer', async () => {
    let now = 0;
    const rests: number[] = [];
    const turns = new LoopTurns({
      now: () => now,
      nextTurn: (callback) => void setImmediate(callback),
      later: (callback, ms) => {
        rests.push(ms);
        setImmediate(callback);
      },
    });
    const long = async (share: Share): Promise<void> => {
      await turns.long(share);
      now += 10;
      await nextTurn();
    };
    await long(A);
    expect(rests).to.deep.equal([]);
    await turns.run(B, () => Promise.resolve());
    await long(A);
    now += 1000;
    await long(A);
    expect(rests).to.deep.equal([30]);
  });

  it('lets no later work of the same key overtake what waits', async () => {
    const { start, started, turn } = aLoop({ workMs: 3 });
    for (const name of ['1', '2', '3', '4', '5']) void start(A, name);
    await turn();
    void start(A, '6');
    for (let count = 0; count < 5; count += 1) await turn();
    expect(started.join('')).to.equal('123456');
  });

  it('counts what a piece of work makes ready as its time too', async () => {
    const { start, started, turn } = aLoop({ workMs: 0, afterMs: 3 });
    for (let number = 1; number <= 6; number += 1) void start(A, `a${number}`);
    await nextTurn();
    expect(started.length).to.equal(2);
    await turn();
    expect(started.length).to.equal(4);
  });

  it('passes on how the work ends', async () => {
    const { turns, turn } = aLoop({ workMs: 1 });
    for (let number = 0; number < 4; number += 1) void turns.run(A, () => new Promise<void>(() => undefined));
    const failed = [rejects, throws].map((work) => turns.run(A, work).catch((error: unknown) => error));
    await turn();
    for (const error of await Promise.all(failed)) expect(error).to.be.instanceOf(RangeError);
  });
});
