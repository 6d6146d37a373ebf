import { expect } from 'chai';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { createServer } from 'node:tls';
import { PortForwardError } from '../../../adapters/kube/port-forward-stream.ts';
import { KubeError } from '../../../adapters/kube/port.ts';
import { call, Unanswered, type ApiRequest, type Server } from '../../../cli/http.ts';
import { Failure } from '../../../cli/io/failure.ts';
import { issue, makeCa } from '../../support/tls.ts';

const request: ApiRequest = { method: 'GET', path: 'health', headers: {}, timeoutMs: 5000 };
const never = new AbortController().signal;
const serverBy = (base: string, make: () => Duplex): Server => ({
  base: new URL(base),
  key: 'k',
  connect: async () => make(),
});
const failure = (server: Server): Promise<unknown> => call(server, request, never).catch((error: unknown) => error);

/** A connection that fails as soon as something is written. */
const failing = (error: Error): Duplex =>
  new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done(error) });

/** What becomes of a request whose bytes were taken before the connection failed. */
async function sent(text: string): Promise<unknown> {
  const stream: Duplex = new Duplex({
    read: () => undefined,
    write: (_chunk, _encoding, done) => {
      done();
      setImmediate(() => stream.destroy(new PortForwardError(text)));
    },
  });
  const error = await failure(serverBy('http://api/', () => stream));
  return error instanceof Unanswered && [error.message, error.sent];
}

describe('call over a connection of its own', () => {
  it('checks the certificate against the name of the Service, as for any server', async () => {
    const { certificate, key } = issue(makeCa(), { names: ['api.orb-system.svc'], ips: [] });
    const tls = createServer({ cert: certificate, key });
    let written = '';
    tls.on('secureConnection', (socket) => socket.on('data', (bytes: Buffer) => (written += bytes.toString())));
    tls.on('tlsClientError', () => undefined);
    tls.listen(0, '127.0.0.1');
    await once(tls, 'listening');
    const address = tls.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const error = await failure(serverBy('https://api.orb-system.svc/', () => connect(port, '127.0.0.1')));
    await new Promise((resolve) => tls.close(resolve));
    expect(error instanceof Unanswered && error.message).to.include('its certificate is of an unknown CA');
    expect([error instanceof Unanswered && error.sent, written]).to.deep.equal([false, '']);
  });

  it('passes on what the Kubernetes API says of the connection', async () => {
    const refused = new KubeError('ann may not', { status: 403, reason: 'Forbidden', causes: [] });
    const error = await failure({
      ...serverBy('http://api/', () => failing(refused)),
      connect: () => Promise.reject(refused),
    });
    expect(error instanceof Failure && [error.exit, error.message]).to.deep.equal([
      2,
      'the Kubernetes API: ann may not',
    ]);
  });

  it('says that nothing was sent where the port refused it, and doubts it elsewhere', async () => {
    expect(await sent('dial: connection refused')).to.deep.equal([
      "can't reach http://api: dial: connection refused",
      false,
    ]);
    expect(await sent('broken pipe')).to.deep.equal(["can't reach http://api: broken pipe", true]);
  });
});
