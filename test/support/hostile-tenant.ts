import { Agent, createServer, request as httpRequest, type Server } from 'node:http';
import { join } from 'node:path';
import { createApiKey } from '../../adapters/api-keys/files.ts';
import { randomSource } from '../../adapters/keys/primitives.ts';
import { listenOnLoopback } from '../../adapters/process/listen.ts';
import { orbManifest } from './orbs.ts';
import { startStandalone, type Standalone } from './standalone.ts';
import { lastAnswer } from './wait-for.ts';

/** Time that the provider takes for the runs of the hostile tenant, ms. */
export const SLOW_MS = 2500;
const FAST_MS = 40;

/** The answer to one run, and how long it took. */
export interface TimedAnswer {
  readonly status: number;
  readonly ms: number;
}

/** A tenant of the rig: its runs. */
export interface Tenant {
  readonly run: () => Promise<TimedAnswer>;
}

/** A platform with two tenants, whose Orbs call one provider. */
export interface HostileRig {
  /** Its provider is slow. */
  readonly hostile: Tenant;
  /** Its provider is fast. */
  readonly other: Tenant;
  readonly standalone: Standalone;
  readonly close: () => Promise<void>;
}

function startProvider(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((request, response) => {
    request.resume();
    const ms = request.url === '/slow' ? SLOW_MS : FAST_MS;
    setTimeout(() => response.setHeader('content-type', 'application/json').end('{"id":"x"}'), ms);
  });
  return listenOnLoopback(server).then((port) => ({ server, port }));
}

const documents = (namespace: string, url: string): string => {
  const spec: unknown = JSON.parse(orbManifest(`${namespace}.call@1.0.0`, { url, execution: { timeout_ms: 30_000 } }));
  const apiVersion = 'orbs.dev/v1alpha1';
  return [
    { apiVersion, kind: 'Orb', metadata: { name: 'call', namespace }, spec },
    { apiVersion, kind: 'Orbiset', metadata: { name: 'set', namespace }, spec: {} },
  ]
    .map((document) => JSON.stringify(document))
    .join('\n---\n');
};

/** One run on a connection of its own or a free one. */
function timed(url: string, agent: Agent, key: string, orbId: string): Promise<TimedAnswer> {
  const body = JSON.stringify({ orb_id: orbId, inputs: { text: 'x' } });
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = httpRequest(`${url}/orbisets/set/execute`, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode ?? 0, ms: performance.now() - began }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Starts it. The keys have no rate: what holds the hostile tenant back is its share alone. */
export async function startHostileRig(): Promise<HostileRig> {
  const provider = await startProvider();
  const origin = `http://127.0.0.1:${provider.port}`;
  const standalone = await startStandalone({
    resources: {
      'hostile.yaml': documents('hostile', `${origin}/slow`),
      'other.yaml': documents('other', `${origin}/fast`),
    },
    // All callers have one address here, so the connections of one tenant would take the place of the other's.
    flags: ['--egress-allow', origin, '--rate-tenant=0', '--rate-orb=0', '--max-connections-per-address=0'],
  });
  const agents: Agent[] = [];
  const tenantOf = async (namespace: string): Promise<Tenant> => {
    const newKey = { tenants: [namespace], scopes: ['orbs:execute' as const], rate: '0', createdBy: 'a test' };
    const tools = { now: Date.now(), random: randomSource() };
    const { text } = await createApiKey(join(standalone.data, 'api-keys'), newKey, tools);
    const agent = new Agent({ keepAlive: true });
    agents.push(agent);
    const run = (): Promise<TimedAnswer> => timed(standalone.ready.url, agent, text, `${namespace}.call@1.0.0`);
    await lastAnswer(run, ({ status }) => status === 200);
    return { run };
  };
  const [hostile, other] = [await tenantOf('hostile'), await tenantOf('other')];
  const close = async (): Promise<void> => {
    for (const agent of agents) agent.destroy();
    await standalone.stop('SIGKILL');
    provider.server.closeAllConnections();
    await new Promise((resolve) => provider.server.close(resolve));
  };
  return { hostile, other, standalone, close };
}

/** Keeps this many runs of a tenant in flight. @returns ends it, with the answers */
export function keepInFlight({ run }: Tenant, runs: number): () => Promise<readonly TimedAnswer[]> {
  const state = { open: true };
  const answers: TimedAnswer[] = [];
  const one = async (): Promise<void> => {
    while (state.open) {
      const answer = await run().catch(() => undefined);
      if (answer === undefined) return;
      answers.push(answer);
      // A refused caller that comes back at once would measure this process, not the platform.
      if (answer.status !== 200) await new Promise((resolve) => setTimeout(resolve, 250));
    }
  };
  const all = Array.from({ length: runs }, one);
  return async () => {
    state.open = false;
    await Promise.all(all);
    return answers;
  };
}
