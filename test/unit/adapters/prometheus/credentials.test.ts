import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { createPrometheusClient, type PrometheusClient } from '../../../../adapters/prometheus/client.ts';
import type { PrometheusConnection } from '../../../../adapters/prometheus/credentials.ts';
import { systemClock } from '../../../../adapters/time/clock.ts';
import { element, startFakePrometheus, vector, type FakePrometheus } from '../../../support/prometheus.ts';
import { issue, makeCa } from '../../../support/tls.ts';

const GOOD = vector([element({}, '1', 1)]);
const ask = async (client: PrometheusClient): Promise<string> => {
  const signal = new AbortController().signal;
  const result = await client.query({ promql: 'up', deadlineMs: 10_000, onSample: () => undefined }, signal);
  return result.kind === 'vector' ? 'vector' : result.detail;
};

describe('credentials for Prometheus', () => {
  let folder: string;
  let prometheus: FakePrometheus;
  let client: PrometheusClient;

  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const open = (connection: Partial<PrometheusConnection>): void => {
    client = createPrometheusClient({
      connection: { url: prometheus.url, headers: {}, ...connection },
      clock: systemClock,
    });
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orb-credentials-'));
  });
  afterEach(async () => {
    await client.close();
    await prometheus.stop();
    await rm(folder, { recursive: true });
  });

  describe('over http', () => {
    beforeEach(async () => {
      prometheus = await startFakePrometheus();
      prometheus.answer((response) => response.end(GOOD));
    });

    it('sends the token of a file, and its next one after it changed', async () => {
      open({ bearerTokenFile: await file('token', 'first\n') });
      await ask(client);
      await file('token', 'second\n');
      await ask(client);
      expect(prometheus.seen.map(({ headers }) => headers.authorization)).to.deep.equal([
        'Bearer first',
        'Bearer second',
      ]);
    });

    it('sends a name with the password of a file', async () => {
      open({ basic: { username: 'orb', passwordFile: await file('password', 'pä:ss\n') } });
      await ask(client);
      const [, sent = ''] = prometheus.seen[0]?.headers.authorization?.split(' ') ?? [];
      expect(Buffer.from(sent, 'base64').toString('utf8')).to.equal('orb:pä:ss');
    });

    it('sends the headers of a shared installation, and no authorization unless set', async () => {
      open({ headers: { 'X-Scope-OrgID': 'orbs' } });
      await ask(client);
      const { 'x-scope-orgid': tenant, authorization } = prometheus.seen[0]?.headers ?? {};
      expect([tenant, authorization]).to.deep.equal(['orbs', undefined]);
    });

    it('asks nothing while a file is missing, and says no more than why', async () => {
      open({ bearerTokenFile: join(folder, 'absent') });
      expect(await ask(client)).to.equal('no answer: ENOENT');
      expect(prometheus.seen).to.deep.equal([]);
    });
  });

  describe('over TLS', () => {
    const ca = makeCa();
    const server = issue(ca, { names: ['p.example'], ips: ['127.0.0.1'] });
    const shown: (string | undefined)[] = [];

    beforeEach(async () => {
      shown.length = 0;
      prometheus = await startFakePrometheus({
        key: server.key,
        cert: server.certificate,
        requestCert: true,
        rejectUnauthorized: false,
      });
      prometheus.answer((response) => {
        const { socket } = response;
        shown.push(socket instanceof TLSSocket ? socket.getPeerX509Certificate()?.subjectAltName : undefined);
        response.end(GOOD);
      });
    });

    it('trusts the authority of its file only', async () => {
      open({});
      expect(await ask(client)).to.equal('no answer: UNABLE_TO_VERIFY_LEAF_SIGNATURE');
      await client.close();
      open({ caFile: await file('ca.pem', ca.certificate) });
      expect(await ask(client)).to.equal('vector');
    });

    it('shows its certificate, and the next one after its files changed', async () => {
      const one = issue(ca, { names: ['one.example'] });
      const other = issue(ca, { names: ['other.example'] });
      open({
        caFile: await file('ca.pem', ca.certificate),
        client: { certFile: await file('cert.pem', one.certificate), keyFile: await file('key.pem', one.key) },
      });
      await ask(client);
      await file('cert.pem', other.certificate);
      await file('key.pem', other.key);
      await ask(client);
      expect(shown).to.deep.equal(['DNS:one.example', 'DNS:other.example']);
    });
  });
});
