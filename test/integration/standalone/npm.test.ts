import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { npmRun } from '../../support/npm-run.ts';
import { runStandalone, temporaryFolder } from '../../support/standalone.ts';
import { listenOnLoopback } from '../../../adapters/process/listen.ts';

const FREE = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0'];

describe('npm start', function suite() {
  this.timeout(120_000);
  const holder = createServer();
  let taken = '';
  before(async () => {
    taken = `127.0.0.1:${await listenOnLoopback(holder)}`;
  });
  after(() => void holder.close());

  const rows: readonly (readonly [string, NodeJS.Signals, 'npm' | 'group'])[] = [
    ['SIGTERM to npm', 'SIGTERM', 'npm'],
    ['SIGINT to npm', 'SIGINT', 'npm'],
    ['SIGKILL to npm', 'SIGKILL', 'npm'],
    ['Ctrl-C in its terminal', 'SIGINT', 'group'],
  ];
  for (const [why, signal, to] of rows) {
    it(`ends with its server by ${why}, and leaves the ledger free`, async () => {
      const folder = temporaryFolder();
      const data = ['--data', join(folder, 'data')];
      const npm = npmRun(['start', '--', ...FREE, ...data]);
      try {
        await npm.untilSaid('Stop: Ctrl-C');
        expect((await npm.members()).join('\n')).to.include('standalone/main.ts');
        npm.signal(signal, to);
        expect(await npm.left()).to.deep.equal([]);
        expect(npm.output()).to.include('Stopping: work in progress ends first');
        // It gets past the ledger, to a port that is taken.
        const next = await runStandalone(['--listen', taken, ...FREE.slice(2), ...data]);
        expect(next.stderr).to.include(`can't listen on ${taken}`);
      } finally {
        await npm.kill();
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }
});
