import { expect } from 'chai';
import { reasonsOf, runRounds, selectRounds } from '../../../../../hack/bench/execute/disturbance.ts';
import { OverloadedError, type Row } from '../../../../../hack/bench/execute/measurement.ts';
import type { Round } from '../../../../../hack/bench/execute/round.ts';
import { aRound } from '../../../../support/bench-rounds.ts';

const BUSY = { foreignCores: 0.6 };

/** Runs that give the rounds one after the other, and which round was asked for. */
function runner(rows: readonly (Partial<Row> | Error)[]): {
  readonly run: (index: number) => Promise<Round>;
  readonly asked: readonly number[];
} {
  const asked: number[] = [];
  const run = (index: number): Promise<Round> => {
    const own = rows[asked.length];
    asked.push(index);
    if (own === undefined) return Promise.reject(new Error('no more rounds'));
    return own instanceof Error ? Promise.reject(own) : Promise.resolve(aRound(own));
  };
  return { run, asked };
}

describe('a disturbed round', () => {
  const rows: readonly (readonly [why: string, own: Partial<Row>, reasons: readonly string[]])[] = [
    ['is not one with half a core of foreign load', { foreignCores: 0.5 }, []],
    ['has more than half a core of foreign load', BUSY, ['platform, c=32: others used 0.6 cores']],
    ['is not one with CPU a fifth above its median', { serverCpu: 600 }, []],
    ['has CPU far above its median', { serverCpu: 605 }, ['platform, c=32: CPU 21 % off its median']],
    ['has CPU far below its median', { serverCpu: 350 }, ['platform, c=32: CPU -30 % off its median']],
  ];
  for (const [why, own, reasons] of rows)
    it(why, () => {
      const round = aRound(own);
      expect(reasonsOf(round, [aRound(), round, aRound()])).to.deep.equal(reasons);
    });

  it('is repeated once, after all rounds, and the repetition takes its place', async () => {
    const { run, asked } = runner([{ rps: 1 }, { rps: 2, ...BUSY }, { rps: 3 }, { rps: 4 }]);
    const said: string[] = [];
    const judged = await runRounds({ count: 3, run, say: (line) => said.push(line) });
    expect(asked).to.deep.equal([0, 1, 2, 1]);
    expect(said.at(-1)).to.equal('round 2 is disturbed and repeated: platform, c=32: others used 0.6 cores');
    expect(judged.map(({ round, repeated }) => [round?.platform?.[1]?.rps, repeated])).to.deep.equal([
      [1, false],
      [4, true],
      [3, false],
    ]);
    expect(selectRounds(judged)).to.deep.equal({
      rounds: judged.map(({ round }) => round),
      notes: [],
      trusted: true,
    });
  });

  it('is left out when it is disturbed again and most rounds are not', async () => {
    const { run } = runner([{ rps: 1 }, BUSY, { rps: 3 }, BUSY]);
    const { rounds, notes, trusted } = selectRounds(await runRounds({ count: 3, run, say: () => undefined }));
    expect(rounds.map((round) => round.platform?.[1]?.rps)).to.deep.equal([1, 3]);
    expect(trusted).to.equal(true);
    expect(notes).to.deep.equal([
      'DISTURBED round 2, also when repeated: platform, c=32: others used 0.6 cores',
      'The results are of the other 2 rounds.',
    ]);
  });

  it('was refused as overload: it is repeated, and left out when it is refused again', async () => {
    const refused = new OverloadedError('c=32: 2 requests failed');
    const once = await runRounds({ count: 1, run: runner([refused, {}]).run, say: () => undefined });
    expect(selectRounds(once)).to.deep.include({ notes: [], trusted: true });
    const twice = await runRounds({ count: 3, run: runner([refused, {}, {}, refused]).run, say: () => undefined });
    const { rounds, notes } = selectRounds(twice);
    expect(rounds).to.have.length(2);
    expect(notes[0]).to.equal('DISTURBED round 1, also when repeated: c=32: 2 requests failed');
  });

  it('is kept when its repetition is refused as overload', async () => {
    const refused = new OverloadedError('c=32: 2 requests failed');
    const judged = await runRounds({ count: 1, run: runner([BUSY, refused]).run, say: () => undefined });
    expect(judged[0]?.round).to.deep.equal(aRound(BUSY));
    expect(selectRounds(judged)).to.have.property('trusted', false);
  });

  it('is not one that failed otherwise: the benchmark ends', async () => {
    const { run, asked } = runner([{}, new Error('c=32: 1 requests failed: 500')]);
    const failed = runRounds({ count: 3, run, say: () => undefined });
    expect(String(await failed.catch((error: unknown) => error))).to.equal('Error: c=32: 1 requests failed: 500');
    expect(asked).to.deep.equal([0, 1]);
  });

  it('is kept when too few are undisturbed, with a warning', async () => {
    const { run } = runner([BUSY, BUSY, {}, BUSY, BUSY]);
    const { rounds, notes, trusted } = selectRounds(await runRounds({ count: 3, run, say: () => undefined }));
    expect([rounds.length, trusted]).to.deep.equal([3, false]);
    expect(notes.at(-1)).to.match(/^Only 1 of 3 rounds are undisturbed: the results are of all rounds/);
  });
});
