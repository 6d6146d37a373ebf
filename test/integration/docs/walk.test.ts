import { expect } from 'chai';
import { join, resolve } from 'node:path';
import { startCluster, type Cluster } from '../../../hack/cluster/cluster.ts';
import { parseSettings } from '../../../hack/cluster/settings.ts';
import { command } from '../../../hack/control-plane/command.ts';
import { blocksOf, expectations } from './fenced-blocks.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

describe('the commands of the docs, on npm run cluster', function walks() {
  this.timeout(120_000);
  let cluster: Cluster;

  before(async () => {
    const parsed = parseSettings(['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0', '--log-level', 'warn']);
    if (parsed.kind !== 'start') throw new Error('the settings are wrong');
    cluster = await startCluster(parsed.settings, () => undefined);
  });
  after(() => cluster.stop());

  for (const name of ['first-orb-on-a-cluster.md', 'multi-tenancy.md', 'policies.md', 'signals.md'])
    describe(name, () => {
      for (const block of blocksOf(name).filter(({ language }) => language === 'sh'))
        it(`line ${block.line} prints what it says`, async () => {
          const { plane, api, apiKey } = cluster;
          const { code, stdout, stderr } = await command('bash', ['-euo', 'pipefail', '-c', block.text], {
            cwd: ROOT,
            env: {
              PATH: [resolve(plane.kubectlPath, '..'), join(ROOT, 'node_modules/.bin'), process.env['PATH']].join(':'),
              KUBECONFIG: plane.users.admin.kubeconfig,
              KUBECACHEDIR: join(plane.folder, 'kubectl-cache'),
              // `npm run orb` must not install anything: the tests run on what is there.
              npm_config_ignore_scripts: 'true',
              ORB_SERVER: api.url,
              ORB_API_KEY: apiKey,
            },
          });
          expect(code, `${stderr}${stdout}`).to.equal(0);
          for (const wanted of expectations(block)) expect(stdout).to.include(wanted);
        });
    });
});
