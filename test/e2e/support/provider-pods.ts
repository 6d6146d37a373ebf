import { kubectlOk, PLATFORM_NAMESPACE } from '../../../hack/control-plane/install.ts';
import { secret } from '../../support/cluster-objects.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { node } from '../../support/e2e/node.ts';
import { deployment } from '../../support/e2e/pods.ts';
import { issue, makeCa } from '../../support/tls.ts';
import { patiently } from './patience.ts';
import { ensureNamespace } from './release.ts';

/** Namespace of the providers and of the Orbs that call them. */
export const TENANT = 'orb-load';
const CA = 'orb-load-ca';
const TOKEN = 'token-of-the-load';
const TLS_PORT = 8443;
const CONTROL_PORT = 8080;

// Answers with its name, and stores each posted id in a file. Another port, only for the test, returns the ids and sets
// the time of an answer.
const SCRIPT = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer as createControl } from 'node:http';
import { createServer } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
const FILE = '/seen/posted';
let takesMs = 20;
const serve = async (request, response) => {
  if (request.headers.authorization !== 'Bearer ${TOKEN}') return response.writeHead(401).end('{}');
  let text = '';
  for await (const chunk of request) text += chunk;
  if (request.method === 'POST') appendFileSync(FILE, JSON.parse(text).id + '\\n');
  await delay(takesMs);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ provider: process.env.HOSTNAME.split('-')[0] }));
};
const tls = { key: readFileSync('/tls/tls.key'), cert: readFileSync('/tls/tls.crt') };
createServer(tls, (request, response) => serve(request, response).catch(() => response.destroy())).listen(${TLS_PORT});
createControl((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://control');
  if (pathname === '/takes') takesMs = Number(searchParams.get('ms'));
  response.end(pathname === '/posted' && existsSync(FILE) ? readFileSync(FILE) : 'ok\\n');
}).listen(${CONTROL_PORT});
process.on('SIGTERM', () => process.exit(0));
`;

/** A provider in a pod that counts its requests. */
export interface ProviderPod {
  readonly name: string;
  readonly host: string;
  /** Posted ids since the pod was created, each as often as it arrived. */
  readonly posted: () => Promise<readonly string[]>;
  /** Sets the time of an answer from now on. */
  readonly take: (ms: number) => Promise<void>;
}

/** Providers in the namespace `TENANT`, with the settings that allow the platform to call them. */
export interface ProviderPods {
  readonly tenant: TestNamespace;
  readonly all: readonly ProviderPod[];
  /** Values of the chart that allow the API to reach them. */
  readonly values: { readonly egress: object };
}

/** Calls the pod at its current address, which changes after a reboot. */
async function ask(tenant: TestNamespace, name: string, path: string): Promise<string> {
  const address = await tenant.kubectl('get', 'pods', '-l', `app=${name}`, '-o', 'jsonpath={.items[0].status.podIP}');
  const answer = await fetch(`http://${address}:${CONTROL_PORT}${path}`, { signal: AbortSignal.timeout(10_000) });
  return answer.text();
}

const hostOf = (name: string): string => `${name}.${TENANT}.svc.cluster.local`;

const providerOf = (tenant: TestNamespace, name: string): ProviderPod => ({
  name,
  host: hostOf(name),
  posted: async () =>
    (await patiently(() => ask(tenant, name, '/posted'))).split('\n').filter((id) => id !== '' && id !== 'ok'),
  take: async (ms) => void (await patiently(() => ask(tenant, name, `/takes?ms=${ms}`))),
});

const headless = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  // Its name resolves to the pod's address, which the NetworkPolicy of the API checks.
  spec: { clusterIP: 'None', selector: { app: name }, ports: [{ name: 'https', port: TLS_PORT }] },
});

const exceptionOf = (name: string): object => ({
  origin: `https://${hostOf(name)}:${TLS_PORT}`,
  podSelector: { matchLabels: { app: name } },
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': TENANT } },
});

async function publishAuthority(certificate: string): Promise<void> {
  await ensureNamespace(PLATFORM_NAMESPACE);
  const map = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: CA, namespace: PLATFORM_NAMESPACE },
    data: { 'ca.crt': certificate },
  };
  await kubectlOk(node, ['apply', '--server-side', '--force-conflicts', '-f', '-'], JSON.stringify(map));
}

/** Starts new providers; they answer when this resolves. Call it before the platform is installed. */
export async function startProviders(...names: readonly string[]): Promise<ProviderPods> {
  await removeProviders();
  const tenant = await testNamespace(node, TENANT);
  const ca = makeCa();
  await publishAuthority(ca.certificate);
  for (const name of names) {
    const { key, certificate } = issue(ca, { names: [hostOf(name)] });
    const options = { secrets: { [`${name}-tls`]: '/tls' }, scratch: '/seen', ready: '/ready' };
    await tenant.apply(
      secret(`${name}-tls`, { 'tls.key': key, 'tls.crt': certificate }),
      headless(name),
      deployment(name, SCRIPT, 1, options),
    );
  }
  for (const name of names) await tenant.kubectl('rollout', 'status', `deploy/${name}`, '--timeout=180s');
  const exceptions = names.map(exceptionOf);
  return {
    tenant,
    all: names.map((name) => providerOf(tenant, name)),
    values: { egress: { exceptions, ca: { configMapName: CA } } },
  };
}

/** Removes them with their Orbs; the operator, if installed, must still run. */
export const removeProviders = (): Promise<string> =>
  kubectlOk(node, ['delete', 'namespace', TENANT, '--ignore-not-found', '--timeout=240s']);

/** How an Orb calls a provider. */
export const executionOf = (name: string, method: 'GET' | 'POST'): object => {
  const url = `https://${hostOf(name)}:${TLS_PORT}/v1/words`;
  const called = { type: 'http', method, headers: { Authorization: 'Bearer {{orbiset.secrets.LOAD_TOKEN}}' } };
  return method === 'GET'
    ? { ...called, url: `${url}?id={{inputs.id}}` }
    : { ...called, url, body_template: '{"id":"{{inputs.id}}"}' };
};

const resource = (kind: string, name: string, spec: object): object => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind,
  metadata: { name },
  spec,
});

/** An Orb of `TENANT` that answers which provider was called. */
export const loadOrb = (name: string, spec: object): object =>
  resource('Orb', name, {
    orb_id: `load.${name}@1.0.0`,
    description: 'Asks a provider who it is.',
    inputs: { id: { type: 'string', required: true } },
    outputs: { provider: { type: 'string', from: '/body/provider' } },
    ...spec,
  });

/** The Orbiset `default`, with the token that the providers require. */
export const loadOrbiset = (...names: readonly string[]): readonly object[] => [
  secret('load', { LOAD_TOKEN: TOKEN }),
  resource('Orbiset', 'default', { vault: { secrets: [{ name: 'load', allowedHosts: names.map(hostOf) }] } }),
];
