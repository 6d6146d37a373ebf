import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { ALL, BESIDE, parseNodeCommand, type NodeCommand } from '../../../../hack/node/command-line.ts';

const EVERYTHING = { mocha: [...ALL, '--ignore', 'test/e2e/image-build.test.ts'], beside: BESIDE };

const rows: readonly (readonly [string, NodeCommand])[] = [
  ['up', { kind: 'up' }],
  ['down', { kind: 'down', keep: false }],
  ['down --keep', { kind: 'down', keep: true }],
  ['load', { kind: 'load', archive: undefined }],
  ['load image.tar', { kind: 'load', archive: 'image.tar' }],
  ['run', { kind: 'run', keepUp: false, ...EVERYTHING }],
  ['run --keep-up a.test.ts', { kind: 'run', keepUp: true, mocha: ['a.test.ts'], beside: [] }],
  ['run --grep reboot', { kind: 'run', keepUp: false, mocha: [...ALL, '--grep', 'reboot'], beside: [] }],
  ['up --help', { kind: 'help' }],
  ['', { kind: 'run', keepUp: false, ...EVERYTHING }],
  ['--grep reboot', { kind: 'run', keepUp: false, mocha: [...ALL, '--grep', 'reboot'], beside: [] }],
  ['test/e2e/a.test.ts ./b', { kind: 'run', keepUp: false, mocha: ['test/e2e/a.test.ts', './b'], beside: [] }],
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
    expect([...ALL.slice(0, -1), ...BESIDE].filter((file) => !existsSync(file))).to.deep.equal([]);
  });

  it('names a flag that it does not know', () => {
    const command = parseNodeCommand(['up', '--fast']);
    expect(command.kind).to.equal('wrong');
    expect(JSON.stringify(command)).to.contain('--fast');
  });
});
