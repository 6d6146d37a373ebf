import { expect } from 'chai';
import fc from 'fast-check';
import { Readable } from 'node:stream';
import { lineBatches, linesOf, MAX_LINE_BYTES, type LineBatch } from '../../../../cli/verify-lines/line-batches.ts';

async function batchesOf(chunks: Iterable<Uint8Array>): Promise<readonly LineBatch[]> {
  const batches: LineBatch[] = [];
  for await (const batch of lineBatches(Readable.from(chunks))) batches.push(batch);
  return batches;
}

const numbered = (batches: readonly LineBatch[]): readonly (readonly [number, string])[] =>
  batches.flatMap((batch) =>
    [...linesOf(batch)].map(([number, line]) => [number, Buffer.from(line).toString()] as const),
  );

/** What the lines are by definition. */
function expectedLines(text: string): readonly (readonly [number, string])[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line, index) => [index + 1, line] as const);
}

describe('lineBatches', () => {
  const rows: readonly (readonly [why: string, chunks: readonly string[], lines: readonly string[]])[] = [
    ['nothing', [], []],
    ['one line with its end', ['a\n'], ['a']],
    ['one line without its end', ['a'], ['a']],
    ['empty lines', ['\n\na\n\n'], ['', '', 'a', '']],
    ['a line over several chunks', ['a', 'b', 'c\nd'], ['abc', 'd']],
    ['an end in a chunk of its own', ['a', '\n', 'b'], ['a', 'b']],
  ];
  for (const [why, chunks, lines] of rows) {
    it(`splits ${why}`, async () => {
      const found = numbered(await batchesOf(chunks.map((chunk) => Buffer.from(chunk))));
      expect(found).to.deep.equal(lines.map((line, index) => [index + 1, line]));
    });
  }

  it('gives every line once with its number, wherever the chunks end', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(60), { maxLength: 8 }), async (whole, cuts) => {
        const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).toSorted((a, b) => a - b), whole.length];
        const chunks = at.slice(1).map((end, index) => Buffer.from(whole.slice(at[index], end)));
        const batches = await batchesOf(chunks);
        expect(numbered(batches)).to.deep.equal(expectedLines(whole));
        for (const batch of batches) expect([...linesOf(batch)].length).to.equal(batch.count);
      }),
    );
  });

  it('keeps a batch small when the lines are short', async () => {
    const batches = await batchesOf([Buffer.alloc(2000, '\n')]);
    expect(batches.map(({ first, count }) => [first, count])).to.deep.equal([
      [1, 512],
      [513, 512],
      [1025, 512],
      [1537, 464],
    ]);
  });

  it('keeps only the beginning of a line that is too long, and goes on behind it', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    const chunks = [Buffer.from('a\n'), ...Array.from({ length: 20 }, () => chunk), Buffer.from('end\nb\n')];
    const lines = (await batchesOf(chunks)).flatMap((batch) => [...linesOf(batch)]);
    expect(lines.map(([number, line]) => [number, line.length])).to.deep.equal([
      [1, 1],
      [2, MAX_LINE_BYTES + 1 + 'end'.length],
      [3, 1],
    ]);
  });

  it('gives each batch memory of its own, which can be sent away', async () => {
    const chunk = Buffer.from('a\nb');
    const [batch] = await batchesOf([chunk, Buffer.from('\n')]);
    chunk.fill(0);
    expect(Buffer.from(batch?.bytes ?? []).toString()).to.equal('a\n');
    expect(batch?.bytes.buffer.byteLength).to.equal(2);
  });
});
