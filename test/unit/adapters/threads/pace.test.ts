import { expect } from 'chai';
import { Pace } from '../../../../adapters/threads/pace.ts';
import { SharedCount } from '../../../../adapters/threads/shared-count.ts';

describe('the pace of a thread beside runs', () => {
  let now: number;
  let slept: number[];
  let runs: SharedCount;
  let pace: Pace;
  beforeEach(() => {
    now = 1000;
    slept = [];
    runs = new SharedCount();
    const sleep = (ms: number): Promise<void> => Promise.resolve(void slept.push(ms));
    // Another thread sees the same memory.
    const seen = new SharedCount(runs.memory);
    pace = new Pace(() => seen.read(), { monotonic: () => now, sleep });
  });

  /** A slice of so many ms, in which so many runs began. */
  function work(ms: number, began = 0): Promise<void> | undefined {
    pace.begin();
    now += ms;
    for (let run = 0; run < began; run += 1) runs.add();
    return pace.rest();
  }

  it('never rests while no run begins', () => {
    runs.add();
    pace = new Pace(() => runs.read(), { monotonic: () => now, sleep: () => Promise.reject(new Error('slept')) });
    expect([work(5), work(5000)]).to.deep.equal([undefined, undefined]);
  });

  it('rests three times as long as it worked, until no run began for 250 ms', async () => {
    await work(2, 1);
    await work(1.4);
    now += 200;
    await work(3);
    expect(slept).to.deep.equal([6, 5, 9]);
    now += 100;
    expect([work(3), slept.length]).to.deep.equal([undefined, 3]);
    await work(1, 4);
    expect(slept).to.deep.equal([6, 5, 9, 3]);
  });

  it('rests 50 ms at most', async () => {
    await work(900, 1);
    expect(slept).to.deep.equal([50]);
  });
});
