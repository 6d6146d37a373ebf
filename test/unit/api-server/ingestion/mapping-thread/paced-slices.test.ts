import { expect } from 'chai';
import { Pace } from '../../../../../adapters/threads/pace.ts';
import { PacedSlices } from '../../../../../api-server/ingestion/mapping-thread/paced-slices.ts';

describe('slices of the thread that maps', () => {
  let now: number;
  let runs: number;
  let slept: number[];
  let slices: PacedSlices;
  beforeEach(() => {
    now = 0;
    runs = 0;
    slept = [];
    const sleep = (ms: number): Promise<void> => {
      slept.push(ms);
      now += ms;
      return Promise.resolve();
    };
    const clock = { monotonic: () => now, sleep };
    slices = new PacedSlices(new Pace(() => runs, clock), clock);
    slices.begin();
  });

  /** Pieces of half a millisecond, with a run at each of them. */
  async function pieces(count: number, runsOfEach: number): Promise<void> {
    for (let piece = 0; piece < count; piece += 1) {
      now += 0.5;
      runs += runsOfEach;
      await slices.rest();
    }
  }

  it('rest for three times of each 2 ms while runs begin', async () => {
    await pieces(12, 1);
    expect(slept).to.deep.equal([6, 6, 6]);
  });

  it('never rest without runs', async () => {
    await pieces(100, 0);
    expect(slept).to.deep.equal([]);
  });

  it('do not count the time before work came', async () => {
    await pieces(4, 1);
    now += 200;
    slices.begin();
    await pieces(4, 1);
    expect(slept).to.deep.equal([6, 6]);
  });

  it('leave a quarter of the time to mapping, however many runs begin', async () => {
    const began = now;
    await pieces(1000, 50);
    expect(500 / (now - began)).to.equal(0.25);
  });
});
