import { expect } from 'chai';
import { createServer } from 'node:net';
import { checkFree, listenOnLoopback, withListenErrors, listenOn } from '../../../../adapters/process/listen.ts';
import { StartError } from '../../../../adapters/process/start-error.ts';

describe('withListenErrors', () => {
  const held = createServer();
  after(() => held.close());

  it('gives the port that was taken, and names address and flag when somebody has it', async () => {
    const taken = await withListenErrors({ host: '127.0.0.1', port: 0 }, '--listen', () =>
      listenOn(held, { host: '127.0.0.1', port: 0 }),
    );
    expect(taken.port).to.be.greaterThan(0);
    const error = await withListenErrors(taken, '--probes-listen', () => listenOn(createServer(), taken)).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(StartError).and.have.property('exit', 1);
    expect(error)
      .to.have.property('message')
      .that.includes(`can't listen on 127.0.0.1:${taken.port} (EADDRINUSE)`)
      .and.match(/listens there already(?:: stop it, or|;) choose another address by --probes-listen$/);
    if (process.platform === 'linux')
      expect(error).to.have.property('message').that.includes(`the process ${process.pid} (node`);
  });

  it('puts an IPv6 address in brackets', async () => {
    const address = { host: '2001:db8::1', port: 1 };
    const error = await withListenErrors(address, '--listen', () => Promise.reject(new Error('no'))).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).to.have.property(
      'message',
      "can't listen on [2001:db8::1]:1 (error): choose another address by --listen",
    );
  });

  const reasons: readonly (readonly [code: string, why: string])[] = [
    ['EACCES', 'this user may not use the port'],
    ['EADDRNOTAVAIL', 'this machine does not have the address'],
    ['ENOTFOUND', 'the name has no address'],
    ['EAI_AGAIN', 'the name has no address'],
  ];
  for (const [code, why] of reasons)
    it(`says what to do about ${code}`, async () => {
      const failed = Promise.reject(Object.assign(new Error('no'), { code }));
      const error = await withListenErrors({ host: 'a', port: 1 }, '--listen', () => failed).catch(
        (thrown: unknown) => thrown,
      );
      expect(error)
        .to.have.property('message')
        .that.includes(`(${code}): ${why}`)
        .and.includes('choose another address by --listen');
    });
});

describe('checkFree', () => {
  it('names every address that is taken, and the flags that take free ports', async () => {
    const held = [createServer(), createServer()];
    const ports = await Promise.all(held.map(listenOnLoopback));
    const [one = 0, other = 0] = ports;
    const wanted = [
      { address: { host: '127.0.0.1', port: one }, flag: '--listen' },
      { address: { host: '127.0.0.1', port: 0 }, flag: '--probes-listen' },
      { address: { host: '127.0.0.1', port: other }, flag: '--metrics-listen' },
    ];
    const error = await checkFree(wanted).catch((thrown: unknown) => thrown);
    for (const server of held) server.close();
    expect(error).to.be.instanceOf(StartError).and.have.property('exit', 1);
    const lines = error instanceof Error ? error.message.split('\n') : [];
    expect(lines).to.have.lengthOf(3);
    expect(lines[0]).to.include(`127.0.0.1:${one} (EADDRINUSE)`);
    expect(lines[1]).to.include(`127.0.0.1:${other} (EADDRINUSE)`);
    expect(lines[2]).to.equal('free ports: --listen 127.0.0.1:0 --metrics-listen 127.0.0.1:0');
  });

  it('says it in one line of one address', async () => {
    const held = createServer();
    const port = await listenOnLoopback(held);
    const error = await checkFree([{ address: { host: '127.0.0.1', port }, flag: '--listen' }]).catch(String);
    held.close();
    expect(error).to.match(/choose another address by --listen \(free ports: --listen 127\.0\.0\.1:0\)$/);
  });

  it('leaves free addresses free', async () => {
    const held = createServer();
    const port = await listenOnLoopback(held);
    await new Promise((resolve) => held.close(resolve));
    const wanted = [{ address: { host: '127.0.0.1', port }, flag: '--listen' }];
    await checkFree(wanted);
    await checkFree(wanted);
    expect((await listenOn(held, { host: '127.0.0.1', port })).port).to.equal(port);
    held.close();
  });
});
