import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { startApi, type ApiProcess } from '../../support/api-process.ts';
import { apiKeySecret } from '../../support/cluster-objects.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';
import { openAdminWatch } from '../rig/admin-watch.ts';
import { metadataOf, textOf } from '../rig/json.ts';
import { at } from '../../../hack/control-plane/json.ts';
import { SwapWitness } from '../rig/oracles/swaps.ts';
import { checkOutput } from '../rig/oracles/process-health.ts';
import { pathOf, type World } from '../operator/world.ts';
import { makeFleet, type Fleet } from './fleet.ts';
import { startOperators, type Operators } from './operators.ts';

/** An operator pair, an API, a Prometheus and Orbs that are swapped. */
export interface SwapPlatform {
  readonly world: World;
  readonly fleet: Fleet;
  readonly operators: Operators;
  /** The current process of the API; each kill replaces it. */
  readonly api: () => ApiProcess;
  readonly killApi: () => Promise<void>;
  readonly key: string;
  readonly witness: SwapWitness;
  /** Newest state by name. */
  readonly orb: (name: string) => unknown;
  /** Resolves when a swap is seen, or after `ms`. @returns whether a swap was seen */
  readonly untilSwap: (ms: number) => Promise<boolean>;
  /** SIGTERM for operators and API; the API's data stays. @returns their faults: oracle i */
  readonly stop: () => Promise<readonly string[]>;
  /** Ends everything in any state, and removes the data. */
  readonly dispose: () => Promise<void>;
}

const ALL_LINES = 100_000;

/** Watches every state of the Orbs by the rig itself, without omissions. */
function watchOrbs(world: World, onOrb: (orb: unknown) => void): () => Promise<void> {
  const { plane } = world;
  const target = { url: plane.server.url, ca: plane.ca, token: plane.users.admin.token };
  const stop = new AbortController();
  const follow = async (): Promise<void> => {
    let version = '';
    while (!stop.signal.aborted) {
      const watch = await openAdminWatch(target, `${pathOf(world, 'orbs')}?watch=true&resourceVersion=${version}`);
      for (;;) {
        const event = await watch.next(100);
        if (event === 'end' || stop.signal.aborted) break;
        const type = at(event, 'type');
        if (type !== 'ADDED' && type !== 'MODIFIED') continue;
        const orb = at(event, 'object');
        version = textOf(metadataOf(orb)['resourceVersion']) ?? version;
        onOrb(orb);
      }
      watch.close();
    }
  };
  const following = follow();
  return async () => {
    stop.abort();
    await following;
  };
}

export async function startSwapPlatform(world: World): Promise<SwapPlatform> {
  const provider: TestProvider = await startProvider();
  const providerUrl = `http://127.0.0.1:${provider.port}/ok`;
  const witness = new SwapWitness();
  const newest = new Map<string, unknown>();
  const waiting = new Set<() => void>();
  let swaps = 0;
  const unwatch = watchOrbs(world, (orb) => {
    witness.saw(orb);
    newest.set(textOf(metadataOf(orb)['name']) ?? '', orb);
    const seen = witness.orbs().reduce((sum, { swaps: own }) => sum + own.length, 0);
    if (seen > swaps) for (const wake of waiting) wake();
    swaps = seen;
  });
  const allowed = ['--egress-allow', new URL(providerUrl).origin];
  const owner = apiKeySecret([world.namespace], ['providers:swap', 'providers:read', 'receipts:read']);
  await kubectlOk(world.plane, ['apply', '-f', '-'], JSON.stringify(owner.document));
  const fleet = await makeFleet(world, providerUrl);
  const operators = await startOperators(world, [...allowed, '--prometheus-url', world.metrics.url]);
  let api = await startApi(world.plane, allowed);
  const faults: string[] = [];
  return {
    world,
    fleet,
    operators,
    api: () => api,
    killApi: async () => {
      faults.push(...checkOutput(api.process.tail(ALL_LINES)));
      api = await api.restart('SIGKILL');
    },
    key: owner.key,
    witness,
    orb: (name) => newest.get(name),
    untilSwap: (ms) =>
      new Promise((resolve) => {
        const end = (seen: boolean): void => {
          clearTimeout(timer);
          waiting.delete(wake);
          resolve(seen);
        };
        const wake = (): void => end(true);
        const timer = setTimeout(() => end(false), ms);
        waiting.add(wake);
      }),
    stop: async () => {
      faults.push(...(await operators.stop()));
      const code = await api.process.stop();
      if (code !== 0) faults.push(`the API ended with ${code}: ${api.process.tail(3)}`);
      faults.push(...checkOutput(api.process.tail(ALL_LINES)));
      return faults;
    },
    dispose: async () => {
      await operators.stop();
      await api.stop();
      await unwatch();
      await provider.close();
    },
  };
}
