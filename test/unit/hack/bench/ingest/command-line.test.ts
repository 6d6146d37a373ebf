import { expect } from 'chai';
import { parseCommand } from '../../../../../hack/bench/ingest/command-line.ts';

describe('the command line of npm run bench ingest', () => {
  it('measures every part with the numbers of R16', () => {
    expect(parseCommand(['--folder', '/work'])).to.deep.equal({
      kind: 'measure',
      parts: ['storm', 'backlog', 'rates', 'beside', 'strangers'],
      settings: {
        events: 1_000_000,
        copies: 10,
        rate: 900,
        awaySeconds: 60,
        executions: 200,
        beside: 200,
        rounds: 3,
        seconds: 8,
        strangers: 3000,
      },
      folder: '/work',
      json: undefined,
    });
  });

  it('takes parts, and whole payloads', () => {
    const command = parseCommand(['--part', 'rates', '--part', 'storm', '--events', '1001', '--away', '0']);
    expect(command.kind === 'measure' && [command.parts, command.settings.events]).to.deep.equal([
      ['storm', 'rates'],
      1200,
    ]);
  });

  const refused: readonly (readonly [why: string, args: readonly string[], message: string])[] = [
    [
      'an unknown part',
      ['--part', 'walks'],
      '--part takes one of storm, backlog, rates, beside, strangers, not "walks"',
    ],
    ['too few events', ['--events', '399'], '--events takes a number from 400, not "399"'],
    ['copies that are no number', ['--copies', 'all'], '--copies takes a number from 1, not "all"'],
  ];
  for (const [why, args, message] of refused)
    it(`refuses ${why}`, () => {
      expect(() => parseCommand(args)).to.throw(message);
    });
});
