import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { directConnection, inClusterConnection } from '../../../../adapters/kube/connection.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';

let folder = '';
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const messageOf = (work: Promise<unknown>): Promise<string> => work.then(String, (error: unknown) => String(error));

describe('directConnection', () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-connection-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('sends the token that it was given', async () => {
    const connection = await directConnection({ server: 'https://127.0.0.1:6443/', token: 'abc' });
    expect([connection.server, await connection.authorization(true)]).to.deep.equal([
      'https://127.0.0.1:6443',
      'Bearer abc',
    ]);
  });

  it('sends none without a token', async () => {
    const connection = await directConnection({ server: 'http://127.0.0.1:8001/k8s/c1/' });
    expect([connection.server, await connection.authorization(false)]).to.deep.equal([
      'http://127.0.0.1:8001/k8s/c1',
      undefined,
    ]);
  });

  for (const server of ['http://k.example:8080', 'http://10.0.0.1', 'http://localhost.example']) {
    it(`refuses plain ${server}: the token would be sent unencrypted`, async () => {
      expect(await messageOf(directConnection({ server, token: 'abc' }))).to.contain(
        'http is only for a proxy on this machine',
      );
    });
  }

  it('reads a token file again after 10 s, and at once when it was refused', async () => {
    const clock = createFakeClock(0);
    const tokenFile = file('token', 'one\n');
    const { authorization } = await directConnection({ server: 'https://k', tokenFile, clock });
    file('token', 'two\n');
    expect(await authorization(false)).to.equal('Bearer one');
    await clock.advance(10_000);
    expect(await authorization(false)).to.equal('Bearer two');
    file('token', 'three\n');
    expect(await authorization(true)).to.equal('Bearer three');
  });

  it('says at start which file can not be read, or is empty', async () => {
    const server = 'https://k';
    const missing = join(folder, 'none');
    expect(await messageOf(directConnection({ server, tokenFile: missing }))).to.contain(`token file ${missing}`);
    expect(await messageOf(directConnection({ server, caFile: missing }))).to.contain(`CA file ${missing}`);
    expect(await messageOf(directConnection({ server, tokenFile: file('token', '\n') }))).to.contain('is empty');
  });

  for (const server of ['', 'k', 'ftp://k', 'https://k?x=1', 'https://user@k']) {
    it(`refuses '${server}' as the address of a server`, async () => {
      expect(await messageOf(directConnection({ server }))).to.contain('write https://HOST:PORT');
    });
  }
});

describe('inClusterConnection', () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-connection-'));
    file('token', 'pod');
    file('ca.crt', 'PEM');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  for (const [host, server] of [
    ['10.0.0.1', 'https://10.0.0.1:6443'],
    ['fd00::1', 'https://[fd00::1]:6443'],
  ] as const) {
    it(`speaks to ${host} as the ServiceAccount of its folder`, async () => {
      const env = { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: '6443' };
      const connection = await inClusterConnection(env, folder);
      expect([connection.server, connection.ca, await connection.authorization(false)]).to.deep.equal([
        server,
        'PEM',
        'Bearer pod',
      ]);
    });
  }

  it('says that this is no pod', async () => {
    expect(await messageOf(inClusterConnection({}, folder))).to.contain('not in a cluster');
  });
});
