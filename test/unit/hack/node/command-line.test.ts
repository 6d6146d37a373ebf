import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { ALL, parseNodeCommand, type NodeCommand } from '../../../../hack/node/command-line.ts';

const rows: readonly (readonly [string, NodeCommand])[] = [
  ['up', { kind: 'up' }],
  ['down', { kind: 'down', keep: false }],
  ['down --keep', { kind: 'down', keep: true }],
  ['load', { kind: 'load', archive: undefined }],
  ['load image.tar', { kind: 'load', archive: 'image.tar' }],
  ['run', { kind: 'run', keepUp: false, mocha: ALL }],
  ['run --keep-up a.test.ts', { kind: 'run', keepUp: true, mocha: ['a.test.ts'] }],
  ['run --grep reboot', { kind: 'run', keepUp: false, mocha: [...ALL, '--grep', 'reboot'] }],
  ['up --help', { kind: 'help' }],
  ['', { kind: 'run', keepUp: false, mocha: ALL }],
  ['--grep reboot', { kind: 'run', keepUp: false, mocha: [...ALL, '--grep', 'reboot'] }],
  ['test/e2e/a.test.ts ./b', { kind: 'run', keepUp: false, mocha: ['test/e2e/a.test.ts', './b'] }],
  ['--keep', { kind: 'wrong', message: 'run takes no --keep' }],
  ['start', { kind: 'wrong', message: 'there is no start: up, down, load, run' }],
  ['up now', { kind: 'wrong', message: 'up takes no now' }],
  ['up --keep', { kind: 'wrong', message: 'up takes no --keep' }],
  ['run --keep', { kind: 'wrong', message: 'run takes no --keep' }],
  ['down --keep-up', { kind: 'wrong', message: 'down takes no --keep-up' }],
  ['load a.tar b.tar', { kind: 'wrong', message: 'load takes one archive' }],
];

describe('command line of the one-node cluster', () => {
  for (const [line, command] of rows) {
    it(`reads "${line}"`, () => {
      expect(parseNodeCommand(line.split(' ').filter((word) => word !== ''))).to.deep.equal(command);
    });
  }

  it('runs every file, and first those that share a release', () => {
    expect(ALL.at(-1)).to.equal('test/e2e/**/*.test.ts');
    expect(ALL.slice(0, -1).filter((file) => !existsSync(file))).to.deep.equal([]);
  });

  it('names a flag that it does not know', () => {
    const command = parseNodeCommand(['up', '--fast']);
    expect(command.kind).to.equal('wrong');
    expect(JSON.stringify(command)).to.contain('--fast');
  });
});
