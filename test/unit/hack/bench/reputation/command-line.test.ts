import { expect } from 'chai';
import { parseCommand } from '../../../../../hack/bench/reputation/command-line.ts';

describe('the command line of npm run bench reputation', () => {
  it('measures every part with the numbers of the goals', () => {
    const command = parseCommand(['--folder', '/work']);
    expect(command).to.deep.equal({
      kind: 'measure',
      parts: ['runs', 'lists', 'reads', 'publish', 'hostile', 'scores'],
      settings: {
        rounds: 5,
        seconds: 4,
        orbs: 10_000,
        mockCases: 190,
        liveCases: 10,
        scored: 1000,
        receipts: 1_000_000,
      },
      folder: '/work',
      json: undefined,
    });
  });

  it('takes parts and numbers', () => {
    const command = parseCommand(['--only', 'publish,runs', '--rounds', '2', '--mock', '200', '--live', '0']);
    expect(command.kind === 'measure' && [command.parts, command.settings.rounds, command.settings.mockCases]).to.eql([
      ['publish', 'runs'],
      2,
      200,
    ]);
  });

  const refused: readonly (readonly [why: string, args: readonly string[], message: string])[] = [
    ['an unknown part', ['--only', 'runs,walks'], '--only takes runs, lists, reads, publish, hostile, scores'],
    ['no rounds', ['--rounds', '0'], '--rounds takes a number from 1, not "0"'],
    ['seconds that are no number', ['--seconds', 'long'], '--seconds takes a number from 0.1, not "long"'],
    ['more cases than a suite has', ['--mock', '191'], 'a suite has at most 200 cases: lower --mock or --live'],
    ['an unknown option', ['--orb', '1'], "Unknown option '--orb'"],
  ];
  for (const [why, args, message] of refused)
    it(`refuses ${why}`, () => {
      expect(() => parseCommand(args)).to.throw(message);
    });

  it('prints its help', () => {
    expect(parseCommand(['--help', '--only', 'walks'])).to.deep.equal({ kind: 'help' });
  });
});
