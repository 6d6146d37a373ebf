import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { helpOf, optionsOf } from '../../../../hack/mutate/options.ts';
import { placedIn } from '../../../../hack/mutate/placed.ts';
import { readFates, resultOf, summaryOf, writeResults } from '../../../../hack/mutate/result.ts';

const FATES = new Map([
  ['a', 'killed'],
  ['b', 'timed out'],
  ['c', 'survived'],
  ['d', 'equal'],
  ['e', 'killed'],
] as const);

describe('the result of changes that were tried', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orb-mutate-'));
  after(() => rmSync(folder, { recursive: true }));

  it('counts time limits apart, and no change that alters nothing', () => {
    const result = resultOf('core/a', 19, FATES);
    expect(summaryOf(result, 40)).to.equal(
      'core/a: 5 of 40 changes, 2 killed by a failure, 1 timed out, 1 equal, 1 survived: 75.0 %',
    );
  });

  it('is taken up again: what survived or was not tried is tried', () => {
    const file = join(folder, 'result.json');
    writeResults(file, [resultOf('core/a', 19, FATES), resultOf('core/b', 19, new Map([['x', 'killed']]))]);
    const known = readFates(file);
    expect(['a', 'b', 'c', 'd', 'x', 'y'].map(known)).to.deep.equal([
      'killed',
      'timed out',
      undefined,
      'equal',
      'killed',
      undefined,
    ]);
    expect(readFates(undefined)('a')).to.equal(undefined);
  });
});

describe('the changes of a file', () => {
  it('have names of their own, also where a line has one change twice', () => {
    const names = placedIn('core/reputation/derive.ts').map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    expect(names.filter((name) => name.endsWith(' #2'))).not.to.deep.equal([]);
  });
});

describe('the options of npm run mutate', () => {
  it('have defaults, and say what is wrong by the help text', () => {
    expect(optionsOf(['redaction', 'core/run/'])).to.deep.equal({
      places: ['redaction', 'core/run'],
      seed: 1,
      count: 200,
      minutes: 600,
      file: '',
      json: undefined,
      again: undefined,
      pauseWhile: '',
      near: false,
    });
    for (const args of [[], ['--help'], ['a', '--seed', 'x'], ['a', '--count', '0'], ['a', '--minutes', '1.5']])
      expect(optionsOf(args)).to.equal(undefined);
    expect(helpOf(['redaction'])).to.match(/one of: redaction/);
  });
});
