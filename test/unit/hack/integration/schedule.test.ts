import { expect } from 'chai';
import type { Part } from '../../../../hack/integration/parts.ts';
import { schedule } from '../../../../hack/integration/schedule.ts';

const part = (name: string, kind: Part['kind']): Part => ({ name, files: [`${name}.test.ts`], kind });

/** Parts that end when they are told to. */
class Runs {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, () => void>();

  readonly run = ({ name }: Part): Promise<void> => {
    this.begun.push(name);
    return new Promise((resolve) => this.#ends.set(name, resolve));
  };

  async end(...names: readonly string[]): Promise<void> {
    for (const name of names) this.#ends.get(name)?.();
    await new Promise(setImmediate);
  }
}

describe('schedule', () => {
  const parts = [
    part('timed-1', 'timed'),
    part('a', 'side-by-side'),
    part('waiting-1', 'waiting'),
    part('waiting-2', 'waiting'),
    part('waiting-3', 'waiting'),
    part('b', 'side-by-side'),
    part('timed-2', 'timed'),
    part('timed-3', 'timed'),
    part('timed-4', 'timed'),
    part('timed-5', 'timed'),
    part('c', 'side-by-side'),
    part('d', 'side-by-side'),
  ];

  it('runs as many side by side as it may beside two that wait, and after all of them those that measure time', async () => {
    const runs = new Runs();
    const all = schedule(parts, 3, runs.run).then(() => true);
    const isDone = (): Promise<boolean> =>
      Promise.race([all, new Promise<boolean>((resolve) => setImmediate(resolve, false))]);
    expect(runs.begun).to.deep.equal(['waiting-1', 'waiting-2', 'a', 'b', 'c']);
    await runs.end('b');
    expect(runs.begun.slice(5)).to.deep.equal(['d']);
    await runs.end('a', 'c');
    expect(runs.begun).to.have.lengthOf(6);
    await runs.end('waiting-1');
    expect(runs.begun.slice(6)).to.deep.equal(['waiting-3']);
    await runs.end('d');
    expect(runs.begun.slice(7)).to.deep.equal(['timed-1', 'timed-2', 'timed-3', 'timed-4']);
    await runs.end('timed-1');
    await runs.end('timed-2', 'timed-3', 'timed-4');
    expect([runs.begun.slice(11), await isDone()]).to.deep.equal([['timed-5'], false]);
    await runs.end('timed-5');
    expect(await isDone()).to.equal(false);
    await runs.end('waiting-2', 'waiting-3');
    expect(await isDone()).to.equal(true);
  });

  it('runs one after the other when it is told so', async () => {
    const runs = new Runs();
    const all = schedule(parts.slice(4, 8), 1, runs.run);
    for (const name of ['b', 'timed-2', 'timed-3', 'waiting-3']) {
      expect(runs.begun.at(-1)).to.equal(name);
      await runs.end(name);
    }
    await all;
    expect(runs.begun).to.have.lengthOf(4);
  });
});
