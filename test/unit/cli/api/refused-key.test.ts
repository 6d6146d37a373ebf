import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aCli, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type CliServer } from '../../../support/cli-server.ts';

const REFUSED = json(401, { code: 'unauthenticated', title: 'No valid credentials', status: 401, next: 'Send one.' });

describe('a key that the platform refuses', () => {
  let cli: TestCli;
  let server: CliServer;
  beforeEach(async () => {
    cli = aCli();
    server = await aServer(REFUSED);
  });
  afterEach(async () => {
    await server.close();
    rmSync(cli.folder, { recursive: true });
  });

  const call = (): readonly string[] => ['list', '--server', server.url, '--data', cli.folder];

  it('is named as that of the variable, with the way back to the other one', async () => {
    const env = { ORB_CONFIG_DIR: join(cli.folder, 'config'), ORB_API_KEY: 'an-old-key' };
    const { exit, err } = await cli.run(call(), { env });
    expect(exit).to.equal(2);
    expect(err)
      .to.include(`the key of ORB_API_KEY was sent, and ${new URL(server.url).origin} does not know it`)
      .and.to.include('unset the variable to use that of orb login or npm start')
      .and.not.to.include('an-old-key');
  });

  it('is named by its file', async () => {
    const [stored, named] = [join(cli.folder, 'credentials.json'), join(cli.folder, 'key')];
    writeFileSync(stored, JSON.stringify({ url: server.url, api_key: 'another-old-key' }));
    writeFileSync(named, 'a-third-key');
    const { err } = await cli.run(call());
    expect(err).to.include(`the key of ${stored} was sent`).and.not.to.include('unset the variable');
    const byFlag = await cli.run([...call(), '--key-file', named]);
    expect(byFlag.err).to.include(`the key of ${named} was sent`);
  });
});
