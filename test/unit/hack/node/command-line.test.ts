import { expect } from 'chai';
import { parseWish, type Wish } from '../../../../hack/node/command-line.ts';

const ALL = 'test/e2e/**/*.test.ts';

const rows: readonly (readonly [string, Wish])[] = [
  ['up', { kind: 'up' }],
  ['down', { kind: 'down', keep: false }],
  ['down --keep', { kind: 'down', keep: true }],
  ['load', { kind: 'load', archive: undefined }],
  ['load image.tar', { kind: 'load', archive: 'image.tar' }],
  ['run', { kind: 'run', keepUp: false, mocha: [ALL] }],
  ['run --keep-up a.test.ts', { kind: 'run', keepUp: true, mocha: ['a.test.ts'] }],
  ['run --grep reboot', { kind: 'run', keepUp: false, mocha: [ALL, '--grep', 'reboot'] }],
  ['up --help', { kind: 'help' }],
  ['', { kind: 'wrong', message: 'name one of up, down, load, run' }],
  ['start', { kind: 'wrong', message: 'there is no start: up, down, load, run' }],
  ['up now', { kind: 'wrong', message: 'up takes no now' }],
  ['up --keep', { kind: 'wrong', message: 'up takes no --keep' }],
  ['run --keep', { kind: 'wrong', message: 'run takes no --keep' }],
  ['down --keep-up', { kind: 'wrong', message: 'down takes no --keep-up' }],
  ['load a.tar b.tar', { kind: 'wrong', message: 'load takes one archive' }],
];

describe('command line of the one-node cluster', () => {
  for (const [line, wish] of rows) {
    it(`reads "${line}"`, () => {
      expect(parseWish(line.split(' ').filter((word) => word !== ''))).to.deep.equal(wish);
    });
  }

  it('names a flag that it does not know', () => {
    const wish = parseWish(['up', '--fast']);
    expect(wish.kind).to.equal('wrong');
    expect(JSON.stringify(wish)).to.contain('--fast');
  });
});
