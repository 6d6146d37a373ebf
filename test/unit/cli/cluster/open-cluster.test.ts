import { expect } from 'chai';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import type { Cluster, ClusterSelection } from '../../../../cli/io/cluster.ts';
import { openCluster } from '../../../../cli/cluster/open-cluster.ts';
import { Failure } from '../../../../cli/io/failure.ts';
import { listenOnLoopback } from '../../../../adapters/process/listen.ts';

const kubeconfig = (server: string, namespace?: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'one',
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { token: 'a-token' } }],
    contexts: [
      { name: 'one', context: { cluster: 'c', user: 'u', ...(namespace === undefined ? {} : { namespace }) } },
    ],
  });

describe('openCluster', () => {
  let home = '';
  let opened: (Cluster & { readonly close: () => Promise<void> }) | undefined;
  beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'orb-open-'))));
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
    rmSync(home, { recursive: true });
  });
  const open = async (selection: ClusterSelection = {}, env: Readonly<Record<string, string>> = {}): Promise<Cluster> =>
    (opened = await openCluster(selection, { env, home, version: '1.2.3' }));
  const refused = async (
    selection: ClusterSelection = {},
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const error: unknown = await open(selection, env).catch((thrown: unknown) => thrown);
    return error instanceof Failure ? [error.exit, error.message, ...error.next].join('\n') : 'opened';
  };

  it('opens the kubeconfig of the home folder, with its namespace and token', async () => {
    const asked: unknown[] = [];
    const api = createServer(({ url, headers }, response) => {
      asked.push([url, headers.authorization, headers['user-agent']]);
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404 }));
    });
    const port = await listenOnLoopback(api);
    const server = `http://127.0.0.1:${port}`;
    mkdirSync(join(home, '.kube'));
    writeFileSync(join(home, '.kube', 'config'), kubeconfig(server, 'acme'));
    const cluster = await open();
    const ref = { namespace: 'acme', name: 'x' };
    expect(await cluster.client.get(KINDS.secret, ref, new AbortController().signal)).to.equal(undefined);
    expect([cluster.server, cluster.namespace, cluster.context]).to.deep.equal([server, 'acme', 'one']);
    expect(asked).to.deep.equal([['/api/v1/namespaces/acme/secrets/x', 'Bearer a-token', 'orb/1.2.3']]);
    api.closeAllConnections();
    api.close();
  });

  it('takes the file and the context that are named, before those of the environment and of a pod', async () => {
    const file = join(home, 'mine');
    writeFileSync(file, kubeconfig('https://mine.example'));
    const env = { KUBECONFIG: join(home, 'none'), KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
    const cluster = await open({ kubeconfig: file, context: 'one' }, env);
    expect([cluster.server, cluster.namespace]).to.deep.equal(['https://mine.example', 'default']);
    expect(await refused({ kubeconfig: file, context: 'two' })).to.match(/^2\n.*no context two[^]*--server URL/);
  });

  it('says what is missing where there is neither kubeconfig nor pod', async () => {
    expect(await refused()).to.match(/^2\nthere is no kubeconfig at [^]*--kubeconfig or KUBECONFIG[^]*--server URL/);
    expect(await refused({}, { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' })).to.match(
      /^2\ncan't read the token file/,
    );
  });
});
