import type { Socket } from 'node:net';
import { mock } from 'node:test';
import { expect } from 'chai';
import { GuardedConnector, type ConnectorDeps, type Target } from '../../../../adapters/egress/connector.ts';
import { EgressFault } from '../../../../adapters/egress/faults.ts';
import { allowed } from '../../../../adapters/egress/ranges.ts';
import { createTrust } from '../../../../adapters/egress/tls.ts';
import { answer, rawServer, rawTlsServer, type RawServer } from '../../../support/egress.ts';
import { issue, makeCa } from '../../../support/tls.ts';

const ca = makeCa();
const trust = createTrust([ca.certificate]);
const GUARDED: Target = { kind: 'guarded' };

const deps = (changes: Partial<ConnectorDeps> = {}): ConnectorDeps => ({
  resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  allowed,
  context: trust.excepted,
  ...changes,
});

/** The failure's code, or `connected`. */
function connect(connector: GuardedConnector, hostname: string, port: number, protocol = 'https:'): Promise<string> {
  return new Promise((resolve) => {
    connector.connect({ hostname, protocol, port: String(port) }, (error, socket: Socket | null) => {
      socket?.destroy();
      resolve(error instanceof EgressFault ? error.failure.code : 'connected');
    });
  });
}

/** Why a connection to `api.example.com` failed. */
const failureOf = (connector: GuardedConnector, port: number): Promise<unknown> =>
  new Promise((resolve) => {
    connector.connect({ hostname: 'api.example.com', protocol: 'https:', port: String(port) }, (...[error]) =>
      resolve(error instanceof EgressFault ? error.failure : error),
    );
  });

async function against<T>(server: Promise<RawServer>, use: (server: RawServer) => Promise<T>): Promise<T> {
  const open = await server;
  try {
    return await use(open);
  } finally {
    await open.close();
  }
}

const respond = (socket: Socket): void => {
  socket.write(answer('x'));
};
const tlsServer = (names: readonly string[], maxVersion: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.3'): Promise<RawServer> => {
  const { certificate, key } = issue(ca, { names });
  return rawTlsServer({ cert: certificate, key, maxVersion }, respond);
};

