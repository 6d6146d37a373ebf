import { expect } from 'chai';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newApiKey } from '../../../../core/api-key/format.ts';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type CliServer } from '../../../support/cli-server.ts';
import { aCluster } from '../../../support/kube/a-cluster.ts';

const key = newApiKey((length) => Uint8Array.from({ length }, (_, index) => index));

describe('orb login', () => {
  let cli: TestCli;
  let api: CliServer;
  let status = 200;
  const file = (): string => join(cli.folder, 'config', 'login.json');
  const login = (argv: readonly string[], stdin = `${key.text}\n`): Promise<CliResult> =>
    cli.run(['login', ...argv], { stdin });
  beforeEach(async () => {
    cli = aCli();
    status = 200;
    api = await aServer((request, response, count) => json(status, { items: [] })(request, response, count));
  });
  afterEach(async () => {
    await api.close();
    rmSync(cli.folder, { recursive: true });
  });

  it('stores server and key where only the user reads them, and says so without the key', async () => {
    const { exit, out, err } = await login(['--server', api.url]);
    expect([exit, out]).to.deep.equal([0, '']);
    expect(err).to.include(file()).and.to.include(key.keyId).and.not.to.include(key.text);
    expect(statSync(file()).mode & 0o777).to.equal(0o600);
    expect(api.received[0]?.headers.authorization).to.equal(`Bearer ${key.text}`);
    expect((await cli.run(['receipts', 'list'])).exit).to.equal(0);
    expect(api.received[1]?.headers.authorization).to.equal(`Bearer ${key.text}`);
  });

  it('stores nothing that the server refuses, or that no server answers', async () => {
    status = 401;
    const refused = await login(['--server', api.url]);
    expect([refused.exit, existsSync(file())]).to.deep.equal([2, false]);
    expect(refused.err).to.include('refuses this key');
    await api.close();
    expect([(await login(['--server', api.url])).exit, existsSync(file())]).to.deep.equal([4, false]);
  });

  it('takes a key that may not list receipts: the server knows it', async () => {
    status = 403;
    expect((await login(['--server', api.url])).exit).to.equal(0);
  });

  it('shows what is stored, and forgets it', async () => {
    expect((await login(['--status'])).exit).to.equal(1);
    await login(['--server', api.url]);
    const shown = await login(['--status', '-o', 'json']);
    expect(JSON.parse(shown.out)).to.deep.equal({ server: `${api.url}/`, key: `the API key ${key.keyId}` });
    expect((await login(['--status'])).out)
      .to.include(api.url)
      .and.not.to.include(key.text);
    expect((await login(['--logout'])).err).to.include('removed');
    expect([existsSync(file()), (await login(['--logout'])).exit]).to.deep.equal([false, 0]);
  });

  it('stores which cluster, and no secret, once the kubeconfig has it', async () => {
    const cluster = aCluster();
    const argv = ['login', '--context', 'production', '--kubeconfig', 'here/config', '--as-serviceaccount', 'acme/bot'];
    expect((await cli.run(argv, { openCluster: cluster.open })).exit).to.equal(0);
    expect(JSON.parse(readFileSync(file(), 'utf8'))).to.deep.equal({
      format: 'orb-login/1',
      cluster: true,
      context: 'production',
      kubeconfig: join(process.cwd(), 'here/config'),
      platform_namespace: 'orb-system',
      serviceaccount: 'acme/bot',
    });
    expect((await login(['--status'])).out)
      .to.include('context production')
      .and.to.include('acme/bot');
    expect((await cli.run(['login', '--context', 'nowhere'])).exit).to.equal(2);
  });

  it('stores the context that is current by its name: it may be another one tomorrow', async () => {
    const cluster = aCluster();
    const { err } = await cli.run(['login', '--kubeconfig', '/k'], { openCluster: cluster.open });
    expect(err).to.include('cluster: context production, https://kube.example:6443');
    expect(JSON.parse(readFileSync(file(), 'utf8'))).to.include({ context: 'production', kubeconfig: '/k' });
  });

  it('shows no key that stands where none belongs', async () => {
    const { exit, err } = await login(['--server', api.url, key.text]);
    expect([exit, err.includes(key.text)]).to.deep.equal([64, false]);
  });

  it('says that a damaged file is damaged, wherever it is needed', async () => {
    await login(['--server', api.url]);
    writeFileSync(file(), '{"format":"orb-login/9"}');
    const { exit, err } = await cli.run(['receipts', 'list']);
    expect([exit, err.includes('orb login --logout')]).to.deep.equal([2, true]);
    expect((await login(['--logout'])).exit).to.equal(0);
  });

  const wrong: readonly [string, readonly string[]][] = [
    ['nothing', []],
    ['a server and a cluster', ['--server', 'https://a.example', '--context', 'c']],
    ['a key file for a cluster', ['--context', 'c', '--key-file', 'f']],
    ['two actions at once', ['--status', '--logout']],
  ];
  for (const [why, argv] of wrong) {
    it(`refuses ${why}`, async () => expect((await login(argv)).exit).to.equal(64));
  }
});
