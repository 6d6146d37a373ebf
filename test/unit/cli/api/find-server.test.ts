import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { findServer, SERVER_FLAGS } from '../../../../cli/api/server.ts';
import { parseVerbArgs } from '../../../../cli/args/parse-args.ts';
import { call, type Server } from '../../../../cli/api/http.ts';
import { Failure } from '../../../../cli/io/failure.ts';
import { writeLogin } from '../../../../cli/io/stored-login.ts';
import { ioOf } from '../../../support/cli-io.ts';
import { aServer, json } from '../../../support/cli-server.ts';
import { aCluster, type ACluster } from '../../../support/kube/a-cluster.ts';
import { kubeError } from '../../../support/kube/fake-kube-client.ts';

const LABELS = { 'app.kubernetes.io/part-of': 'orb-platform', 'app.kubernetes.io/component': 'api' };
const CLUSTER = ['--context', 'production'];

function withPlatform(cluster: ACluster): ACluster {
  const metadata = { name: 'api', namespace: 'orb-system', labels: LABELS };
  cluster.kube.put(KINDS.service, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: { selector: LABELS, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
  });
  const status = { conditions: [{ type: 'Ready', status: 'True' }] };
  cluster.kube.put(KINDS.pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, name: 'api-0' },
    spec: {},
    status,
  });
  return cluster;
}

describe('findServer on a cluster', () => {
  let home = '';
  let cluster: ACluster;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'orb-find-'));
    cluster = withPlatform(aCluster({ username: 'ann', token: 'a-token' }));
  });
  afterEach(() => rmSync(home, { recursive: true }));
  const find = (argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Server> =>
    findServer(parseVerbArgs({ flags: SERVER_FLAGS }, argv), ioOf({ home, env, openCluster: cluster.open }));
  const refused = async (argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> => {
    const error: unknown = await find(argv, env).catch((thrown: unknown) => thrown);
    return error instanceof Failure ? [error.exit, error.message, ...error.next].join('\n') : String(error);
  };

  it('speaks to the ready pod by its Service, with the key of the environment', async () => {
    const server = await find(CLUSTER, { ORB_API_KEY: 'a-key', ORB_SERVER: 'https://elsewhere.example' });
    expect([server.base.href, server.key]).to.deep.equal(['http://api.orb-system.svc/', 'a-key']);
    await server.connect?.(new AbortController().signal);
    expect(cluster.connected).to.deep.equal([{ namespace: 'orb-system', pod: 'api-0', port: 8080 }]);
  });

  it('sends the request over that connection, as for an ordinary server', async () => {
    const api = await aServer(json(200, { outputs: {} }));
    cluster = withPlatform(aCluster({}, Number(new URL(api.url).port)));
    const server = await find(CLUSTER, { ORB_API_KEY: 'a-key' });
    const request = { method: 'GET', path: 'receipts', headers: {}, timeoutMs: 5000 } as const;
    expect((await call(server, request, new AbortController().signal)).status).to.equal(200);
    expect(api.received[0]?.headers).to.include({ authorization: 'Bearer a-key', host: 'api.orb-system.svc' });
    await api.close();
  });

  it('calls as the ServiceAccount that is named, before a key of the environment', async () => {
    const asked: string[] = [];
    cluster.kube.before = ({ kind, key }) => void (kind === 'TokenRequest' && asked.push(key));
    const argv = [...CLUSTER, '--as-serviceaccount', 'tenant/bot'];
    expect((await find(argv, { ORB_API_KEY: 'a-key' })).key).to.equal('a-token');
    expect((await find([...CLUSTER, '--as-serviceaccount', 'bot'])).key).to.equal('a-token');
    expect(asked).to.deep.equal(['serviceaccounts/bot/token', 'serviceaccounts/bot/token']);
  });

  it('takes the token of a ServiceAccount to a server that is named', async () => {
    const server = await find(['--server', 'https://orbs.example', '--as-serviceaccount', 'tenant/bot', ...CLUSTER]);
    expect([server.base.href, server.key, server.connect]).to.deep.equal([
      'https://orbs.example/',
      'a-token',
      undefined,
    ]);
  });

  it('calls as the ServiceAccount that the user is', async () => {
    cluster = withPlatform(aCluster({ username: 'system:serviceaccount:ci:runner', token: 'own-token' }));
    expect((await find(CLUSTER)).key).to.equal('own-token');
  });

  it('tells a person without a key what to do', async () => {
    expect(await refused(CLUSTER)).to.match(/^2\nann is no ServiceAccount[^]*ORB_API_KEY[^]*--as-serviceaccount/);
  });

  const wrong: readonly [string, readonly string[], string][] = [
    ['a ServiceAccount that would be a path', [...CLUSTER, '--as-serviceaccount', '../x'], '64\n--as-serviceaccount'],
    ['three parts', [...CLUSTER, '--as-serviceaccount', 'a/b/c'], '64\n--as-serviceaccount'],
    ['a ServiceAccount and a key', ['--as-serviceaccount', 'a/b', '--key-file', 'k'], '64\n--as-serviceaccount or'],
    ['a server and a cluster', ['--server', 'https://a.example', ...CLUSTER], '64\n--server or --context'],
  ];
  for (const [why, argv, message] of wrong) {
    it(`refuses ${why}`, async () => expect(await refused(argv)).to.include(message));
  }

  const tokens: readonly [number, string, string][] = [
    [403, 'Forbidden', 'you may not make tokens of the ServiceAccount tenant/bot'],
    [404, 'NotFound', 'kubectl create serviceaccount bot -n tenant'],
  ];
  for (const [status, reason, message] of tokens) {
    it(`says what to do when a token is answered with ${status}`, async () => {
      cluster.kube.before = ({ kind }) => {
        if (kind === 'TokenRequest') throw kubeError(status, reason);
      };
      expect(await refused([...CLUSTER, '--as-serviceaccount', 'tenant/bot']))
        .to.match(/^2\n/)
        .and.to.include(message);
    });
  }

  describe('with a login', () => {
    beforeEach(() =>
      writeLogin({ env: {}, home }, { kind: 'server', server: 'https://orbs.example/', key: 'stored-key' }),
    );

    it('takes server and key that are remembered, and a given key before that', async () => {
      expect(await find([])).to.deep.include({ key: 'stored-key' });
      expect((await find([])).base.href).to.equal('https://orbs.example/');
      expect((await find([], { ORB_API_KEY: 'a-key' })).key).to.equal('a-key');
    });

    it('sends the remembered key to that server only', async () => {
      expect((await find(['--server', 'https://orbs.example'])).key).to.equal('stored-key');
      expect((await find(['--server', 'https://evil.example'])).key).to.equal(undefined);
      expect((await find([], { ORB_SERVER: 'https://orbs.example:444' })).key).to.equal(undefined);
    });

    it('prefers the data folder that is named', async () => {
      writeFileSync(join(home, 'credentials.json'), '{"url":"http://127.0.0.1:9000","api_key":"local-key"}');
      expect((await find(['--data', home])).key).to.equal('local-key');
    });
  });
});
