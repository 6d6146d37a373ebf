import { expect } from 'chai';
import { createServer } from 'node:net';
import { withListenErrors, listenOn } from '../../../../adapters/process/listen.ts';
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
      .and.includes('something listens there already; choose another address by --probes-listen');
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
