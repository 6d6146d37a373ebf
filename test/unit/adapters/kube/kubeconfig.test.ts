import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { kubeconfigConnection } from '../../../../adapters/kube/kubeconfig.ts';

interface Config {
  readonly cluster?: object;
  readonly user?: object;
  readonly name?: string;
  readonly namespace?: string;
}

let folder = '';
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

/** One context `main` (or another name) with a cluster and a user of that name. */
const config = ({ cluster = {}, user = {}, name = 'main', namespace }: Config): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server: 'https://127.0.0.1:6443', ...cluster } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, ...(namespace === undefined ? {} : { namespace }) } }],
  });

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const messageOf = (work: Promise<unknown>): Promise<string> => work.then(String, (error: unknown) => String(error));

/** An exec plugin that counts its runs in the token that it gives. */
function plugin(): object {
  const runs = join(folder, 'runs');
  const status = '{"token":"run-%s"}';
  const command = file(
    'plugin.sh',
    `#!/bin/sh
echo x >> ${runs}
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":${status}}' "$(wc -l < ${runs} | tr -d ' ')"
`,
  );
  chmodSync(command, 0o700);
  return { exec: { apiVersion: 'client.authentication.k8s.io/v1', command, interactiveMode: 'Never' } };
}

describe('kubeconfigConnection', function kubeconfig() {
  this.timeout(10_000); // the first import of the library
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-kubeconfig-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('gives server, CA, token and namespace of the current context', async () => {
    const cluster = { 'certificate-authority-data': base64('CA') };
    const path = file('config', config({ cluster, user: { token: 'abc' }, namespace: 'acme' }));
    const connection = await kubeconfigConnection({ path });
    expect(connection).to.deep.include({
      server: 'https://127.0.0.1:6443',
      ca: 'CA',
      namespace: 'acme',
      context: 'main',
    });
    expect(await connection.authorization(false)).to.equal('Bearer abc');
  });

  it('reads certificates from files beside it, and inline', async () => {
    file('ca.pem', 'CA');
    file('cert.pem', 'CERT');
    const cluster = { 'certificate-authority': 'ca.pem', 'tls-server-name': 'k.example' };
    const user = { 'client-certificate': 'cert.pem', 'client-key-data': base64('KEY') };
    const connection = await kubeconfigConnection({ path: file('config', config({ cluster, user })) });
    expect(connection).to.deep.include({
      ca: 'CA',
      clientCertificate: { cert: 'CERT', key: 'KEY' },
      serverName: 'k.example',
    });
    expect(await connection.authorization(false)).to.equal(undefined);
  });

  it('keeps the check of certificates unless the file gives it up', async () => {
    const strict = await kubeconfigConnection({ path: file('config', config({})) });
    const loose = await kubeconfigConnection({
      path: file('loose', config({ cluster: { 'insecure-skip-tls-verify': true } })),
    });
    expect([strict.insecure, loose.insecure]).to.deep.equal([undefined, true]);
  });

  it('allows a plain server, as a proxy on this machine is', async () => {
    const path = file('config', config({ cluster: { server: 'http://127.0.0.1:8001' }, user: { token: 't' } }));
    const connection = await kubeconfigConnection({ path });
    expect([connection.server, await connection.authorization(true)]).to.deep.equal([
      'http://127.0.0.1:8001',
      'Bearer t',
    ]);
  });

  it('runs an exec plugin, keeps its token, and runs it again when that was refused', async () => {
    const connection = await kubeconfigConnection({ path: file('config', config({ user: plugin() })) });
    expect(await connection.authorization(false)).to.equal('Bearer run-1');
    expect(await connection.authorization(false)).to.equal('Bearer run-1');
    expect(await connection.authorization(true)).to.equal('Bearer run-2');
  });

  it('says which user’s plugin failed', async () => {
    const user = { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: join(folder, 'none') } };
    const message = await messageOf(kubeconfigConnection({ path: file('config', config({ user })) }));
    expect(message).to.contain('credentials of the user main');
  });

  it('sends a user name and its password, and the user who is impersonated', async () => {
    const user = { username: 'u', password: 'p', as: 'jane' };
    const connection = await kubeconfigConnection({ path: file('config', config({ user })) });
    expect(await connection.authorization(false)).to.equal(`Basic ${base64('u:p')}`);
    expect(connection.headers).to.deep.equal({ 'impersonate-user': 'jane' });
  });

  it('sends groups, uid and extra of who is impersonated, of the first file that holds the user', async () => {
    const more = { 'as-uid': 'u-1', 'as-groups': ['dev', 'ops'], 'as-user-extra': { 'Example.com/Team': ['a', 'b'] } };
    const first = file('first', config({ user: { as: 'jane', ...more } }));
    const second = file('second', config({ user: { as: 'jack' } }));
    const { headers } = await kubeconfigConnection({ env: { KUBECONFIG: [first, second].join(delimiter) } });
    expect(headers).to.deep.equal({
      'impersonate-user': 'jane',
      'impersonate-uid': 'u-1',
      'impersonate-group': ['dev', 'ops'],
      'impersonate-extra-example.com%2Fteam': ['a', 'b'],
    });
  });

  it('refuses groups of nobody, which the server would refuse in every call', async () => {
    const path = file('config', config({ user: { 'as-groups': ['dev'] } }));
    expect(await messageOf(kubeconfigConnection({ path }))).to.contain('name the user that it acts as');
  });

  it('takes the context that is named, and says which there are', async () => {
    const first = file('first', config({ name: 'one', namespace: 'a' }));
    const second = file('second', config({ name: 'two', namespace: 'b' }));
    const env = { KUBECONFIG: [first, join(folder, 'missing'), second].join(delimiter) };
    expect((await kubeconfigConnection({ env })).namespace).to.equal('a');
    expect((await kubeconfigConnection({ env, context: 'two' })).namespace).to.equal('b');
    expect(await messageOf(kubeconfigConnection({ env, context: 'three' }))).to.contain('name one of one, two');
  });

  it('takes the first of two entries of one name', async () => {
    const first = file('first', config({ namespace: 'a' }));
    const second = file('second', config({ namespace: 'b' }));
    const env = { KUBECONFIG: [first, second].join(delimiter) };
    expect((await kubeconfigConnection({ env })).namespace).to.equal('a');
  });

  it('takes the file of the home folder when nothing else is said', async () => {
    mkdirSync(join(folder, '.kube'));
    file('.kube/config', config({ namespace: 'home' }));
    expect((await kubeconfigConnection({ env: { HOME: folder } })).namespace).to.equal('home');
  });

  it('says where it looked in vain', async () => {
    const path = join(folder, 'none');
    expect(await messageOf(kubeconfigConnection({ path }))).to.contain(`no kubeconfig at ${path}`);
  });

  it('says which file is malformed', async () => {
    const path = file('config', 'clusters: [');
    expect(await messageOf(kubeconfigConnection({ path }))).to.contain(`can't read the kubeconfig ${path}`);
  });

  it('refuses a cluster behind a proxy, which it would go around', async () => {
    const path = file('config', config({ cluster: { 'proxy-url': 'http://proxy:3128' } }));
    expect(await messageOf(kubeconfigConnection({ path }))).to.contain('proxy-url of the cluster main');
  });
});