describe('GuardedConnector', () => {
  for (const host of ['127.0.0.1', '::1', '0.0.0.0', '::ffff:127.0.0.1', '8.8.8.8']) {
    it(`refuses the literal ${host} without a connection`, async () => {
      await against(rawServer(respond), async (server) => {
        expect(await connect(new GuardedConnector(GUARDED, deps()), host, server.port)).to.equal(
          'egress-denied-literal',
        );
        expect(server.connections()).to.equal(0);
      });
    });
  }

  it('refuses plain http', async () => {
    const connector = new GuardedConnector(GUARDED, deps());
    expect(await connect(connector, 'api.example.com', 80, 'http:')).to.equal('egress-denied-scheme');
  });

  it('refuses a name that resolves to loopback, without a connection', async () => {
    await against(tlsServer(['api.example.com']), async (server) => {
      const code = await connect(new GuardedConnector(GUARDED, deps()), 'api.example.com', server.port);
      expect([code, server.connections()]).to.deep.equal(['egress-denied-address', 0]);
    });
  });

  it('refuses a peer that is not allowed, whatever was resolved, before a byte of the request', async () => {
    await against(tlsServer(['api.example.com']), async (server) => {
      const answers = [true, false];
      const connector = new GuardedConnector(GUARDED, deps({ allowed: () => answers.shift() ?? false }));
      expect(await connect(connector, 'api.example.com', server.port)).to.equal('egress-denied-peer');
      expect([server.connections(), server.requests.length]).to.deep.equal([1, 0]);
    });
  });

  it('dials the addresses that it checked, and resolves once', async () => {
    await against(tlsServer(['api.example.com']), async (server) => {
      const answers = ['127.0.0.1', '127.0.0.2'];
      const resolved: string[] = [];
      const checked: string[] = [];
      const resolve: ConnectorDeps['resolve'] = async () => {
        resolved.push(answers[0] ?? '');
        return [{ address: answers.shift() ?? '', family: 4 }];
      };
      const allow = (ip: string): boolean => checked.push(ip) > 0;
      const code = await connect(
        new GuardedConnector(GUARDED, deps({ resolve, allowed: allow })),
        'api.example.com',
        server.port,
      );
      expect({ code, resolved, checked }).to.deep.equal({
        code: 'connected',
        resolved: ['127.0.0.1'],
        checked: ['127.0.0.1', '127.0.0.1'],
      });
    });
  });

  it('refuses a name that resolved to an allowed address before and resolves to another one', async () => {
    await against(tlsServer(['api.example.com']), async (server) => {
      const answers = ['127.0.0.1', '127.0.0.2'];
      const resolve: ConnectorDeps['resolve'] = async () => [{ address: answers.shift() ?? '', family: 4 }];
      const connector = new GuardedConnector(GUARDED, deps({ resolve, allowed: (ip) => ip === '127.0.0.1' }));
      const codes = [
        await connect(connector, 'api.example.com', server.port),
        await connect(connector, 'api.example.com', server.port),
      ];
      expect([codes, server.connections()]).to.deep.equal([['connected', 'egress-denied-address'], 1]);
    });
  });

  it('gives an authority of --egress-ca no trust outside the exceptions', async () => {
    await against(tlsServer(['api.example.com']), async (server) => {
      const open = { allowed: () => true };
      const guarded = new GuardedConnector(GUARDED, deps({ ...open, context: trust.guarded }));
      const excepted = new GuardedConnector(GUARDED, deps({ ...open, context: trust.excepted }));
      const codes = [
        await connect(guarded, 'api.example.com', server.port),
        await connect(excepted, 'api.example.com', server.port),
      ];
      expect(codes).to.deep.equal(['tls', 'connected']);
    });
  });

  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    it(`refuses a wrong name every time: no session of a refused handshake is resumed (${version})`, async () => {
      await against(tlsServer(['other.example.com'], version), async (server) => {
        const connector = new GuardedConnector(GUARDED, deps({ allowed: () => true }));
        const codes: string[] = [];
        for (let round = 0; round < 3; round += 1) codes.push(await connect(connector, 'api.example.com', server.port));
        expect([codes, server.requests.length]).to.deep.equal([['tls', 'tls', 'tls'], 0]);
      });
    });
  }

  it('tells a closed port from a failed handshake', async () => {
    const closed = await rawServer(respond);
    await closed.close();
    const connector = new GuardedConnector(GUARDED, deps({ allowed: () => true }));
    expect(await connect(connector, 'api.example.com', closed.port)).to.equal('connect');
    await against(rawTlsServer({}, respond), async (server) => {
      expect(await connect(connector, 'api.example.com', server.port)).to.equal('tls'); // it has no certificate
    });
  });

  it('resolves an exception as written and takes its private address', async () => {
    await against(rawServer(respond), async (server) => {
      const asked: string[] = [];
      const resolve: ConnectorDeps['resolve'] = async (host) => {
        asked.push(host);
        return [{ address: '127.0.0.1', family: 4 }];
      };
      const code = await connect(
        new GuardedConnector({ kind: 'allow' }, deps({ resolve })),
        'localhost',
        server.port,
        'http:',
      );
      expect([code, asked]).to.deep.equal(['connected', ['localhost']]);
    });
  });

  it('checks the certificate of a stub for the name of its origin', async () => {
    await against(tlsServer(['api.example.com']), async (server) => {
      const stub: Target = { kind: 'stub', address: '127.0.0.1', port: server.port };
      const connector = new GuardedConnector(stub, deps());
      expect(await connect(connector, 'api.example.com', 443)).to.equal('connected');
      expect(await connect(connector, 'other.example.com', 443)).to.equal('tls');
    });
  });

  it('checks the certificate of an allowed address for that address', async () => {
    const { certificate, key } = issue(ca, { names: [], ips: ['127.0.0.1'] });
    await against(rawTlsServer({ cert: certificate, key }, respond), async (server) => {
      expect(await connect(new GuardedConnector({ kind: 'allow' }, deps()), '127.0.0.1', server.port)).to.equal(
        'connected',
      );
    });
    await against(tlsServer(['api.example.com']), async (server) => {
      expect(await connect(new GuardedConnector({ kind: 'allow' }, deps()), '127.0.0.1', server.port)).to.equal('tls');
    });
  });

  it('breaks connections that are being made', async () => {
    await against(
      rawServer(() => undefined),
      async (server) => {
        const connector = new GuardedConnector(GUARDED, deps({ allowed: () => true }));
        const failed = failureOf(connector, server.port);
        connector.destroy();
        expect(await failed).to.deep.equal({ kind: 'cancelled', code: 'cancelled' });
      },
    );
  });

  it('tries the next address of a name when the first refuses', async () => {
    await against(tlsServer(['api.example.com']), async (server) => {
      const addresses = ['127.0.0.2', '127.0.0.1'].map((address) => ({ address, family: 4 }));
      const connector = new GuardedConnector(GUARDED, deps({ resolve: async () => addresses, allowed: () => true }));
      expect(await connect(connector, 'api.example.com', server.port)).to.equal('connected');
    });
  });

  it('gives up a connection whose handshake takes 3 s, as a timeout of the provider', async () => {
    const silent = rawServer(() => undefined);
    await against(silent, async ({ port }) => {
      mock.timers.enable({ apis: ['setTimeout'] });
      try {
        const connector = new GuardedConnector(GUARDED, deps({ allowed: () => true }));
        const failed = failureOf(connector, port);
        mock.timers.tick(2999);
        mock.timers.tick(1);
        expect(await failed).to.deep.equal({ kind: 'timeout', code: 'connect-timeout' });
      } finally {
        mock.timers.reset();
      }
    });
  });
});
