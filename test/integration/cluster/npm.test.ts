import { rmSync } from 'node:fs';
import { expect } from 'chai';
import { npmRun } from '../../support/npm-run.ts';

const FREE = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0'];
const PARTS = ['hack/cluster.ts', 'etcd', 'kube-apiserver', 'kube-controller-manager'];

describe('npm run cluster, by its npm', function suite() {
  this.timeout(180_000);

  const rows: readonly (readonly [string, NodeJS.Signals])[] = [
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'SIGINT'],
    ['SIGHUP', 'SIGHUP'],
    ['SIGKILL', 'SIGKILL'],
  ];
  for (const [why, signal] of rows) {
    it(`ends with etcd, the servers of Kubernetes and its own by ${why} to npm`, async () => {
      const npm = npmRun(['run', 'cluster', '--', ...FREE]);
      let folders: readonly string[] = [];
      try {
        await npm.untilSaid('is ready; installing');
        const lines = (await npm.members()).join('\n');
        folders = lines.match(/\/[^\s=]*orb-control-plane-\w{6}(?=\/)/g) ?? [];
        for (const part of PARTS) expect(lines).to.include(part);
        npm.signal(signal, 'npm');
        expect(await npm.left()).to.deep.equal([]);
      } finally {
        await npm.kill();
        for (const folder of new Set(folders)) rmSync(folder, { recursive: true, force: true });
      }
    });
  }
});
