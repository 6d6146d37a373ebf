import { expect } from 'chai';
import { RoundTeller, type Told, type WaitingRound } from '../../../../api-server/status/round-teller.ts';

const round = (at: number, until: number): WaitingRound => ({ at, until, states: { runtime: 'operational' } });

/** A teller over an API that answers what the test says, one answer after the other; then it takes everything. */
function aTeller(answers: readonly Told[], left: readonly WaitingRound[] = []) {
  const told: (readonly (readonly [number, number])[])[] = [];
  const kept: number[] = [];
  let next = 0;
  const teller = new RoundTeller(
    {
      tell: (rounds) => {
        told.push(rounds.map(({ at, until }) => [at, until]));
        next += 1;
        return Promise.resolve(answers[next - 1] ?? { kind: 'taken' });
      },
      logger: { info: () => undefined, warn: () => undefined },
      atOnce: 2,
      mostWaiting: 4,
      changed: (waiting) => {
        kept.push(waiting.length);
        return Promise.resolve();
      },
    },
    left,
  );
  return { teller, told, kept };
}

const AWAY: Told = { kind: 'away', why: 'timeout' };

describe('RoundTeller', () => {
  it('tells rounds in order, so many at once, also those of an earlier process', async () => {
    const { teller, told } = aTeller([], [round(0, 10), round(10, 20)]);
    await teller.add([round(20, 30)]);
    expect(told).to.deep.equal([
      [
        [0, 10],
        [10, 20],
      ],
      [[20, 30]],
    ]);
    expect(teller.waiting).to.equal(0);
  });

  it('keeps rounds while the API is away, each with the end that it got, and tells them later', async () => {
    const { teller, told, kept } = aTeller([AWAY, AWAY]);
    await teller.add([round(0, 1)]);
    await teller.add([round(0, 10), round(10, 11)]);
    expect([teller.waiting, kept]).to.deep.equal([2, [1, 2]]);
    await teller.add([round(10, 20), round(20, 21)]);
    expect(told.slice(2)).to.deep.equal([
      [
        [0, 10],
        [10, 20],
      ],
      [[20, 21]],
    ]);
    expect(kept.at(-1)).to.equal(0);
  });

  it('drops the oldest rounds when too many wait', async () => {
    const { teller, told } = aTeller([AWAY, AWAY, AWAY]);
    for (const at of [0, 10, 20]) await teller.add([round(at, at + 5), round(at + 5, at + 10)]);
    expect(teller.waiting).to.equal(4);
    await teller.add([]);
    expect(told[3]?.[0]).to.deep.equal([10, 15]);
  });

  it('drops what lies before the end of what is kept, and tells the rest behind it', async () => {
    const { teller, told } = aTeller([{ kind: 'refused', why: 'overlap', last: 15 }], [round(0, 10)]);
    await teller.add([round(10, 20)]);
    expect(told).to.deep.equal([
      [
        [0, 10],
        [10, 20],
      ],
      [[15, 20]],
    ]);
  });

  it('never tells a round for ever that is refused for another reason', async () => {
    const refused: Told = { kind: 'refused', why: 'too-old', last: null };
    const { teller, told } = aTeller([refused]);
    await teller.add([round(0, 10), round(10, 20)]);
    expect(told[1]).to.deep.equal([[10, 20]]);
    expect(teller.waiting).to.equal(0);
  });

  it('tells a round again that got a later end while it was told', async () => {
    const { promise: answered, resolve } = Promise.withResolvers<Told>();
    const told: number[][] = [];
    const teller = new RoundTeller({
      tell: (rounds) => {
        told.push(rounds.map(({ until }) => until));
        return told.length === 1 ? answered : Promise.resolve({ kind: 'taken' });
      },
      logger: { info: () => undefined, warn: () => undefined },
      atOnce: 10,
      mostWaiting: 10,
    });
    const first = teller.add([round(0, 1)]);
    const second = teller.add([round(0, 10), round(10, 11)]);
    resolve({ kind: 'taken' });
    await Promise.all([first, second]);
    expect(told).to.deep.equal([[1], [10, 11]]);
  });
});
