import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { orbManifest } from '../../support/orbs.ts';
import { startProvider } from '../../support/provider.ts';
import { lastAnswer } from '../../support/wait-for.ts';
import { npmRun } from '../../support/npm-run.ts';
import { runStandalone, startStandalone, temporaryFolder } from '../../support/standalone.ts';
import { listenOnLoopback } from '../../../adapters/process/listen.ts';

const FREE = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0'];

describe('npm run orb -- dev', function suite() {
  this.timeout(120_000);

  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGKILL'] as const) {
    it(`ends with its server by ${signal} to npm`, async () => {
      const folder = temporaryFolder();
      const npm = npmRun(['run', 'orb', '--', 'dev', ...FREE, '--data', join(folder, 'data')]);
      try {
        await npm.untilSaid('Stop: Ctrl-C');
        expect((await npm.members()).join('\n')).to.include('standalone/main.ts');
        npm.signal(signal, 'npm');
        expect(await npm.left()).to.deep.equal([]);
      } finally {
        await npm.kill();
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }
});

describe('a standalone whose run never ends', function suite() {
  this.timeout(60_000);

  it('is over at most 12 s after it was asked to stop', async () => {
    const provider = await startProvider();
    const origin = `http://127.0.0.1:${provider.port}`;
    const held = orbManifest('t.held@1.0.0', { url: `${origin}/held`, execution: { timeout_ms: 60_000 } });
    const standalone = await startStandalone({ resources: { 'held.json': held }, flags: ['--egress-allow', origin] });
    const body = { orb_id: 't.held@1.0.0', inputs: { text: 'x' } };
    const cut = standalone.post('/orbisets/default/execute', body).catch(() => 'cut');
    await lastAnswer(
      () => provider.seen.length,
      (seen) => seen > 0,
      10_000,
    );
    const began = performance.now();
    await standalone.stop();
    expect(performance.now() - began).to.be.lessThan(12_000);
    await cut;
    await provider.close();
    rmSync(dirname(standalone.data), { recursive: true });
  });
});

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
    ['SIGHUP to npm', 'SIGHUP', 'npm'],
    ['SIGKILL to npm', 'SIGKILL', 'npm'],
    ['its terminal that is closed', 'SIGHUP', 'group'],
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
        if (process.platform === 'linux') expect(next.stderr).to.include(`the process ${process.pid} (node`);
      } finally {
        await npm.kill();
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }
});
