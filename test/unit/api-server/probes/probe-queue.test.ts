import { expect } from 'chai';
import { ProbeQueue } from '../../../../api-server/probes/probe-queue.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Jobs that last until they are let go. */
class Jobs {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, () => void>();

  readonly job = (name: string) => async (): Promise<void> => {
    this.begun.push(name);
    await new Promise<void>((resolve) => this.#ends.set(name, resolve));
  };

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    await nextTurn();
  }
}

describe('ProbeQueue', () => {
  it('runs so many at once, in the order in which they came', async () => {
    const jobs = new Jobs();
    const queue = new ProbeQueue({ atOnce: 2, perKey: 1 });
    for (const name of ['a', 'b', 'c', 'd']) queue.add(name, jobs.job(name));
    expect(jobs.begun).to.deep.equal(['a', 'b']);
    await jobs.end('b');
    await jobs.end('a');
    expect(jobs.begun).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('drops what waits already, and what runs as often as it may', async () => {
    const jobs = new Jobs();
    const queue = new ProbeQueue({ atOnce: 3, perKey: 2 });
    for (const name of ['1', '2', '3']) queue.add('a', jobs.job(name));
    queue.add('b', jobs.job('b'));
    for (const name of ['c', 'c again']) queue.add('c', jobs.job(name));
    expect(jobs.begun).to.deep.equal(['1', '2', 'b']);
    await jobs.end('1');
    await jobs.end('b');
    expect(jobs.begun).to.deep.equal(['1', '2', 'b', 'c']);
    queue.add('a', jobs.job('4'));
    expect(jobs.begun.at(-1)).to.equal('4');
  });

  it('begins nothing after its end, which waits for what runs', async () => {
    const jobs = new Jobs();
    const queue = new ProbeQueue({ atOnce: 1, perKey: 1 });
    queue.add('a', jobs.job('a'));
    queue.add('b', jobs.job('b'));
    let isOver = false;
    const ended = queue.end().then(() => (isOver = true));
    await nextTurn();
    expect(isOver).to.equal(false);
    await jobs.end('a');
    await ended;
    expect(jobs.begun).to.deep.equal(['a']);
    await queue.end();
  });
});
