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
  const rests: { readonly callback: () => void; readonly ms: number }[] = [];
  const turns = new LongTurns({
    now: () => now,
    isShared: () => shared,
    nextTurn: (callback) => void nextTurns.push(callback),
    later: (callback, ms) => void rests.push({ callback, ms }),
  });
  const done: string[] = [];
  const piece = async (share: Share, name: string, ms = workMs): Promise<void> => {
    await turns.turn(share);
    now += ms;
    done.push(name);
  };
  /** Ends the rest, or goes to the next turn of the loop; then all runs that may. */
  const proceed = async (): Promise<void> => {
    const callback = rests.shift()?.callback ?? nextTurns.shift();
    callback?.();
    await settled();
  };
  return { turns, piece, done, rests, nextTurns, proceed, share: (value: boolean) => void (shared = value) };
}

describe('LongTurns', () => {
  it('lets the first piece run at once, and one at a time', async () => {
    const { turns, piece, done } = aLoop();
    for (const name of ['a1', 'a2', 'a3']) void piece(A, name);
    await settled();
    expect([done, turns.waiting]).to.deep.equal([['a1'], 2]);
  });

  it('rests three times as long as a piece took while the loop is shared', async () => {
    const { piece, done, rests, nextTurns, proceed } = aLoop({ workMs: 12 });
    void piece(A, 'a1');
    void piece(A, 'a2');
    await settled();
    expect([rests.map(({ ms }) => ms), nextTurns.length]).to.deep.equal([[36], 0]);
    await proceed();
    expect([done, rests.map(({ ms }) => ms)]).to.deep.equal([['a1', 'a2'], [36]]);
  });

  it('rests no longer than 150 ms after a piece that took very long', async () => {
    const { piece, rests } = aLoop({ workMs: 400 });
    void piece(A, 'a1');
    await settled();
    expect(rests.map(({ ms }) => ms)).to.deep.equal([150]);
  });

  it('leaves one turn of the loop between pieces while a tenant is alone', async () => {
    const { piece, done, rests, nextTurns, proceed } = aLoop({ isShared: false });
    void piece(A, 'a1');
    void piece(A, 'a2');
    await settled();
    expect([done, rests.length, nextTurns.length]).to.deep.equal([['a1'], 0, 1]);
    await proceed();
    expect(done).to.deep.equal(['a1', 'a2']);
  });

  it('looks after each piece whether the loop is shared', async () => {
    const { piece, rests, nextTurns, proceed, share } = aLoop({ isShared: false });
    void piece(A, 'a1');
    void piece(A, 'a2');
    await settled();
    share(true);
    await proceed();
    expect([rests.length, nextTurns.length]).to.deep.equal([1, 0]);
  });

  it('counts what a piece makes ready as its time', async () => {
    let now = 0;
    const rests: number[] = [];
    const turns = new LongTurns({
      now: () => now,
      isShared: () => true,
      nextTurn: () => undefined,
      later: (_, ms) => void rests.push(ms),
    });
    void (async () => {
      await turns.turn(A);
      now += 5;
      await Promise.resolve();
      now += 6;
    })();
    await settled();
    expect(rests).to.deep.equal([33]);
  });

  it('gives tenants turns, one piece each', async () => {
    const { piece, done, proceed } = aLoop();
    for (const name of ['a1', 'a2', 'a3']) void piece(A, name);
    void piece(B, 'b1');
    await settled();
    for (let turn = 0; turn < 3; turn += 1) await proceed();
    expect(done).to.deep.equal(['a1', 'a2', 'b1', 'a3']);
  });

  it('starts at once again after it had nothing to do', async () => {
    const { piece, done, proceed, turns } = aLoop();
    void piece(A, 'a1');
    await settled();
    await proceed();
    expect(turns.waiting).to.equal(0);
    void piece(A, 'a2');
    await settled();
    expect(done).to.deep.equal(['a1', 'a2']);
  });
});
