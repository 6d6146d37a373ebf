import { expect } from 'chai';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { createServer } from 'node:tls';
import { PortForwardError } from '../../../../adapters/kube/port-forward-stream.ts';
import { KubeError } from '../../../../adapters/kube/port.ts';
import { call, NoAnswer, type ApiRequest, type Server } from '../../../../cli/api/http.ts';
import { Failure } from '../../../../cli/io/failure.ts';
import { issue, makeCa } from '../../../support/tls.ts';
import { listenOnLoopback } from '../../../../adapters/process/listen.ts';

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
  return error instanceof NoAnswer && [error.message, error.sent];
}

/** A TLS server of that name which answers whatever it is sent. */
async function tlsServer(ca: ReturnType<typeof makeCa>): Promise<{
  readonly reach: () => Duplex;
  readonly written: () => string;
  readonly close: () => Promise<void>;
}> {
  const { certificate, key } = issue(ca, { names: ['api.orb-system.svc'], ips: [] });
  let written = '';
  const tls = createServer({ cert: certificate, key }, (socket) => {
    socket.on('data', (bytes: Buffer) => {
      written += bytes.toString();
      socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n');
    });
  });
  tls.on('tlsClientError', () => undefined);
  const port = await listenOnLoopback(tls);
  return {
    reach: () => connect(port, '127.0.0.1'),
    written: () => written,
    close: () => new Promise((resolve) => tls.close(() => resolve())),
  };
}

describe('call over a connection of its own', () => {
  it('checks the certificate against the name of the Service, as for any server', async () => {
    const server = await tlsServer(makeCa());
    const error = await failure(serverBy('https://api.orb-system.svc/', server.reach));
    await server.close();
    expect(error instanceof NoAnswer && error.message).to.include('its certificate is of an unknown CA');
    expect([error instanceof NoAnswer && error.sent, server.written()]).to.deep.equal([false, '']);
  });

  it('trusts the authority that the platform made for itself, for its name alone', async () => {
    const ca = makeCa();
    const server = await tlsServer(ca);
    const authority = ca.certificate;
    const answer = await call({ ...serverBy('https://api.orb-system.svc/', server.reach), authority }, request, never);
    const error = await failure({ ...serverBy('https://api.elsewhere.svc/', server.reach), authority });
    await server.close();
    expect([answer.status, server.written().includes('Bearer k')]).to.deep.equal([204, true]);
    expect(error instanceof NoAnswer && error.message).to.include('its certificate is for another name');
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
