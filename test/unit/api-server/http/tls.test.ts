import { once } from 'node:events';
import { get } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { createAdmission } from '../../../../api-server/http/admission.ts';
import { createApp, type App } from '../../../../api-server/http/server.ts';
import { healthRoutes } from '../../../../api-server/services/health/routes.ts';
import { systemClock } from '../../../../adapters/time/clock.ts';
import { issue, makeCa } from '../../../support/tls.ts';

const ca = makeCa();
const leaf = issue(ca, { names: ['localhost'], ips: ['127.0.0.1'] });
const LOOPBACK = { host: '127.0.0.1', port: 0 };

function start(): App {
  return createApp({
    routes: healthRoutes({ version: '1.2.3', clock: systemClock, missing: () => [] }),
    authenticate: () => ({ kind: 'unauthenticated' }),
    admission: createAdmission({ ledger: () => ({ queuedRows: 0, oldestMs: 0 }), loopDelayMs: () => 0 }),
    logger: { error: () => undefined },
    clock: systemClock,
    random: (bytes) => new Uint8Array(bytes),
    observe: () => undefined,
    tls: { cert: leaf.certificate, key: leaf.key },
  });
}

/** A connection with the names of the certificate that it was shown. */
async function shown(port: number, most?: 'TLSv1.1'): Promise<readonly [TLSSocket, string | undefined]> {
  const old = most === undefined ? {} : { minVersion: 'TLSv1' as const, maxVersion: most, ciphers: 'ALL@SECLEVEL=0' };
  const socket = connect({ host: '127.0.0.1', port, ca: ca.certificate, servername: 'localhost', ...old });
  await once(socket, 'secureConnect');
  return [socket, socket.getPeerCertificate().subjectaltname];
}

describe('the API over TLS', () => {
  it('answers with its certificate, and drains like any other', async () => {
    const app = start();
    const { port } = await app.listen(LOOPBACK);
    const body = await new Promise<string>((resolve, reject) => {
      const asked = get({ host: '127.0.0.1', port, path: '/health', ca: ca.certificate }, (response) => {
        text(response).then(resolve, reject);
      });
      asked.on('error', reject);
    });
    expect([app.scheme, body]).to.match(/https,.*"version":"1\.2\.3"/);
    expect(await app.drain(1000)).to.equal(0);
  });

  it('answers on every listener of its port', async () => {
    const app = start();
    const { port } = await app.listen(LOOPBACK);
    const answers = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const [socket] = await shown(port);
        socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
        return (await text(socket)).startsWith('HTTP/1.1 200 ');
      }),
    );
    expect(answers).to.deep.equal(answers.map(() => true));
    await app.drain(1000);
  });

  it('shows another certificate to who comes after it was replaced, and keeps the connections before', async () => {
    const app = start();
    const { port } = await app.listen(LOOPBACK);
    const [before, old] = await shown(port);
    const next = issue(ca, { names: ['localhost', 'other.example'] });
    app.useTls({ cert: next.certificate, key: next.key });
    const [after, young] = await shown(port);
    expect([old, young]).to.deep.equal(['DNS:localhost, IP Address:127.0.0.1', 'DNS:localhost, DNS:other.example']);
    before.write('GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(await text(before)).to.match(/^HTTP\/1\.1 200 /);
    const refused = await shown(port, 'TLSv1.1').catch((error: Error) => error);
    expect(refused).to.be.instanceOf(Error);
    after.destroy();
    await app.drain(1000);
  });

  it('says nothing to plain HTTP', async () => {
    const app = start();
    const { port } = await app.listen(LOOPBACK);
    const refused = await fetch(`http://127.0.0.1:${port}/health`).then(
      () => 'answered',
      () => 'refused',
    );
    expect(refused).to.equal('refused');
    await app.drain(1000);
  });
});
