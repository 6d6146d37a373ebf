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

/** Long pieces of 10 ms; each look at a timer ends it. */
function aLongLoop() {
  let now = 0;
  const rests: number[] = [];
  const turns = new LoopTurns({
    now: () => now,
    later: (callback, ms) => {
      rests.push(ms);
      now += ms;
      setImmediate(callback);
    },
  });
  const long = async (share: Share, count: number): Promise<void> => {
    const piece = async (): Promise<void> => {
      await turns.longTurn(share);
      now += 10;
    };
    await Promise.all(Array.from({ length: count }, piece));
    await nextTurn(); // what the last piece made ready has run
  };
  return { turns, rests, long, pass: (ms: number) => void (now += ms) };
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

  it('starts short pieces for half a millisecond in a turn that tenants share, for four in one of a tenant alone', async () => {
    const { start, started, turn } = aLoop({ workMs: 0.25 });
    for (let number = 1; number <= 40; number += 1) void start(A, 'a');
    await nextTurn();
    expect(started.length).to.equal(16);
    void start(B, 'b');
    await turn();
    expect(started.slice(16)).to.have.members(['a', 'b']);
  });

  describe('for long work', () => {
    it('lets a tenant rest while another one has work, and a second longer', async () => {
      const { turns, rests, long, pass } = aLongLoop();
      turns.note('a');
      await long(A, 3);
      expect(rests).to.deep.equal([]);
      await turns.run(B, () => Promise.resolve());
      await long(A, 3);
      expect(rests).to.deep.equal([30, 30]);
      pass(1000);
      await long(A, 3);
      expect(rests).to.deep.equal([30, 30]);
    });

    it('lets it rest as long as another one is seen, though only that one comes', async () => {
      const { turns, rests, long, pass } = aLongLoop();
      turns.note('a');
      for (let second = 0; second < 3; second += 1) {
        pass(1000);
        turns.note('b');
        await long(A, 2);
      }
      expect(rests).to.deep.equal([30, 30, 30]);
    });

    it('has no room for bodies beyond what waits, and again when bytes are given back', async () => {
      const { turns } = aLongLoop();
      const half = 32 * 1024 * 1024;
      const [first, second] = [turns.longBody(A, half), turns.longBody(B, half)];
      expect([turns.longBody(A, 1), turns.longBodyBytes]).to.deep.equal([undefined, 2 * half]);
      (await first)?.();
      expect(turns.longBodyBytes).to.equal(half);
      (await second)?.();
      (await turns.longBody(A, 1))?.();
      expect(turns.longBodyBytes).to.equal(0);
    });

    it('leaves a part of the room to a tenant that comes', async () => {
      const turns = new LoopTurns({ now: () => 0, tenantPct: 75 });
      const mega = 1024 * 1024;
      let taken = 0;
      while (turns.longBody(A, mega) !== undefined) taken += 1;
      expect(taken).to.equal(48);
      expect(turns.longBody(B, mega)).to.not.equal(undefined);
    });
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
