import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { limitCpu } from '../../../../adapters/threads/cpu-limit.ts';
import { untilTrue } from '../../../support/wait-for.ts';

/** A thread whose processor time the test sets. */
function aThread(perLookMs: number) {
  const looks: number[] = [];
  const cpuMs = (): Promise<number> => {
    looks.push(looks.length * perLookMs);
    return Promise.resolve(looks.at(-1) ?? 0);
  };
  return { looks, cpuMs };
}

describe('limitCpu', () => {
  it('ends work when its processor time is used up, and once', async () => {
    const usedUp: string[] = [];
    limitCpu(aThread(30), 30, (what) => void usedUp.push(what));
    await untilTrue('it is over', () => usedUp.length > 0);
    await delay(200);
    expect(usedUp).to.deep.equal(['processor']);
  });

  it('looks again while the thread had less of the processor than of the time', async () => {
    const thread = aThread(10);
    let isOver = false;
    limitCpu(thread, 30, () => (isOver = true));
    await untilTrue('it is over', () => isOver);
    expect(thread.looks).to.deep.equal([0, 10, 20, 30]);
  });

  it('ends work that takes five times as long by the clock', async () => {
    const thread = aThread(0);
    const began = performance.now();
    const usedUp: string[] = [];
    limitCpu(thread, 30, (what) => void usedUp.push(what));
    await untilTrue('it is over', () => usedUp.length > 0);
    expect(usedUp).to.deep.equal(['clock']);
    expect(performance.now() - began).to.be.at.least(149);
    const { length } = thread.looks;
    await delay(60);
    expect(thread.looks).to.have.length(length);
  });

  it('samples no thread that has ended', async () => {
    let samples = 0;
    const usedUp: string[] = [];
    const cpuMs = (): Promise<number> => Promise.resolve((samples += 1) > 1 ? Number.NaN : 0);
    const end = limitCpu({ cpuMs }, 30, (what) => void usedUp.push(what));
    await delay(100);
    expect([samples, usedUp]).to.deep.equal([2, []]);
    end();
  });

  it('does nothing after its end', async () => {
    const thread = aThread(30);
    let isOver = false;
    const end = limitCpu(thread, 30, () => (isOver = true));
    end();
    await delay(200);
    expect([isOver, thread.looks]).to.deep.equal([false, [0]]);
  });
});
