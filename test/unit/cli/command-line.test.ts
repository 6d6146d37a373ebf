import { expect } from 'chai';
import fc from 'fast-check';
import { rmSync } from 'node:fs';
import { aCli, type TestCli } from '../../support/cli-io.ts';

describe('run', () => {
  let cli: TestCli;
  before(() => (cli = aCli()));
  after(() => rmSync(cli.folder, { recursive: true }));

  const wrong: readonly [string, readonly string[], string][] = [
    ['an unknown verb, with the near one', ['vrify'], 'unknown verb vrify: did you mean verify?'],
    ['an unknown verb that is near to none', ['zzzzzzzzz'], 'orb: unknown verb zzzzzzzzz\n'],
    ['half a verb, with its other halves', ['receipts'], 'needs one of: get, list'],
    ['half a verb with a wrong other half', ['receipts', 'lst'], 'did you mean orb receipts list?'],
    ['an unknown verb that help is asked for', ['help', 'vrify'], 'did you mean verify?'],
    ['an unknown flag', ['run', '--orbist', 'x'], 'unknown flag --orbist: did you mean --orbiset?'],
    ['a missing argument', ['verify'], 'an argument is missing: orb verify'],
    ['control characters, without printing them', ['a\u001b[31mb'], String.raw`unknown verb a\u001b[31mb`],
  ];
  for (const [why, argv, message] of wrong) {
    it(`answers 64 to ${why}`, async () => {
      const { exit, out, err } = await cli.run(argv);
      expect(exit).to.equal(64);
      expect(out).to.equal('');
      expect(err).to.include(message);
    });
  }

  it('answers 64 to nothing, and says what there is', async () => {
    const { exit, out, err } = await cli.run([]);
    expect([exit, out]).to.deep.equal([64, '']);
    expect(err).to.include('receipts list');
  });

  it('prints its version alone', async () => {
    expect(await cli.run(['--version'])).to.deep.equal({ exit: 0, out: '1.2.3\n', err: '' });
  });

  it('answers 2 to a fault of its own, which is no verdict on anything', async () => {
    const broken = {
      isTerminal: false,
      read: () => Promise.reject(new Error('boom')),
      readHidden: () => Promise.reject(new Error('boom')),
    };
    const { exit, out, err } = await cli.run(['validate', '-'], { input: broken });
    expect([exit, out, err]).to.deep.equal([2, '', 'orb: boom\n']);
  });

  it('never rejects and always ends with an exit code of the table', async () => {
    const word = fc.oneof(
      fc.constantFrom('help', 'receipts', 'keys', 'verify', '--help', '-h', '-o', '--json', '-', 'nobody.json'),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 4 }), async (argv) => {
        const { exit } = await cli.run(argv.map((text) => text.replaceAll('/', '')));
        expect(exit).to.be.oneOf([0, 1, 2, 3, 4, 64]);
      }),
    );
  });
});
