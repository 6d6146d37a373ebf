import { expect } from 'chai';
import { parseCommand } from '../../../../../hack/bench/execute/command-line.ts';
import { subjectsOf, type RoundSettings } from '../../../../../hack/bench/execute/round.ts';

describe('bench execute', () => {
  it('reads its options', () => {
    const command = parseCommand(['--rounds', '2', '--against', 'HEAD~1', '--rows', '--folder', '/data']);
    expect(command).to.deep.equal({
      kind: 'full',
      rounds: 2,
      warmSeconds: 8,
      warmRequests: 30_000,
      seconds: 10,
      against: 'HEAD~1',
      rows: true,
      bare: false,
      portkey: true,
      profile: false,
      folder: '/data',
      json: undefined,
    });
    expect(parseCommand(['--short', '--folder', '/data'])).to.deep.equal({ kind: 'short', folder: '/data' });
    expect(parseCommand(['--help']).kind).to.equal('help');
  });

  const refused: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['an unknown option', ['--base', '/other'], /Unknown option '--base'/],
    ['rounds that are no number', ['--rounds', 'many'], /--rounds takes a number from 0, not "many"/],
    ['a load without duration', ['--seconds', '0'], /--seconds takes a number from 0.1/],
    ['--short with another option', ['--short', '--rounds', '2'], /Unknown option '--rounds'/],
  ];
  for (const [why, args, message] of refused)
    it(`refuses ${why}`, () => {
      expect(() => parseCommand(args)).to.throw(message);
    });

  it('lets the two commits take turns in being the first', () => {
    const settings: RoundSettings = {
      warmSeconds: 1,
      warmRequests: 0,
      seconds: 1,
      callers: [32],
      rows: false,
      bare: false,
    };
    const all = { ...settings, against: '/other', portkey: '/portkey' };
    expect(subjectsOf(all, 0)).to.deep.equal(['pass-through', 'platform', 'against', 'portkey']);
    expect(subjectsOf(all, 1)).to.deep.equal(['pass-through', 'against', 'platform', 'portkey']);
    expect(subjectsOf(settings, 1)).to.deep.equal(['pass-through', 'platform']);
    expect(subjectsOf({ ...settings, bare: true }, 1)).to.deep.equal(['pass-through', 'bare-run', 'platform']);
  });
});
