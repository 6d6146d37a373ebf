import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import type { Connection } from '../../../../adapters/kube/connection.ts';
import { createTransport } from '../../../../adapters/kube/kube-transport.ts';
import { issue, makeCa } from '../../../support/tls.ts';
import { listenOnLoopback } from '../../../../adapters/process/listen.ts';

const ca = makeCa();
const identity = issue(ca, { names: ['k.example'], ips: ['127.0.0.1'] });
const never = new AbortController().signal;

/** Fingerprint of the certificate that a client showed. */
const nameOf = (socket: unknown): string => {
  const shown = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
  return shown?.fingerprint256 ?? 'none';
};

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** One GET over a connection like that; the answer, or the code of the error. */
async function ask(server: string, change: Partial<Connection>): Promise<string> {
  const transport = createTransport({ server, authorization: async () => undefined, ...change });
  try {
    const { body } = await transport.send({ method: 'GET', path: '/version?a=b', headers: {} }, 'calls', never);
    return await textOf(body);
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  } finally {
    await transport.destroy();
  }
}

describe('createTransport over TLS', () => {
  let server: Server;
  let port = 0;
  beforeEach(async () => {
    const { certificate: cert, key } = identity;
    server = createServer({ cert, key, requestCert: true, rejectUnauthorized: false }, ({ url, socket }, response) =>
      response.end(`${url} ${nameOf(socket)}`),
    );
    port = await listenOnLoopback(server);
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  it('trusts the authority that it is given', async () => {
    expect(await ask(`https://127.0.0.1:${port}`, { ca: ca.certificate })).to.equal('/version?a=b none');
  });

  it('trusts no other', async () => {
    const other = makeCa().certificate;
    expect(await ask(`https://127.0.0.1:${port}`, { ca: other })).to.not.contain('/version');
    expect(await ask(`https://127.0.0.1:${port}`, {})).to.not.contain('/version');
  });

  it('trusts any when a person asked for it', async () => {
    expect(await ask(`https://127.0.0.1:${port}`, { insecure: true })).to.equal('/version?a=b none');
  });

  it('checks the name that it is given', async () => {
    const address = `https://127.0.0.1:${port}`;
    expect(await ask(address, { ca: ca.certificate, serverName: 'k.example' })).to.equal('/version?a=b none');
    expect(await ask(address, { ca: ca.certificate, serverName: 'other.example' })).to.equal(
      'ERR_TLS_CERT_ALTNAME_INVALID',
    );
  });

  it('shows the certificate of its user', async () => {
    const user = issue(ca, { names: ['jane'] });
    const clientCertificate = { cert: user.certificate, key: user.key };
    const answer = await ask(`https://127.0.0.1:${port}`, { ca: ca.certificate, clientCertificate });
    expect(answer).to.match(/^\/version[?]a=b ([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  });

  it('keeps the path of a server behind a proxy', async () => {
    expect(await ask(`https://127.0.0.1:${port}/k8s/c1`, { ca: ca.certificate })).to.equal('/k8s/c1/version?a=b none');
  });
});
