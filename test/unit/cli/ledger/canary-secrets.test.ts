import { expect } from 'chai';
import { X509Certificate } from 'node:crypto';
import { rmSync } from 'node:fs';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aCluster, type ACluster } from '../../../support/kube/a-cluster.ts';

const HOST = 'orb-canary.orb-system.svc.cluster.local';
const FLAGS = ['--canary-secret', 'orb-canary', '--canary-tls-secret', 'orb-canary-tls', '--canary-tls-host', HOST];

describe('orb ledger init --canary-secret', () => {
  let cli: TestCli;
  let cluster: ACluster;
  beforeEach(() => {
    cli = aCli();
    cluster = aCluster();
  });
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  const init = (...argv: readonly string[]): Promise<CliResult> =>
    cli.run(['ledger', 'init', ...argv], { openCluster: cluster.open });
  const entry = (name: string, key: string): string => {
    const found = cluster.kube.objects(KINDS.secret).find(({ metadata }) => metadata.name === name);
    const data: unknown = found?.['data'];
    const value: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, key) : '';
    return Buffer.from(String(value), 'base64').toString('utf8');
  };

  it('makes a secret of Standard Webhooks and a certificate of its own authority, and prints neither', async () => {
    const made = await init('--secret', ...FLAGS);
    expect(made.exit, made.err).to.equal(0);
    const secret = entry('orb-canary', 'secret');
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const leaf = new X509Certificate(entry('orb-canary-tls', 'tls.crt'));
    expect(leaf.subjectAltName).to.equal(`DNS:${HOST}`);
    expect(leaf.verify(new X509Certificate(entry('orb-canary-tls', 'ca.crt')).publicKey)).to.equal(true);
    for (const name of ['orb-canary', 'orb-canary-tls'])
      expect(made.err).to.include(`made the Secret orb-system/${name}`);
    expect(made.err + made.out)
      .not.to.include(secret.slice('whsec_'.length))
      .and.not.include('PRIVATE');
  });

  it('keeps what is there, makes what is missing, and marks all as what an uninstall leaves', async () => {
    await init('--secret', '--canary-secret', 'orb-canary');
    const before = entry('orb-canary', 'secret');
    const again = await init('--secret', ...FLAGS);
    expect(again.err).to.include('orb-system/orb-canary is there: kept').and.include('made the Secret');
    expect(entry('orb-canary', 'secret')).to.equal(before);
    const kept = cluster.kube.objects(KINDS.secret).map(({ metadata }) => metadata.annotations);
    expect(kept).to.deep.equal(kept.map(() => ({ 'helm.sh/resource-policy': 'keep' })));
    expect(kept).to.have.length(3);
  });

  const wrong: readonly (readonly [string, readonly string[]])[] = [
    ['a certificate without a name', ['--secret', '--canary-tls-secret', 'x']],
    ['a name that is none', ['--secret', '--canary-secret', 'A_B']],
    ['a folder', ['--data', 'x', '--canary-secret', 'x']],
    ['a folder with a name', ['--data', 'x', '--canary-tls-host', 'a.example']],
  ];
  for (const [why, argv] of wrong)
    it(`refuses ${why}`, async () => {
      expect((await init(...argv)).exit).to.equal(64);
      expect(cluster.kube.objects(KINDS.secret)).to.deep.equal([]);
    });
});
