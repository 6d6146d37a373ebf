import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { ControlPlane } from '../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../hack/control-plane/install.ts';
import { startCountingProxy, type CountingProxy } from '../chaos/rig/counting-proxy.ts';
import { at } from '../../hack/control-plane/json.ts';
import { startScriptedMetrics, type ScriptedMetrics } from '../chaos/rig/scripted-metrics.ts';
import { startApi, type ApiProcess } from '../support/api-process.ts';
import { apiKeySecret, orb, orbiset } from '../support/cluster-objects.ts';
import { testNamespace, type TestNamespace } from '../support/cluster.ts';
import { waitFor } from '../support/wait-for.ts';
import { SHORT_LEASE, startOperator, type OperatorProcess } from '../support/operator-process.ts';
import { startProvider, type TestProvider } from '../support/provider.ts';

/** An operator behind its own proxy. */
export interface Member {
  readonly identity: string;
  readonly proxy: CountingProxy;
  readonly operator: OperatorProcess;
}

/** A namespace of a control plane with an API, two providers, and a scripted Prometheus. */
export interface OperatorWorld {
  readonly plane: ControlPlane;
  readonly space: TestNamespace;
  readonly api: ApiProcess;
  readonly metrics: ScriptedMetrics;
  readonly providers: Readonly<Record<'a' | 'b', TestProvider>>;
  /** Key of a caller with all permissions for failover. */
  readonly key: string;
  /** Starts an operator, which ends with the world if not earlier. */
  readonly startMember: (identity: string) => Promise<Member>;
  /** The leader; undefined: no member led within 25 s. */
  readonly leader: (members: readonly Member[]) => Promise<Member | undefined>;
  /** Applies an Orb from a to b, with evaluations and holds as short as allowed. */
  readonly applyOrb: (name: string, swap?: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Pins by hand, as kubectl does. */
  readonly pin: (name: string, pin: Readonly<Record<string, unknown>>) => Promise<void>;
  /** Waits until the operator has made it the active provider. @returns ms that it took; Infinity: it did not happen */
  readonly untilActive: (name: string, provider: string, ms: number) => Promise<number>;
}

export const idOf = (name: string): string => `acme.${name}@1.0.0`;

const SHORT_SWAPS = {
  primary: 'a',
  fallbacks: ['b'],
  latency: { consecutive: 1, evaluation_interval: '15s' },
  dwell: { min: '15s', hold_down: '5m', max_swaps_per_hour: 20 },
  failback: { consecutive: 1, min_probe_samples: 1, ramp: [50, 100], ramp_step: '30s' },
};

const urlOf = ({ port }: TestProvider): string => `http://127.0.0.1:${port}/ok`;

const LEADS_MS = 25_000;

export const activeOf = (object: KubeObject | undefined): unknown => at(object, 'status', 'failover', 'activeProvider');

async function leaderOf(plane: ControlPlane): Promise<string> {
  const { stdout } = await plane.kubectl(['-n', 'orb-system', 'get', 'lease', 'orb-operator', '-o', 'json']);
  const lease: unknown = stdout === '' ? undefined : JSON.parse(stdout);
  return String(at(lease, 'spec', 'holderIdentity'));
}

async function memberOf(plane: ControlPlane, identity: string, flags: readonly string[]): Promise<Member> {
  const proxy = await startCountingProxy({ upstream: plane.server.url, ca: plane.ca });
  const connection = ['--kube-server', proxy.url, '--kube-token-file', plane.users.operator.tokenFile];
  const own = [...SHORT_LEASE, '--failover-tick', '1s', '--identity', identity, ...flags];
  return { identity, proxy, operator: await startOperator(plane, { connection, flags: own }) };
}

async function startOperatorWorld(
  plane: ControlPlane,
  namespace: string,
): Promise<{ readonly world: OperatorWorld; readonly close: () => Promise<void> }> {
  const [a, b] = [await startProvider(), await startProvider()];
  const metrics = await startScriptedMetrics();
  const space = await testNamespace(plane, namespace);
  const owner = apiKeySecret([namespace], ['orbs:execute', 'receipts:read', 'providers:read', 'providers:swap']);
  await kubectlOk(plane, ['apply', '-f', '-'], JSON.stringify(owner.document));
  await space.apply(orbiset('support', []));
  const allowed = [a, b].flatMap(({ port }) => ['--egress-allow', `http://127.0.0.1:${port}`]);
  const api = await startApi(plane, allowed);
  const members: Member[] = [];
  const world: OperatorWorld = {
    plane,
    space,
    api,
    metrics,
    providers: { a, b },
    key: owner.key,
    startMember: async (identity) => {
      const member = await memberOf(plane, identity, [...allowed, '--prometheus-url', metrics.url]);
      members.push(member);
      return member;
    },
    leader: (candidates) =>
      waitFor(async () => {
        const holder = await leaderOf(plane);
        return candidates.find(({ identity }) => identity === holder);
      }, LEADS_MS),
    applyOrb: async (name, swap = {}) => {
      metrics.set({ namespace, orbId: idOf(name) }, { a: 'well', b: 'well' });
      const execution = { type: 'http', method: 'GET', body_template: undefined };
      const manifest = {
        provider: 'a',
        inputs: { text: { type: 'string' } },
        providers: { b: { execution: { ...execution, url: urlOf(b) } } },
        swap_config: { ...SHORT_SWAPS, ...swap },
      };
      await space.apply(orb(name, idOf(name), { url: urlOf(a), execution, manifest }));
    },
    pin: async (name, pin) => {
      const patch = JSON.stringify({ spec: { pin } });
      await space.kubectl('patch', 'orb', name, '--type=merge', '-p', patch);
    },
    untilActive: async (name, provider, ms) => {
      const began = performance.now();
      const found = await waitFor(async () => {
        const isThere = activeOf(await space.get(`orb/${name}`)) === provider;
        return isThere ? true : undefined;
      }, ms);
      return found === true ? performance.now() - began : Infinity;
    },
  };
  const close = async (): Promise<void> => {
    for (const { operator, proxy } of members) {
      operator.process.kill('SIGCONT');
      await operator.stop();
      await proxy.close();
    }
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'secret', owner.name, '--ignore-not-found']);
    await space.remove();
    await api.stop();
    await metrics.stop();
    await Promise.all([a.close(), b.close()]);
  };
  return { world, close };
}

/** Starts a world in its own namespace, uses it, ends it. */
export async function inOperatorWorld(
  plane: ControlPlane,
  namespace: string,
  use: (world: OperatorWorld) => Promise<void>,
): Promise<void> {
  const { world, close } = await startOperatorWorld(plane, namespace);
  try {
    await use(world);
  } finally {
    await close();
  }
}
