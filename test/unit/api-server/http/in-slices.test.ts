import { expect } from 'chai';
import { inSlices } from '../../../../api-server/http/in-slices.ts';
import type { Steps } from '../../../../core/steps/steps.ts';

/** Steps that each take so much of the processor, ms. */
function* work(count: number, ms: number): Steps<string> {
  for (let step = 0; step < count; step += 1) {
    const until = performance.now() + ms;
    while (performance.now() < until);
    yield;
  }
  return 'done';
}

describe('inSlices', () => {
  it('takes a turn before and after the work, and none between short pieces', async () => {
    const order: string[] = [];
    const turn = async (): Promise<void> => void order.push('turn');
    const said = await inSlices(work(3, 0), turn);
    expect([said, order]).to.deep.equal(['done', ['turn', 'turn']]);
  });

  it('takes a turn after pieces of 5 ms together', async () => {
    let turns = 0;
    await inSlices(work(4, 6), async () => void (turns += 1));
    expect(turns).to.equal(6);
  });

  it('begins no piece before its turn', async () => {
    let isTurn = false;
    let first: boolean | undefined;
    function* noting(): Steps<undefined> {
      first = isTurn;
      yield;
    }
    await inSlices(
      noting(),
      () =>
        new Promise<void>((resolve) => {
          setImmediate(() => {
            isTurn = true;
            resolve();
          });
        }),
    );
    expect(first).to.equal(true);
  });
});
