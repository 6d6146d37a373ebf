import { join } from 'node:path';
import { expect } from 'chai';
import { command } from '../../hack/control-plane/command.ts';
import { kubectlOk } from '../../hack/control-plane/install.ts';
import { bringUp, takeDown } from '../../hack/node/node.ts';
import { testNamespace, type TestNamespace } from '../support/cluster.ts';
import { node, place, say } from '../support/e2e/node.ts';
import { claim, deployment, service } from '../support/e2e/pods.ts';
import { eventually, PATIENCE_MS } from './support/patience.ts';

// Answers to itself, to a name, to the Kubernetes API with its own token; says what its user and its root folder are.
const SERVER = `
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { get } from 'node:https';
const account = '/var/run/secrets/kubernetes.io/serviceaccount';
const whoami = () => new Promise((resolve, reject) => {
  const authorization = 'Bearer ' + readFileSync(account + '/token', 'utf8');
  get('https://kubernetes.default.svc/api', { ca: readFileSync(account + '/ca.crt'), headers: { authorization } },
    (answer) => resolve(String(answer.resume().statusCode))).on('error', reject);
});
const write = () => { try { writeFileSync('/home/file', 'x'); return 'written'; } catch (error) { return error.code; } };
const routes = { '/ready': () => 'ready', '/whoami': whoami, '/write': write, '/user': () => String(process.getuid()) };
createServer(async (request, response) => {
  const answer = async () => routes[request.url]?.() ?? 'hello';
  response.end(await answer().catch(String));
}).listen(8080, () => console.log('listening'));
process.on('SIGTERM', () => process.exit(0));
`;

// Appends a line at each start, so that the file reports earlier lives.
const WRITER = `
import { appendFileSync } from 'node:fs';
appendFileSync('/data/starts', 'started\\n');
setInterval(() => undefined, 60000);
process.on('SIGTERM', () => process.exit(0));
`;

const IDLE = `setInterval(() => undefined, 60000); process.on('SIGTERM', () => process.exit(0));`;

const policy = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'friends-only' },
  spec: {
    podSelector: { matchLabels: { app: 'server' } },
    policyTypes: ['Ingress'],
    ingress: [{ from: [{ podSelector: { matchLabels: { role: 'friend' } } }], ports: [{ port: 'http' }] }],
  },
};

const privileged = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'privileged' },
  spec: { containers: [{ name: 'main', image: 'localhost/node:24', securityContext: { privileged: true } }] },
};

const PATIENT = '--timeout=180s';

describe('the one-node cluster', () => {
  let namespace: TestNamespace;
  let address = '';
  const rollout = (name: string): Promise<string> => namespace.kubectl('rollout', 'status', `deploy/${name}`, PATIENT);
  const ask = async (path: string): Promise<string | undefined> =>
    fetch(`http://${address}${path}`, { signal: AbortSignal.timeout(2000) }).then(
      (response) => response.text(),
      () => undefined,
    );
  const evaluate = (name: string, script: string): ReturnType<typeof node.kubectl> =>
    node.kubectl(['-n', namespace.name, 'exec', `deploy/${name}`, '--', '/nodejs/bin/node', '--eval', script]);
  const reaches = async (name: string): Promise<boolean> => {
    const script = `fetch('http://server/', { signal: AbortSignal.timeout(3000) }).catch(() => process.exit(1))`;
    return (await evaluate(name, script)).code === 0;
  };
  // One that takes long is not one that is blocked, and rules follow new pods.
  const untilReached = (name: string): Promise<string | undefined> =>
    eventually(async () => ((await reaches(name)) ? 'reached' : undefined));
  const untilBlocked = (name: string): Promise<string | undefined> =>
    eventually(async () => ((await reaches(name)) ? undefined : 'blocked'));

  before(async () => {
    namespace = await testNamespace(node, `node-${Date.now().toString(36)}`);
    await kubectlOk(node, ['label', 'ns', namespace.name, 'pod-security.kubernetes.io/enforce=restricted']);
    await namespace.until('serviceaccount/default', () => true, PATIENCE_MS);
    const ports = [{ name: 'http', containerPort: 8080 }];
    await namespace.apply(
      deployment('server', SERVER, 2, { ports, ready: '/ready' }),
      service('server'),
      claim('data'),
      deployment('writer', WRITER, 1, { claims: { data: '/data' } }),
      deployment('friend', IDLE, 1, { labels: { role: 'friend' } }),
      deployment('stranger', IDLE, 1),
    );
    for (const name of ['server', 'writer', 'friend', 'stranger']) await rollout(name);
    address = await namespace.kubectl('get', 'service/server', '-o', 'jsonpath={.spec.clusterIP}');
  });

  after(() => namespace.remove());

  it('answers at the address of a Service', async () => {
    expect(await eventually(() => ask('/'))).to.equal('hello');
  });

  it('runs pods as their own user on a read-only root', async () => {
    expect(await eventually(() => ask('/user'))).to.equal('65532');
    expect(await eventually(() => ask('/write'))).to.equal('EROFS');
  });

  it('gives pods names and a token that the API accepts', async () => {
    expect(await eventually(() => ask('/whoami'))).to.equal('200');
    expect(await untilReached('stranger')).to.equal('reached');
  });

  it('shows logs', async () => {
    expect(await namespace.kubectl('logs', 'deploy/server')).to.contain('listening');
  });

  it('refuses a privileged pod where the profile is restricted', async () => {
    const { code, stderr } = await node.kubectl(['-n', namespace.name, 'apply', '-f', '-'], {
      input: JSON.stringify(privileged),
    });
    expect(code).to.equal(1);
    expect(stderr).to.contain('violates PodSecurity "restricted');
  });

  it('enforces a NetworkPolicy', async () => {
    await namespace.apply(policy);
    expect(await untilBlocked('stranger')).to.equal('blocked');
    expect(await untilReached('friend')).to.equal('reached');
    expect(await reaches('stranger'), 'the stranger').to.equal(false);
  });

  it('keeps objects, volumes, tokens and pods across a power cut', async () => {
    const token = (await namespace.kubectl('create', 'token', 'default')).trim();
    await namespace.kubectl('create', 'configmap', 'kept', '--from-literal=word=before');
    const read = `process.stdout.write(require('node:fs').readFileSync('/data/starts', 'utf8'))`;
    expect((await evaluate('writer', read)).stdout).to.equal('started\n');

    await takeDown(place, 'node', say);
    expect((await node.kubectl(['version', '--request-timeout=2s'])).code).not.to.equal(0);
    await bringUp(place, say);

    expect(await namespace.kubectl('get', 'configmap/kept', '-o', 'jsonpath={.data.word}')).to.equal('before');
    expect((await evaluate('writer', read)).stdout).to.match(/^(?:started\n){2,}$/);
    expect(await eventually(() => ask('/'))).to.equal('hello');
    expect(await untilReached('friend')).to.equal('reached');
    expect(await untilBlocked('stranger')).to.equal('blocked');
    const server = ['--server=https://10.240.0.1:6443', `--certificate-authority=${join(place.state, 'pki/ca.crt')}`];
    const asked = ['--kubeconfig=/dev/null', ...server, `--token=${token}`, 'auth', 'whoami', '-o', 'name'];
    const { code, stderr } = await command('kubectl', asked);
    expect(code, stderr).to.equal(0);
  });
});
