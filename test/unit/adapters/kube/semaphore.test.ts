import { expect } from 'chai';
import fc from 'fast-check';
import { createSemaphore } from '../../../../adapters/kube/semaphore.ts';

const never = new AbortController().signal;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Work {
  readonly start: (signal?: AbortSignal) => void;
  /** Ends the oldest work that runs. */
  readonly finish: () => Promise<void>;
  readonly running: () => number;
  readonly most: () => number;
  /** Numbers of what was let in, in order. */
  readonly admitted: readonly number[];
  readonly refused: readonly number[];
}

function works(limit: number): Work {
  const gate = createSemaphore(limit);
  const open: (() => void)[] = [];
  const [admitted, refused]: [number[], number[]] = [[], []];
  let [count, most] = [0, 0];
  return {
    start: (signal = never) => {
      const number = count++;
      gate
        .pass(signal, async () => {
          admitted.push(number);
          await new Promise<void>((resolve) => {
            open.push(resolve);
            most = Math.max(most, open.length);
          });
        })
        .catch(() => refused.push(number));
    },
    finish: async () => {
      open.shift()?.();
      await turn();
    },
    running: () => open.length,
    most: () => most,
    admitted,
    refused,
  };
}

describe('createSemaphore', () => {
  it('lets in so many, and the others in order', async () => {
    const work = works(2);
    for (let index = 0; index < 4; index += 1) work.start();
    await turn();
    expect(work.admitted).to.deep.equal([0, 1]);
    await work.finish();
    expect(work.admitted).to.deep.equal([0, 1, 2]);
  });

  it('never lets in more than so many, whoever comes, goes or gives up', async () => {
    const act = fc.constantFrom('start', 'finish', 'give up');
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(act, { maxLength: 30 }), async (limit, acts) => {
        const work = works(limit);
        const callers: AbortController[] = [];
        for (const one of acts) {
          if (one === 'finish') await work.finish();
          else if (one === 'give up') callers.shift()?.abort();
          else {
            const caller = new AbortController();
            callers.push(caller);
            work.start(caller.signal);
          }
          await turn();
        }
        while (work.running() > 0) await work.finish();
        const started = acts.filter((one) => one === 'start').length;
        expect(work.most()).to.be.at.most(limit);
        expect([...work.admitted, ...work.refused].toSorted((one, other) => one - other)).to.deep.equal(
          Array.from({ length: started }, (_, index) => index),
        );
      }),
    );
  });

  it('gives its place back when the work fails', async () => {
    const gate = createSemaphore(1);
    const failed = await gate.pass(never, () => Promise.reject(new Error('work'))).catch(String);
    expect([failed, await gate.pass(never, async () => 'next')]).to.deep.equal(['Error: work', 'next']);
  });
});
