import { expect } from 'chai';
import { inSlices } from '../../../../adapters/telemetry/exposition.ts';

const LINE = `${'x'.repeat(1023)}\n`;

async function piecesOf(lines: number, stepMs: number): Promise<readonly string[]> {
  let now = 0;
  const monotonic = (): number => {
    now += stepMs;
    return now;
  };
  const all = Array.from({ length: lines }, () => LINE);
  const pieces: string[] = [];
  for await (const piece of inSlices(all, { monotonic })) pieces.push(piece);
  expect(pieces.join('')).to.equal(all.join(''));
  return pieces;
}

describe('inSlices', () => {
  it('ends a piece after 2 ms', async () => {
    expect((await piecesOf(10, 1)).map(({ length }) => length / LINE.length)).to.deep.equal([2, 2, 2, 2, 2, 0]);
  });

  it('ends a piece that is large, however fast it was made: to send it takes longer', async () => {
    expect((await piecesOf(600, 0)).map(({ length }) => length / LINE.length)).to.deep.equal([256, 256, 88]);
  });

  it('makes one piece of what is small and fast', async () => {
    expect(await piecesOf(3, 0)).to.deep.equal([LINE.repeat(3)]);
  });
});
