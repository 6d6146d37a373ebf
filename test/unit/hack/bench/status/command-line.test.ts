import { expect } from 'chai';
import { parseCommand } from '../../../../../hack/bench/status/command-line.ts';

describe('the command line of npm run bench status', () => {
  it('measures every part as the design of the status says', () => {
    expect(parseCommand(['--folder', '/work'])).to.deep.equal({
      kind: 'measure',
      parts: ['pages', 'prober', 'canary'],
      settings: { rate: 200, seconds: 20, turns: 1, intervalSeconds: 30, rounds: 6, checks: 200, isCompiled: true },
      folder: '/work',
      json: undefined,
    });
  });

  it('takes parts in its own order, and the sources', () => {
    const command = parseCommand(['--part', 'canary', '--part', 'pages', '--sources', '--checks', '9.7']);
    expect(
      command.kind === 'measure' && [command.parts, command.settings.isCompiled, command.settings.checks],
    ).to.deep.equal([['pages', 'canary'], false, 9]);
  });

  const refused: readonly (readonly [why: string, args: readonly string[], message: string])[] = [
    ['an unknown part', ['--part', 'walks'], '--part takes one of pages, prober, canary, not "walks"'],
    ['an interval that the prober refuses', ['--interval', '9'], '--interval takes a number from 10, not "9"'],
    ['no rounds', ['--rounds', '0'], '--rounds takes a number from 1, not "0"'],
  ];
  for (const [why, args, message] of refused)
    it(`refuses ${why}`, () => {
      expect(() => parseCommand(args)).to.throw(message);
    });
});
