import { expect } from 'chai';
import { setImmediate as settled } from 'node:timers/promises';
import { LongTurns } from '../../../../api-server/http/long-turns.ts';
import type { Share } from '../../../../core/fair-share/share.ts';

const A: Share = { tenant: 'a', key: 'key:a' };
const B: Share = { tenant: 'b', key: 'key:b' };

/** Turns on a loop whose time, next turn and timers are those of the test. */
function aLoop({ isShared = true, workMs = 10 } = {}) {
  let now = 0;
  let shared = isShared;
  const nextTurns: (() => void)[] = [];
  const timers: { readonly callback: () => void; readonly at: number }[] = [];
  const turns = new LongTurns({
    now: () => now,
    isShared: () => shared,
    nextTurn: (callback) => void nextTurns.push(callback),
    later: (callback, ms) => void timers.push({ callback, at: now + ms }),
  });
  const done: string[] = [];
  const piece = async (share: Share, name: string, ms = workMs): Promise<void> => {
    await turns.turn(share);
    now += ms;
    done.push(name);
  };
  /** Does all that is ready, in as many turns of the loop as it takes. */
  const settle = async (): Promise<void> => {
    await settled();
    for (let callback = nextTurns.shift(); callback !== undefined; callback = nextTurns.shift()) {
      callback();
      await settled();
    }
  };
  const pass = async (ms: number): Promise<void> => {
    now += ms;
    for (const timer of timers.splice(0)) {
      if (timer.at <= now) timer.callback();
      else timers.push(timer);
    }
    await settle();
  };
  return { turns, piece, done, timers, nextTurns, settle, pass, share: (value: boolean) => void (shared = value) };
}

describe('LongTurns', () => {
  it('lets the first piece run at once, and the next one in another turn of the loop', async () => {
    const { turns, piece, done, settle } = aLoop({ isShared: false });
    for (const name of ['a1', 'a2', 'a3']) void piece(A, name);
    await settled();
    expect([done, turns.waiting]).to.deep.equal([['a1'], 2]);
    await settle();
    expect([done, turns.waiting]).to.deep.equal([['a1', 'a2', 'a3'], 0]);
  });

  it('lets a tenant rest three times as long as its piece took, while the loop is shared', async () => {
    const { piece, done, timers, settle, pass } = aLoop({ workMs: 12 });
    for (const name of ['a1', 'a2', 'a3']) void piece(A, name);
    await settle();
    expect([done, timers.map(({ at }) => at)]).to.deep.equal([['a1'], [48]]);
    await pass(35);
    expect(done).to.deep.equal(['a1']);
    await pass(1);
    expect(done).to.deep.equal(['a1', 'a2']);
    await pass(36);
    expect(done).to.deep.equal(['a1', 'a2', 'a3']);
  });

  it('lets it rest no longer than 300 ms after a piece that took very long', async () => {
    const { piece, timers, settle } = aLoop({ workMs: 400 });
    for (const name of ['a1', 'a2']) void piece(A, name);
    await settle();
    expect(timers.map(({ at }) => at)).to.deep.equal([700]);
  });

  it('gives another tenant its piece while one rests', async () => {
    const { piece, done, settle, pass } = aLoop();
    for (const name of ['a1', 'a2', 'a3']) void piece(A, name);
    await settle();
    void piece(B, 'b1', 2);
    await settle();
    expect(done).to.deep.equal(['a1', 'b1']);
    void piece(B, 'b2', 2);
    await settle();
    expect(done).to.deep.equal(['a1', 'b1']);
    await pass(6);
    expect(done).to.deep.equal(['a1', 'b1', 'b2']);
    await pass(24);
    expect(done).to.deep.equal(['a1', 'b1', 'b2', 'a2']);
  });

  it('gives tenants turns, one piece each', async () => {
    const { piece, done, settle } = aLoop({ isShared: false });
    for (const name of ['a1', 'a2', 'a3']) void piece(A, name);
    void piece(B, 'b1');
    await settle();
    expect(done).to.deep.equal(['a1', 'a2', 'b1', 'a3']);
  });

  it('looks after each piece whether the loop is shared', async () => {
    const { piece, done, settle, pass, share } = aLoop({ isShared: false });
    for (const name of ['a1', 'a2', 'a3']) void piece(A, name);
    await settled();
    share(true);
    await settle();
    expect(done).to.deep.equal(['a1', 'a2']);
    await pass(30);
    expect(done).to.deep.equal(['a1', 'a2', 'a3']);
  });

  it('counts what a piece makes ready as its time', async () => {
    let now = 0;
    const rests: number[] = [];
    const turns = new LongTurns({
      now: () => now,
      isShared: () => true,
      nextTurn: (callback) => callback(),
      later: (_, ms) => void rests.push(ms),
    });
    void (async () => {
      await turns.turn(A);
      now += 5;
      await Promise.resolve();
      now += 6;
    })();
    void turns.turn(A);
    await settled();
    expect(rests).to.deep.equal([33]);
  });

  it('starts at once again after it had nothing to do, and keeps no timer', async () => {
    const { piece, done, settle, timers, pass } = aLoop();
    void piece(A, 'a1');
    await settle();
    expect(timers).to.deep.equal([]);
    await pass(30);
    void piece(A, 'a2');
    await settled();
    expect(done).to.deep.equal(['a1', 'a2']);
  });
});
