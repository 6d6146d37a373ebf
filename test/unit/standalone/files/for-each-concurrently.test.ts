import { expect } from 'chai';
import { forEachConcurrently } from '../../../../standalone/files/for-each-concurrently.ts';

describe('forEachConcurrently', () => {
  it('ends with nothing under way, and begins nothing after a failure', async () => {
    const begun: number[] = [];
    const slow = Promise.withResolvers<void>();
    let ended = 0;
    const items = Array.from({ length: 200 }, (_, index) => index);
    const done = forEachConcurrently(items, async (item) => {
      begun.push(item);
      if (item === 5) throw new Error('the disk is full');
      await slow.promise;
      ended += 1;
    }).catch((error: unknown) => `${String(error)}, ${begun.length} begun, ${ended} ended`);
    setImmediate(() => slow.resolve());
    expect(await done).to.equal('Error: the disk is full, 64 begun, 63 ended');
  });
});
