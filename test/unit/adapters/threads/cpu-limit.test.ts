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
    let times = 0;
    limitCpu(aThread(30), 30, () => (times += 1));
    await untilTrue('it is over', () => times > 0);
    await delay(200);
    expect(times).to.equal(1);
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
    let isOver = false;
    limitCpu(thread, 30, () => (isOver = true));
    await untilTrue('it is over', () => isOver);
    expect(performance.now() - began).to.be.at.least(149);
    const { length } = thread.looks;
    await delay(60);
    expect(thread.looks).to.have.length(length);
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
