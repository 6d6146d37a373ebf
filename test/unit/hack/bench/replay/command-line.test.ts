import { expect } from 'chai';
import { parseCommand } from '../../../../../hack/bench/replay/command-line.ts';

describe('the command line of npm run bench replay', () => {
  it('measures with the numbers of the goals', () => {
    expect(parseCommand(['--folder', '/work'])).to.deep.equal({
      kind: 'measure',
      settings: { receipts: 1_000_000, exact: 100_000, replays: 3, rounds: 3, seconds: 8, rate: 200 },
      ledger: undefined,
      folder: '/work',
      json: undefined,
    });
  });

  it('takes numbers, and the ledger of an earlier run', () => {
    const command = parseCommand(['--receipts', '50000', '--r19', '10000', '--ledger', '/srv/kept']);
    expect(command.kind === 'measure' && [command.settings.receipts, command.settings.exact, command.ledger]).to.eql([
      50_000,
      10_000,
      '/srv/kept',
    ]);
  });

  const refused: readonly (readonly [why: string, args: readonly string[], message: string])[] = [
    ['too few receipts to change some', ['--r19', '999'], '--r19 takes a number from 1000, not "999"'],
    ['no rounds', ['--rounds', '0'], '--rounds takes a number from 1, not "0"'],
    ['seconds that are no number', ['--seconds', 'long'], '--seconds takes a number from 0.1, not "long"'],
    ['an unknown option', ['--receipt', '1000'], "Unknown option '--receipt'"],
  ];
  for (const [why, args, message] of refused)
    it(`refuses ${why}`, () => {
      expect(() => parseCommand(args)).to.throw(message);
    });

  it('prints its help', () => {
    expect(parseCommand(['--help', '--r19', '1'])).to.deep.equal({ kind: 'help' });
  });
});
