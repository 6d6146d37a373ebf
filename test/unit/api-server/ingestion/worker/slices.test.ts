import { expect } from 'chai';
import { Slices } from '../../../../../api-server/ingestion/worker/slices.ts';

/** Work of so many ms in each step, and other work of so many ms in each pause. @returns the steps before each pause */
async function pausesOf(steps: number, stepMs: number, otherMs: (pause: number) => number): Promise<readonly number[]> {
  let now = 0;
  const slices = new Slices({ monotonic: () => now });
  const pauses: number[] = [];
  for (let step = 0; step < steps; step += 1) {
    now += stepMs;
    let isPaused = false;
    const other = setImmediate(() => {
      isPaused = true;
      now += otherMs(pauses.length);
    });
    await slices.rest();
    clearImmediate(other);
    if (isPaused) pauses.push(step);
  }
  return pauses.map((step, index) => step - (pauses[index - 1] ?? -1));
}

describe('slices of the main thread', () => {
  it('are of 4 ms while nothing else wants the thread', async () => {
    expect(await pausesOf(40, 0.5, () => 0)).to.deep.equal([8, 8, 8, 8, 8]);
  });

  it('are of half a millisecond for 50 slices after other work', async () => {
    const found = await pausesOf(75, 0.25, (pause) => (pause === 0 ? 1 : 0));
    expect(found).to.deep.equal([16, ...Array.from({ length: 29 }, () => 2)]);
    const long = await pausesOf(16 + 100 + 32, 0.25, (pause) => (pause === 0 ? 1 : 0));
    expect(long).to.deep.equal([16, ...Array.from({ length: 50 }, () => 2), 16, 16]);
  });
});
