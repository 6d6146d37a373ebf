import { expect } from 'chai';
import { existsSync, rmSync } from 'node:fs';
import { devVerb } from '../../../../cli/dev/dev.ts';
import { parseSettings, standaloneCommandLine } from '../../../../standalone/settings.ts';
import { aCli, type TestCli } from '../../../support/cli-io.ts';

describe('orb dev', () => {
  let cli: TestCli;
  beforeEach(() => (cli = aCli()));
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  it('runs what npm start runs, with every flag, and ends as it ends', async () => {
    const argv = [
      '--listen',
      '127.0.0.1:0',
      '--egress-allow',
      'http://127.0.0.1:1',
      '--egress-allow=http://127.0.0.1:2',
      '--data',
      'x y',
    ];
    const { exit } = await cli.run(['dev', ...argv]);
    expect(exit).to.equal(7);
    const [[file = '', ...args] = []] = cli.started;
    expect(file.endsWith('/standalone/main.ts')).to.equal(true);
    expect(existsSync(file)).to.equal(true);
    expect(args).to.deep.equal([
      '--listen=127.0.0.1:0',
      '--data=x y',
      '--egress-allow=http://127.0.0.1:1',
      '--egress-allow=http://127.0.0.1:2',
    ]);
  });

  it('has the flags of npm start, all of them and no others', () => {
    expect(devVerb.flags).to.deep.equal(standaloneCommandLine('manifests').flags);
  });

  it('passes words that npm start reads as it does itself', async () => {
    await cli.run([
      'dev',
      '--listen',
      '127.0.0.1:81',
      '--issuer',
      'https://orbs.example',
      '--log-level',
      'debug',
      '--egress-ca',
      '-a',
    ]);
    await cli.run(['dev', '--listen', '127.0.0.1:81', '--egress-ca=-a']);
    const [[, ...args] = []] = cli.started;
    expect(parseSettings(args, 'manifests')).to.have.nested.property('settings.egressCa[0]', '-a');
  });

  it('starts nothing for a flag that npm start does not have', async () => {
    const { exit, err } = await cli.run(['dev', '--lisen', '127.0.0.1:0']);
    expect(exit).to.equal(64);
    expect(err).to.include('did you mean --listen?');
    expect(cli.started).to.deep.equal([]);
  });

  for (const argv of [
    ['--egress-allow', 'foo'],
    ['--egress-stub', 'https://a.example'],
  ])
    it(`starts nothing for a value that npm start refuses: ${argv.join(' ')}`, async () => {
      const { exit, err } = await cli.run(['dev', ...argv]);
      expect(exit).to.equal(64);
      expect(err)
        .to.match(new RegExp(`^orb: .*${argv[0] ?? ''}`))
        .and.to.include('orb dev --help');
      expect(cli.started).to.deep.equal([]);
    });
});
