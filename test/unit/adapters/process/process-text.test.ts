import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { listenOnLoopback } from '../../../../adapters/process/listen.ts';
import { listenerOf, processText } from '../../../../adapters/process/process-text.ts';

const onLinux = process.platform === 'linux' ? it : it.skip;

describe('listenerOf', () => {
  onLinux('finds the process that listens on a port, and nobody on a port that is free', async () => {
    const server = createServer();
    const port = await listenOnLoopback(server);
    expect(listenerOf(port)).to.equal(process.pid);
    await new Promise((resolve) => void server.close(resolve));
    expect(listenerOf(port)).to.equal(undefined);
  });
});

describe('processText', () => {
  onLinux('names program and file, and no argument', async () => {
    const args = ['-e', 'setInterval(() => {}, 1000)', 'api.ts', '--password=hunter2'];
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    await new Promise((resolve) => void child.once('spawn', resolve));
    expect(processText(child.pid ?? 0)).to.match(/^the process \d+ \(node(?: api\.ts)?\)$/);
    child.kill('SIGKILL');
  });

  it('names a process that is gone by its number alone', () => {
    expect(processText(2 ** 30)).to.equal(`the process ${2 ** 30}`);
  });
});
