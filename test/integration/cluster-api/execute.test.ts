import { expect } from 'chai';
import { LOG_HEAD_NAME } from '../../../adapters/log-head/config-map-head-store.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { startApi, type ApiProcess, type ApiReply } from '../../support/api-process.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import { apiKeySecret, orb, orbiset, secret, vaultReader } from '../../support/cluster-objects.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';

const hasNoSecret = (object: object): boolean => JSON.stringify(object).includes('SecretNotFound');

describe('the API on a cluster', function suite() {
  this.timeout(60_000);
  let plane: ControlPlane;
  let api: ApiProcess;
  let provider: TestProvider;
  let team: TestNamespace;
  const owner = apiKeySecret(['h5-team']);
  const url = (path: string): string => `http://127.0.0.1:${provider.port}${path}`;
  const execute = (orbId: string, set = 'support'): Promise<ApiReply> => api.execute(owner.key, set, orbId);
  /** The first answer that is as wanted, with the time it took; undefined when there is none within `ms`. */
  const until = async (
    wanted: (reply: ApiReply) => boolean,
    orbId: string,
    { ms = 5000, set = 'support' }: { readonly ms?: number; readonly set?: string } = {},
  ): Promise<ApiReply | undefined> =>
    waitFor(async () => {
      const reply = await execute(orbId, set);
      return wanted(reply) ? reply : undefined;
    }, ms);
  const sentTokens = (): readonly (string | undefined)[] => provider.seen.map(({ headers }) => headers.authorization);

  const paths = (): readonly string[] => provider.seen.map((seen) => seen.url);
  // The head of the log is kept by the clock, whoever asks for what.
  const calls = (): number =>
    api.proxy.journal.requests.filter(({ verb, name }) => verb !== 'watch' && name !== LOG_HEAD_NAME).length;

  before(async () => {
    plane = await sharedControlPlane();
    provider = await startProvider();
    team = await testNamespace(plane, 'h5-team');
    await kubectlOk(plane, ['apply', '-f', '-'], JSON.stringify(owner.document));
    api = await startApi(plane, ['--egress-allow', `http://127.0.0.1:${provider.port}`]);
  });
  after(async () => {
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'secret', owner.name, '--ignore-not-found']);
    await team.remove();
    await provider.close();
    expect(await api.stop()).to.equal(0);
  });

  it('executes an Orb that was applied by kubectl, and says what its vault lacks until it may read it', async () => {
    await team.apply(
      orb('echo', 'acme.echo@1.0.0', { url: url('/ok'), secret: 'TOKEN' }),
      orbiset('support', ['mail']),
      secret('mail', { TOKEN: 'value-of-the-first-version' }),
    );
    expect((await until(({ status }) => status === 409, 'acme.echo@1.0.0'))?.code).to.equal('secret-missing');
    const { status } = await team.until('orbiset/support', (object) => JSON.stringify(object).includes('Forbidden'));
    expect(JSON.stringify(status)).to.contain('"missing":[{"reason":"Forbidden","secret":"mail"}]');
  });

  it('uses a vault within 5 s of its RoleBinding, and reports it by names alone', async () => {
    await team.apply(vaultReader());
    expect((await until(({ status }) => status === 200, 'acme.echo@1.0.0'))?.status).to.equal(200);
    expect(sentTokens().at(-1)).to.equal('Bearer value-of-the-first-version');
    const reported = await team.until('orbiset/support', (object) => JSON.stringify(object).includes('VaultComplete'));
    expect(JSON.stringify(reported.status)).to.contain('"vault":{"entries":["TOKEN"],"missing":[]}');
    expect(JSON.stringify(reported)).to.not.contain('value-of-the-first');
  });

  it('uses a rotated value within 5 s', async () => {
    await team.apply(secret('mail', { TOKEN: 'value-of-the-second-version' }));
    const rotated = await waitFor(async () => {
      await execute('acme.echo@1.0.0');
      return sentTokens().at(-1) === 'Bearer value-of-the-second-version' ? true : undefined;
    }, 5000);
    expect(rotated).to.equal(true);
    expect(api.log()).to.not.match(/value-of-the-(first|second)/);
  });

  it('asks for bound Secrets only, and never for one that no Orbiset binds', async () => {
    await team.apply(secret('other', { TOKEN: 'not-for-the-platform' }));
    await execute('acme.echo@1.0.0');
    const asked = api.proxy.journal.requests.filter(
      ({ resource, namespace }) => resource === 'secrets' && namespace === 'h5-team',
    );
    expect(new Set(asked.map(({ fieldSelector }) => fieldSelector))).to.deep.equal(new Set(['metadata.name=mail']));
    const seen = api.proxy.journal.events.filter(
      ({ resource, key }) => resource === 'secrets' && key.endsWith('/other'),
    );
    expect(seen).to.deep.equal([]);
  });

  it('executes a change, and goes on with the last valid version when an edit breaks it, also after a restart', async () => {
    await team.apply(orb('echo', 'acme.echo@1.0.0', { url: url('/ok?v=2'), secret: 'TOKEN' }));
    const changed = await waitFor(async () => {
      await execute('acme.echo@1.0.0');
      return paths().at(-1) === '/ok?v=2' ? true : undefined;
    }, 5000);
    expect(changed).to.equal(true);
    // Broken in a way that the schema does not see: an entry that no template may use there.
    const broken = orb('echo', 'acme.echo@1.0.0', { url: 'http://{{inputs.text}}.example.com/', secret: 'TOKEN' });
    const stored = await team.kubectl('get', 'orb/echo', '-o', 'jsonpath={.metadata.generation}');
    await team.apply(broken);
    expect(Number(await team.kubectl('get', 'orb/echo', '-o', 'jsonpath={.metadata.generation}'))).to.be.above(
      Number(stored),
    );
    await waitFor(async () => (api.log().includes('the last valid version keeps running') ? true : undefined), 5000);
    expect([(await execute('acme.echo@1.0.0')).status, paths().at(-1)]).to.deep.equal([200, '/ok?v=2']);
    api = await api.restart();
    expect([(await execute('acme.echo@1.0.0')).status, paths().at(-1)]).to.deep.equal([200, '/ok?v=2']);
    api = await api.restart('SIGKILL');
    expect([(await execute('acme.echo@1.0.0')).status, paths().at(-1)]).to.deep.equal([200, '/ok?v=2']);
  });

  it('makes no call to the Kubernetes API for executions with an API key', async () => {
    await execute('acme.echo@1.0.0');
    const before = calls();
    for (let run = 0; run < 20; run += 1) expect((await execute('acme.echo@1.0.0')).status).to.equal(200);
    expect(calls()).to.equal(before);
  });

  it('fails closed when the Secret is deleted', async () => {
    await team.kubectl('delete', 'secret/mail');
    expect((await until(({ status }) => status === 409, 'acme.echo@1.0.0'))?.code).to.equal('secret-missing');
    // The process before was killed: its lease of the ledger runs out first.
    const reported = await team.until('orbiset/support', hasNoSecret, 20_000);
    expect(JSON.stringify(reported.status)).to.contain('"missing":[{"reason":"SecretNotFound","secret":"mail"}]');
  });

  it('refuses a revoked key within 2 s', async () => {
    const other = apiKeySecret(['h5-team']);
    await kubectlOk(plane, ['apply', '-f', '-'], JSON.stringify(other.document));
    const statusOf = async (): Promise<number> => (await api.get(other.key, '/receipts')).status;
    expect(await waitFor(async () => ((await statusOf()) === 200 ? true : undefined), 2000)).to.equal(true);
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'secret', other.name]);
    expect(await waitFor(async () => ((await statusOf()) === 401 ? true : undefined), 2000)).to.equal(true);
  });

  it('answers for an Orbiset of another tenant as for one that is not there', async () => {
    const stranger = apiKeySecret(['somewhere-else']);
    await kubectlOk(plane, ['apply', '-f', '-'], JSON.stringify(stranger.document));
    const reply = await waitFor(async () => {
      const got = await api.execute(stranger.key, 'h5-team.support', 'acme.echo@1.0.0');
      return got.status === 401 ? undefined : got;
    }, 2000);
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'secret', stranger.name]);
    expect([reply?.status, reply?.code]).to.deep.equal([404, 'orbiset-not-found']);
  });
});
