import { expect } from 'chai';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { connect } from 'node:tls';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { aCli, CLI_NOW, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aCluster, type ACluster } from '../../../support/kube/a-cluster.ts';
import { listenOnLoopback } from '../../../../adapters/process/listen.ts';

const HOSTS = ['orb-api.a-very-long-namespace-name-that-fills-the-rest.svc.cluster.local', 'orb-api', '10.0.0.7'];

describe('orb ledger init --tls-secret', () => {
  let cli: TestCli;
  let cluster: ACluster;
  beforeEach(() => {
    cli = aCli();
    cluster = aCluster();
  });
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  const init = (...argv: readonly string[]): Promise<CliResult> =>
    cli.run(['ledger', 'init', ...argv], { openCluster: cluster.open });
  const flags = ['--secret', '--tls-secret', 'orb-api-tls', ...HOSTS.map((host) => `--tls-host=${host}`)];

  function tlsSecret(): { readonly type: unknown; readonly metadata: unknown; readonly pem: (name: string) => string } {
    const found = cluster.kube.objects(KINDS.secret).find(({ metadata }) => metadata.name === 'orb-api-tls');
    const data: unknown = found?.['data'];
    const pem = (name: string): string => {
      const value: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, name) : undefined;
      return Buffer.from(String(value), 'base64').toString('utf8');
    };
    return { type: found?.['type'], metadata: found?.metadata, pem };
  }

  it('makes a certificate that a client with its CA believes for every name, for ten years', async () => {
    const made = await init(...flags);
    expect(made.exit, made.err).to.equal(0);
    const { type, pem } = tlsSecret();
    const leaf = new X509Certificate(pem('tls.crt'));
    expect(type).to.equal('kubernetes.io/tls');
    expect(leaf.subjectAltName).to.equal(`DNS:orb-api, DNS:${HOSTS[0]}, IP Address:10.0.0.7`);
    expect(leaf.verify(new X509Certificate(pem('ca.crt')).publicKey)).to.equal(true);
    expect(leaf.validToDate.getTime()).to.be.closeTo(CLI_NOW + 3650 * 86_400_000, 1000);
    expect([leaf.ca, leaf.publicKey.asymmetricKeyDetails?.namedCurve]).to.deep.equal([false, 'prime256v1']);
    expect(made.err).not.to.include('PRIVATE');
  });

  it('serves TLS', async () => {
    // Valid from the real present on: a handshake asks the machine's clock.
    const clock = { now: () => Date.now(), monotonic: () => 0, sleep: async () => undefined };
    await cli.run(['ledger', 'init', ...flags], { openCluster: cluster.open, clock });
    const { pem } = tlsSecret();
    const server = createServer({ cert: pem('tls.crt'), key: pem('tls.key') });
    const port = await listenOnLoopback(server);
    const socket = connect({ host: '127.0.0.1', port, ca: pem('ca.crt'), servername: HOSTS[0] ?? '' });
    await once(socket, 'secureConnect');
    expect(socket.authorized).to.equal(true);
    socket.destroy();
    server.close();
  });

  it('keeps whatever is there, byte for byte, and says so', async () => {
    await init(...flags);
    const before = cluster.kube.objects(KINDS.secret);
    const again = await init(...flags);
    expect([again.exit, again.err.includes('orb-system/orb-api-tls is there: kept')]).to.deep.equal([0, true]);
    expect(cluster.kube.objects(KINDS.secret)).to.deep.equal(before);
  });

  it('asks for nothing but to get and create Secrets, and to get the head of the log', async () => {
    await init(...flags);
    const asked = new Set(
      cluster.kube.requests.map(({ verb, kind, key }) => (kind === 'Secret' ? `${verb} ${kind}` : `${verb} ${key}`)),
    );
    expect([...asked].toSorted()).to.deep.equal(['create Secret', 'get Secret', 'get orb-system/orb-log-head']);
  });

  it('marks both Secrets as what an uninstall leaves', async () => {
    await init(...flags);
    const kept = cluster.kube.objects(KINDS.secret).map(({ metadata }) => metadata.annotations);
    const keep = { 'helm.sh/resource-policy': 'keep' };
    expect(kept).to.deep.equal([keep, keep]);
  });

  const wrong: readonly (readonly [string, readonly string[]])[] = [
    ['a Secret without names', ['--secret', '--tls-secret', 'x']],
    ['names without a Secret', ['--secret', '--tls-host', 'a.example']],
    ['a name that is none', ['--secret', '--tls-secret', 'x', '--tls-host', 'a_b']],
    ['an address with a port', ['--secret', '--tls-secret', 'x', '--tls-host', 'a.example:443']],
    ['a folder', ['--data', 'x', '--tls-secret', 'x', '--tls-host', 'a.example']],
  ];
  for (const [why, argv] of wrong)
    it(`refuses ${why}`, async () => {
      expect((await init(...argv)).exit).to.equal(64);
      expect(cluster.kube.objects(KINDS.secret)).to.deep.equal([]);
    });
});
