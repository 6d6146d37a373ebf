import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { command } from '../../hack/control-plane/command.ts';
import { kubectlOk, PLATFORM_NAMESPACE } from '../../hack/control-plane/install.ts';
import { testNamespace, type TestNamespace } from '../support/cluster.ts';
import { node, say } from '../support/e2e/node.ts';
import { deployment } from '../support/e2e/pods.ts';
import { EXAMPLE, ensureExample } from './support/example.ts';
import { eventually } from './support/patience.ts';
import { reachFrom } from './support/reach.ts';

const IDLE = `
import { createServer } from 'node:net';
for (const port of [443, 8443]) createServer((socket) => socket.end()).listen(port);
process.on('SIGTERM', () => process.exit(0));
`;
// Addresses that the node has for this test; nothing of the network leads out of the cluster.
const METADATA = '169.254.169.254';
const PUBLIC = '11.22.33.44';
const PRIVATE = '172.20.0.5';
const ADDRESSES = [METADATA, PUBLIC, PRIVATE];
const PORTS = [80, 443];

const podOf = (component: string): readonly string[] => ['-l', `app.kubernetes.io/component=${component}`];

async function addressOf(namespace: string, ...selector: readonly string[]): Promise<string> {
  const query = ['-n', namespace, 'get', 'pods', ...selector];
  return kubectlOk(node, [...query, '-o', 'jsonpath={.items[0].status.podIP}']);
}

async function address(verb: 'add' | 'del'): Promise<void> {
  for (const one of ADDRESSES) await command('ip', ['address', verb, `${one}/32`, 'dev', 'node0']);
}

async function listen(host: string, port: number): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

/** A caller: namespace and what `kubectl exec` takes. */
type Caller = readonly [namespace: string, pod: string];

const STRANGER: Caller = ['np-stranger', 'deploy/idle'];
const TEST_POD: Caller = [PLATFORM_NAMESPACE, 'deploy/np-test-pod'];

const KUBERNETES = ['the Kubernetes API', 'the API server of the node'];
const METRICS = ['metrics of the API', 'metrics of the operator'];
/** What not everybody may call. */
const BEHIND = ['the provider of the example', 'probes of the operator', ...METRICS];

interface Way {
  readonly who: string;
  readonly caller: Caller;
  readonly open: (target: string) => boolean;
  /** In its own pod: no way of the network. */
  readonly own: readonly string[];
}

const only =
  (...names: readonly string[]) =>
  (target: string): boolean =>
    names.includes(target);

const wantedOf = (names: readonly string[], open: Way['open']): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, open(name) ? 'open' : 'blocked']));

const ways: readonly Way[] = [
  {
    who: 'the API',
    caller: [PLATFORM_NAMESPACE, 'deploy/orb-api'],
    open: only('a public address', 'the provider of the example', 'the name server', ...KUBERNETES),
    own: ['the API', 'metrics of the API'],
  },
  {
    who: 'the operator',
    caller: [PLATFORM_NAMESPACE, 'deploy/orb-operator'],
    open: only('the name server', ...KUBERNETES),
    own: ['metrics of the operator', 'probes of the operator'],
  },
  {
    who: 'the provider of the example',
    caller: [EXAMPLE, 'deploy/orb-example'],
    open: only(),
    own: ['the provider of the example'],
  },
  { who: 'a pod of `helm test`', caller: TEST_POD, open: only('the name server', 'the API'), own: [] },
  {
    who: 'whoever scrapes',
    caller: ['monitoring', 'deploy/idle'],
    open: (target) => METRICS.includes(target) || !BEHIND.includes(target),
    own: [],
  },
];

