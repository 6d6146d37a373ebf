import { expect } from 'chai';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { startPausableProxy, type PausableProxy } from '../../chaos/rig/pausable-proxy.ts';
import { listenOnLoopback } from '../../../adapters/process/listen.ts';

const silence = (ms: number): Promise<string> => new Promise((resolve) => setTimeout(resolve, ms, 'silence'));

describe('pausable proxy', () => {
  let echo: Server;
  let proxy: PausableProxy;
  let caller: Socket;

  beforeEach(async () => {
    echo = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.pipe(socket);
    });
    const port = await listenOnLoopback(echo);
    proxy = await startPausableProxy(port);
    caller = connect(proxy.port, '127.0.0.1');
    caller.on('error', () => caller.destroy());
    await once(caller, 'connect');
  });
  afterEach(async () => {
    caller.destroy();
    await proxy.close();
    echo.close();
  });

  const answer = async (): Promise<string> => {
    const chunks: readonly unknown[] = await once(caller, 'data');
    return String(chunks[0]);
  };

  it('carries bytes both ways', async () => {
    caller.write('one');
    expect(await answer()).to.equal('one');
  });

  it('is silent while paused, closes nothing and then carries what waited', async () => {
    caller.write('one');
    await answer();
    proxy.pause();
    caller.write('two');
    const waiting = answer();
    expect(await Promise.race([waiting, silence(40)])).to.equal('silence');
    expect(caller.destroyed).to.equal(false);
    proxy.resume();
    expect(await waiting).to.equal('two');
  });

  it('accepts a connection while paused and carries it after', async () => {
    proxy.pause();
    const late = connect(proxy.port, '127.0.0.1');
    await once(late, 'connect');
    late.write('late');
    const got = once(late, 'data');
    expect(await Promise.race([got, silence(40)])).to.equal('silence');
    proxy.resume();
    expect(String((await got)[0])).to.equal('late');
    late.destroy();
  });

  it('resets connections', async () => {
    const closed = new Promise((resolve) => caller.once('close', resolve));
    proxy.reset();
    await closed;
    expect(caller.destroyed).to.equal(true);
  });
});
