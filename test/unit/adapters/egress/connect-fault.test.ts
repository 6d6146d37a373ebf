import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, Socket } from 'node:net';
import { ConnectWatch } from '../../../../adapters/egress/connect-fault.ts';
import { GuardedConnector, type ConnectorDeps } from '../../../../adapters/egress/connector.ts';
import { EgressFault } from '../../../../adapters/egress/faults.ts';
import type { DialFailure, TransportFault } from '../../../../adapters/egress/port.ts';
import { createTrust } from '../../../../adapters/egress/tls.ts';
import { answer, rawServer, rawTlsServer, type RawServer } from '../../../support/egress.ts';
import { issue, makeCa } from '../../../support/tls.ts';

const ca = makeCa();
const trust = createTrust([ca.certificate]);
const HOST = 'api.example.com';
const DAY_MS = 86_400_000;

const resolve: ConnectorDeps['resolve'] = async () => [{ address: '127.0.0.1', family: 4 }];

function failureOf(port: number, change: Partial<ConnectorDeps> = {}): Promise<DialFailure | undefined> {
  const deps = { resolve, allowed: () => true, context: trust.excepted, ...change };
  return new Promise((done) => {
    new GuardedConnector({ kind: 'guarded' }, deps).connect(
      { hostname: HOST, protocol: 'https:', port: String(port) },
      (error, socket: Socket | null) => {
        socket?.destroy();
        done(error instanceof EgressFault ? error.failure : undefined);
      },
    );
  });
}

const respond = (socket: Socket): void => void socket.write(answer('x'));

async function against(server: RawServer, change: Partial<ConnectorDeps> = {}): Promise<DialFailure | undefined> {
  try {
    return await failureOf(server.port, change);
  } finally {
    await server.close();
  }
}

const withCertificate = (subject: Parameters<typeof issue>[1], authority = ca): Promise<RawServer> => {
  const { certificate, key } = issue(authority, subject);
  return rawTlsServer({ cert: certificate, key }, respond);
};

const lookupError =
  (code: string): ConnectorDeps['resolve'] =>
  () =>
    Promise.reject(Object.assign(new Error('getaddrinfo'), { code }));

const WATCHED: readonly (readonly [code: string, fault: TransportFault | undefined])[] = [
  ['ECONNREFUSED', { kind: 'refused' }],
  ['CERT_NOT_YET_VALID', { kind: 'not-yet-valid' }],
  ['ERR_TLS_CERT_ALTNAME_INVALID', { kind: 'wrong-name' }],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', { kind: 'untrusted' }],
  ['SELF_SIGNED_CERT_IN_CHAIN', { kind: 'untrusted' }],
  ['UNABLE_TO_GET_ISSUER_CERT', { kind: 'untrusted' }],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', { kind: 'untrusted' }],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', { kind: 'untrusted' }],
  ['ERR_SSL_WRONG_VERSION_NUMBER', { kind: 'not-tls' }],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', { kind: 'not-tls' }],
  ['CERT_HAS_EXPIRED', { kind: 'expired', at: null }],
  ['ECONNRESET', undefined],
  ['constructor', undefined],
];

const faultOf = (code: string | undefined, hasConnected: boolean): DialFailure => {
  const socket = new Socket();
  const watch = new ConnectWatch(socket);
  if (hasConnected) socket.emit('connect');
  return watch.faultOf(Object.assign(new Error('secret text'), code === undefined ? {} : { code })).failure;
};

describe('an error of a connection that is being made', () => {
  for (const [code, fault] of WATCHED)
    it(`is named by its code: ${code}`, () => {
      const known = fault === undefined ? {} : { fault };
      expect(faultOf(code, false)).to.deep.equal({ kind: 'transport', code: 'connect', ...known });
      expect(faultOf(code, true)).to.deep.equal({ kind: 'transport', code: 'tls', ...known });
    });

  it('is our own shortage, or a fault that was named before', () => {
    expect(faultOf('EMFILE', false)).to.deep.equal({ kind: 'exhausted', code: 'platform-exhausted' });
    const named = new EgressFault({ kind: 'timeout', code: 'connect-timeout' });
    expect(new ConnectWatch(new Socket()).faultOf(named)).to.equal(named);
    expect(faultOf(undefined, false)).to.deep.equal({ kind: 'transport', code: 'connect' });
  });
});

describe('the fault of a connection that was not made', () => {
  it('is a refusal when nothing listens', async () => {
    const closed = await rawServer(respond);
    await closed.close();
    expect(await failureOf(closed.port)).to.deep.equal({
      kind: 'transport',
      code: 'connect',
      fault: { kind: 'refused' },
    });
  });

  it('tells a name that does not exist from a resolver that does not answer', async () => {
    expect(await failureOf(1, { resolve: lookupError('ENOTFOUND') })).to.deep.equal({ kind: 'transport', code: 'dns' });
    expect(await failureOf(1, { resolve: lookupError('EAI_AGAIN') })).to.deep.equal({
      kind: 'transport',
      code: 'dns',
      fault: { kind: 'no-lookup' },
    });
  });

  it('has the time at which the certificate expired', async () => {
    const validTo = Math.floor(Date.now() / 1000) * 1000 - 3 * DAY_MS;
    expect(await against(await withCertificate({ names: [HOST], validFrom: validTo - DAY_MS, validTo }))).to.deep.equal(
      {
        kind: 'transport',
        code: 'tls',
        fault: { kind: 'expired', at: validTo },
      },
    );
  });

  it('is a certificate that begins later', async () => {
    const validFrom = Date.now() + DAY_MS;
    expect(
      await against(await withCertificate({ names: [HOST], validFrom, validTo: validFrom + DAY_MS })),
    ).to.deep.include({
      fault: { kind: 'not-yet-valid' },
    });
  });

  it('is a certificate for another name', async () => {
    expect(await against(await withCertificate({ names: ['other.example.com'] }))).to.deep.include({
      fault: { kind: 'wrong-name' },
    });
  });

  it('is an authority that is not trusted', async () => {
    expect(await against(await withCertificate({ names: [HOST] }, makeCa()))).to.deep.include({
      fault: { kind: 'untrusted' },
    });
  });

  it('is a port that does not speak TLS', async () => {
    const plain = createServer((socket) => {
      socket.resume().on('error', () => undefined); // the client breaks the connection
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    await once(plain.listen(0, '127.0.0.1'), 'listening');
    const address = plain.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    expect(await failureOf(port)).to.deep.equal({ kind: 'transport', code: 'tls', fault: { kind: 'not-tls' } });
    await new Promise((closed) => plain.close(closed));
  });

  it('is nothing more than its code when the handshake broke for another reason', async () => {
    expect(await against(await rawTlsServer({}, respond))).to.deep.equal({ kind: 'transport', code: 'tls' });
  });
});
