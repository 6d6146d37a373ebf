import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { parseApiKey } from '../../../../core/api-key/format.ts';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aCluster, type ACluster } from '../../../support/kube/a-cluster.ts';
import { kubeError } from '../../../support/kube/fake-kube-client.ts';

describe('orb keys on a cluster', () => {
  let cli: TestCli;
  let cluster: ACluster;
  const keys = (...argv: readonly string[]): Promise<CliResult> =>
    cli.run(['keys', ...argv, '--context', 'production'], { openCluster: cluster.open });
  beforeEach(() => {
    cli = aCli();
    cluster = aCluster();
  });
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  it('prints a new key alone on stdout and stores its hash in a labelled Secret of the platform namespace', async () => {
    const { exit, out, err } = await keys('create', '--tenant', 'acme');
    expect([exit, parseApiKey(out.trim())?.text]).to.deep.equal([0, out.trim()]);
    expect(err).to.include('the namespace orb-system of https://kube.example:6443').and.not.to.include(out.trim());
    const [secret] = cluster.kube.objects(KINDS.secret);
    expect(secret?.metadata).to.deep.include({ namespace: 'orb-system', labels: { 'orbs.dev/api-key': 'true' } });
    expect(JSON.stringify(secret)).not.to.include(out.trim().slice(13, 45));
    expect(cluster.selections).to.deep.equal([{ context: 'production' }]);
  });

  it('lists them, the next to expire first, and names a Secret that holds none', async () => {
    const late = (await keys('create', '--tenant', 'acme', '--expires', '9d')).out.slice(4, 12);
    const soon = (await keys('create', '--tenant', 'acme', '--expires', '1d')).out.slice(4, 12);
    const metadata = { name: 'odd', namespace: 'orb-system', labels: { 'orbs.dev/api-key': 'true' } };
    cluster.kube.put(KINDS.secret, { apiVersion: 'v1', kind: 'Secret', metadata });
    const { out, err } = await keys('list', '-o', 'name');
    expect(out).to.equal(`${soon}\n${late}\n`);
    expect(err).to.include('the Secret odd holds no usable key');
  });

  it('revokes a key by its id, and only that', async () => {
    const gone = (await keys('create', '--tenant', 'acme')).out.slice(4, 12);
    const kept = (await keys('create', '--tenant', 'acme')).out.slice(4, 12);
    expect((await keys('revoke', gone)).exit).to.equal(0);
    expect((await keys('list', '-o', 'name')).out).to.equal(`${kept}\n`);
    expect((await keys('revoke', gone)).err).to.include(`there is no key ${gone} in the namespace orb-system`);
  });

  it('makes nothing where a rule is broken, and asks no cluster for a wrong word', async () => {
    expect((await keys('create', '--tenant', 'acme', '--expires', '366d')).exit).to.equal(2);
    expect((await keys('create')).exit).to.equal(64);
    expect([cluster.kube.objects(KINDS.secret).length, cluster.selections.length]).to.deep.equal([0, 1]);
  });

  const refusals: readonly [string, number, string, number, string][] = [
    ['forbidden', 403, 'Forbidden', 2, 'kubectl auth can-i --list'],
    ['not known', 401, 'Unauthorized', 2, 'kubectl auth whoami'],
    ['not answered', 0, '', 4, 'kubectl version'],
    ['overloaded', 429, 'TooManyRequests', 4, 'kubectl version'],
  ];
  for (const [why, status, reason, exit, next] of refusals) {
    it(`ends with ${exit} and what to do where the Kubernetes API says ${why}`, async () => {
      cluster.kube.before = () => {
        throw kubeError(status, reason);
      };
      const ran = await keys('create', '--tenant', 'acme');
      expect([ran.exit, ran.out]).to.deep.equal([exit, '']);
      expect(ran.err).to.include(next);
    });
  }
});
