import { expect } from 'chai';
import { checkCount, parseVerbArgs } from '../../../../cli/args/parse-args.ts';

const verb = {
  name: 'try',
  usage: 'NAME',
  count: [1, 2] as const,
  flags: [
    { name: 'host', value: 'HOST', repeats: true as const, text: '' },
    { name: 'output', short: 'o', value: 'FORMAT', text: '' },
    { name: 'salt', value: 'SALT', valuesBeginWithDash: true as const, text: '' },
    { name: 'dry-run', text: '' },
  ],
};

const summary = (argv: readonly string[]): unknown => {
  const args = parseVerbArgs(verb, argv);
  return [args.positionals, args.all('host'), args.one('output') ?? null, args.has('dry-run')];
};

const saltOf = (...argv: readonly string[]): string | undefined => parseVerbArgs(verb, argv).one('salt');

describe('parseVerbArgs', () => {
  const accepted: readonly [string, readonly string[], unknown][] = [
    ['nothing', [], [[], [], null, false]],
    ['flags before and behind arguments', ['--dry-run', 'a', '--output', 'json', 'b'], [['a', 'b'], [], 'json', true]],
    ['a short flag, apart and attached', ['-o', 'json'], [[], [], 'json', false]],
    ['a short flag with its value attached', ['-ojson'], [[], [], 'json', false]],
    ['a value behind =', ['--output=json'], [[], [], 'json', false]],
    ['a value that begins with a dash, behind =', ['--output=-x'], [[], [], '-x', false]],
    ['a short flag with its value behind =', ['-o=json'], [[], [], 'json', false]],
    ['a short flag with a value that begins with =', ['-o', '=x'], [[], [], '=x', false]],
    ['a flag that repeats, in order', ['--host', 'b', '--host', 'a'], [[], ['b', 'a'], null, false]],
    ['- as an argument and as a value', ['-', '--host', '-'], [['-'], ['-'], null, false]],
    ['what stands behind --', ['--', '--dry-run'], [['--dry-run'], [], null, false]],
    ['an input that looks like nothing else', ['a:=-5', 'b=--x'], [['a:=-5', 'b=--x'], [], null, false]],
  ];
  for (const [why, argv, expected] of accepted) {
    it(`takes ${why}`, () => expect(summary(argv)).to.deep.equal(expected));
  }

  it('takes a value that begins with a dash, apart, for a flag of such values', () => {
    expect(saltOf('--salt', '-x')).to.equal('-x');
    expect(saltOf('--salt', '--x')).to.equal('--x');
    expect(saltOf('--salt', '-oX', '--dry-run')).to.equal('-oX');
  });

  const refused: readonly [string, readonly string[], string][] = [
    ['an unknown flag, with the near one', ['--outptu', 'x'], 'unknown flag --outptu: did you mean --output?'],
    ['an unknown flag that is near to none', ['--zzzzzzzz'], 'unknown flag --zzzzzzzz'],
    ['an unknown short flag', ['-x'], 'unknown flag -x'],
    ['a missing value', ['--output'], '--output takes a value: --output FORMAT'],
    ['a flag in place of a value', ['--output', '--dry-run'], '--output takes a value: --output FORMAT'],
    ['a dash where a value is needed', ['--output', '-x'], '--output=FORMAT when it begins with -'],
    ['a flag in place of any value', ['--salt', '--dry-run'], '--salt takes a value: --salt SALT'],
    ['a short flag in place of any value', ['--salt', '-o', 'json'], '--salt takes a value: --salt SALT'],
    ['an empty value', ['--output='], '--output takes a value that is not empty: --output FORMAT'],
    ['an empty word as a value', ['--output', ''], '--output takes a value that is not empty'],
    ['an empty value of a short flag', ['-o='], '-o takes a value that is not empty: -o FORMAT'],
    ['a long flag with one dash', ['-output', 'json'], 'unknown flag -output: did you mean --output?'],
    ['a long flag with one dash and a value', ['-host=a'], 'unknown flag -host: did you mean --host?'],
    ['a value where none is taken', ['--dry-run=yes'], '--dry-run takes no value'],
    ['a flag given twice', ['-o', 'json', '--output', 'yaml'], '--output is given twice'],
    ['the name of an inherited member', ['--__proto__', 'x'], 'unknown flag --__proto__'],
  ];
  for (const [why, argv, message] of refused) {
    it(`refuses ${why}`, () =>
      expect(() => parseVerbArgs(verb, argv))
        .to.throw(message)
        .with.property('exit', 64));
  }
});

describe('checkCount', () => {
  const rows: readonly [string, readonly string[], string | undefined][] = [
    ['too few', [], 'an argument is missing: orb try NAME'],
    ['the least', ['a'], undefined],
    ['the most', ['a', 'b'], undefined],
    ['too many', ['a', 'b', 'c', 'd'], 'too many arguments (4, at most 2): orb try NAME'],
  ];
  for (const [why, argv, message] of rows) {
    it(`decides about ${why}`, () => {
      const args = parseVerbArgs(verb, argv);
      if (message === undefined) expect(() => checkCount(verb, args)).not.to.throw();
      else expect(() => checkCount(verb, args)).to.throw(message);
    });
  }
});
