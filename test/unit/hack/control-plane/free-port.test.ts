import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { freePort } from '../../../../hack/control-plane/free-port.ts';
import { listenOnLoopback } from '../../../../adapters/process/listen.ts';

const MODULE = resolve(import.meta.dirname, '../../../../hack/control-plane/free-port.ts');
const HOLDER = `
  const { freePort } = await import(process.argv[1]);
  console.log(await freePort());
  setInterval(() => undefined, 60_000);
`;

/** @returns the port, or why it is not given */
const ask = (port: number): Promise<number | string> => freePort(() => port).catch(String);
const REFUSED = 'no free port of 127.0.0.1';

describe('a free port', () => {
  it('is given once by a process, while its server does not listen yet and when it does', async () => {
    const port = await freePort();
    expect(await ask(port)).to.include(REFUSED);
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    expect(await ask(port)).to.include(REFUSED);
    server.close();
  });

  it('is not given by another process until its holder is gone, however it went', async () => {
    const holder = spawn(process.execPath, ['--input-type=module', '--eval', HOLDER, MODULE], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(holder, 'exit');
    const port = await new Promise<number>((take) => void holder.stdout.once('data', (text) => take(Number(text))));
    expect(await ask(port)).to.include(REFUSED);
    holder.kill('SIGKILL');
    await exited;
    expect(await ask(port)).to.equal(port);
  });

  it('is one where nobody listens', async () => {
    const server = createServer();
    const taken = await listenOnLoopback(server);
    const refused = await ask(taken);
    server.close();
    expect(refused).to.include(REFUSED);
  });
});
