import { expect } from 'chai';
import { parseNodeCommand, type NodeCommand } from '../../../../hack/node/command-line.ts';
import { ALL, allBut, IMAGE_BUILD, SECOND } from '../../../../hack/node/test-groups.ts';

const ON_TWO = { mocha: allBut([...IMAGE_BUILD, ...SECOND]), beside: IMAGE_BUILD, second: SECOND };
const ON_ONE = { mocha: allBut(IMAGE_BUILD), beside: IMAGE_BUILD, second: [] };

const rows: readonly (readonly [string, NodeCommand])[] = [
  ['up', { kind: 'up' }],
  ['down', { kind: 'down', keep: false }],
  ['down --keep', { kind: 'down', keep: true }],
  ['load', { kind: 'load', archive: undefined }],
  ['load image.tar', { kind: 'load', archive: 'image.tar' }],
  ['run', { kind: 'run', keepUp: false, ...ON_TWO }],
  ['run --keep-up', { kind: 'run', keepUp: true, ...ON_ONE }],
  ['run --keep-up a.test.ts', { kind: 'run', keepUp: true, mocha: ['a.test.ts'], beside: [], second: [] }],
  ['run --grep reboot', { kind: 'run', keepUp: false, mocha: [...ALL, '--grep', 'reboot'], beside: [], second: [] }],
  ['up --help', { kind: 'help' }],
  ['', { kind: 'run', keepUp: false, ...ON_TWO }],
  ['--grep reboot', { kind: 'run', keepUp: false, mocha: [...ALL, '--grep', 'reboot'], beside: [], second: [] }],
  [
    'test/e2e/a.test.ts ./b',
    { kind: 'run', keepUp: false, mocha: ['test/e2e/a.test.ts', './b'], beside: [], second: [] },
  ],
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

  it('names a flag that it does not know', () => {
    const command = parseNodeCommand(['up', '--fast']);
    expect(command.kind).to.equal('wrong');
    expect(JSON.stringify(command)).to.contain('--fast');
  });
});