describe('the NetworkPolicies', () => {
  const servers: Server[] = [];
  const namespaces: TestNamespace[] = [];
  let targets: Readonly<Record<string, string>> = {};
  let rows = 0;
  let right = 0;

  /**
   * What a caller gets through to. What should be open is asked for again while it seems not to be: a machine without a free
   * moment answers late, and rules follow new pods. What is open and should not be is so the first time.
   */
  async function seenFrom(caller: Caller, wanted: Readonly<Record<string, string>>): Promise<Record<string, unknown>> {
    const seen: Record<string, unknown> = {};
    let names = Object.keys(wanted);
    await eventually(async () => {
      const found = await reachFrom(
        ...caller,
        names.map((name) => targets[name] ?? ''),
      );
      for (const name of names) seen[name] = found[targets[name] ?? ''];
      names = names.filter((name) => wanted[name] === 'open' && seen[name] !== 'open');
      return names.length === 0 ? true : undefined;
    });
    return seen;
  }

  before(async () => {
    await ensureExample();
    await address('del');
    await address('add');
    for (const host of ADDRESSES) for (const port of PORTS) servers.push(await listen(host, port));
    for (const name of ['np-stranger', 'np-tenant', 'monitoring']) {
      await kubectlOk(node, ['delete', 'namespace', name, '--ignore-not-found', '--timeout=180s']);
      const made = await testNamespace(node, name);
      namespaces.push(made);
      await made.apply(deployment('idle', IDLE, 1));
    }
    const labels = {
      'app.kubernetes.io/name': 'orb-platform',
      'app.kubernetes.io/instance': 'orb',
      'app.kubernetes.io/component': 'test',
    };
    const list = JSON.stringify(deployment('np-test-pod', IDLE, 1, { labels }));
    await kubectlOk(node, ['-n', PLATFORM_NAMESPACE, 'apply', '--server-side', '-f', '-'], list);
    for (const { kubectl } of namespaces) await kubectl('rollout', 'status', 'deploy/idle', '--timeout=180s');
    await kubectlOk(node, ['-n', PLATFORM_NAMESPACE, 'rollout', 'status', 'deploy/np-test-pod', '--timeout=180s']);
    const api = await addressOf(PLATFORM_NAMESPACE, ...podOf('api'));
    const operator = await addressOf(PLATFORM_NAMESPACE, ...podOf('operator'));
    const provider = await addressOf(EXAMPLE, ...podOf('example'));
    const tenant = await addressOf('np-tenant', '-l', 'app=idle');
    const dns = await addressOf('kube-system', '-l', 'k8s-app=kube-dns');
    const service = await kubectlOk(node, ['get', 'svc', 'kubernetes', '-o', 'jsonpath={.spec.clusterIP}']);
    targets = {
      'the metadata address': `${METADATA}:80`,
      'a private address': `${PRIVATE}:443`,
      'a public address': `${PUBLIC}:443`,
      'a public address on another port': `${PUBLIC}:80`,
      'a pod of another tenant': `${tenant}:443`,
      'a pod of another tenant on the port of the provider': `${tenant}:8443`,
      'the provider of the example': `${provider}:8443`,
      'the Kubernetes API': `${service}:443`,
      'the API server of the node': '10.240.0.1:6443',
      'the kubelet': '10.240.0.1:10250',
      'the name server': `${dns}:53`,
      'the API': `${api}:8443`,
      'metrics of the API': `${api}:9464`,
      'metrics of the operator': `${operator}:9465`,
      'probes of the operator': `${operator}:8081`,
    };
    // The rules follow new pods within a fraction of a second.
    const blocked = async (): Promise<true | undefined> =>
      (await reachFrom(...TEST_POD, [`${tenant}:443`]))[`${tenant}:443`] === 'blocked' ? true : undefined;
    expect(await eventually(blocked), 'the policies hold').to.equal(true);
  });
  after(async () => {
    say(`NetworkPolicies: ${right} of ${rows} ways are as they should be`);
    for (const server of servers) server.close();
    await address('del');
    await kubectlOk(node, ['-n', PLATFORM_NAMESPACE, 'delete', 'deploy/np-test-pod', '--ignore-not-found']);
    for (const { remove } of namespaces) await remove();
  });

  it('are what stops a pod: one without any reaches everything that is not behind one', async () => {
    const wanted = wantedOf(Object.keys(targets), (name) => !BEHIND.includes(name));
    expect(await seenFrom(STRANGER, wanted)).to.deep.equal(wanted);
  });

  for (const { who, caller, open, own } of ways)
    it(`let ${who} reach what it needs, and nothing else`, async () => {
      const names = Object.keys(targets).filter((name) => !own.includes(name));
      const wanted = wantedOf(names, open);
      const seen = await seenFrom(caller, wanted);
      rows += names.length;
      right += names.filter((name) => seen[name] === wanted[name]).length;
      expect(seen).to.deep.equal(wanted);
    });
});
