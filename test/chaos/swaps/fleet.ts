import { orbManifest } from '../../support/orbs.ts';
import { SHORT_SWAPS } from '../operator/workloads.ts';
import { applySpec, type World } from '../operator/world.ts';
import { at } from '../../../hack/control-plane/json.ts';
import type { Health } from '../rig/scripted-metrics.ts';

export const PROVIDERS = ['main', 'other'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** An Orb that is swapped, as the plan uses it. */
interface FleetOrb {
  readonly name: string;
  readonly orbId: string;
}

/** The Orbs that are swapped. An Orb with many swaps is replaced by a new Orb: the status keeps twenty swaps. */
export interface Fleet {
  /** A random Orb of those in use. */
  readonly pick: (random: () => number) => FleetOrb;
  /** Sets the metrics of an Orb from now on. */
  readonly say: (orb: FleetOrb, provider: ProviderName, health: Health) => void;
  /** Removes Orbs that have had their swaps, and adds as many new Orbs. @param swapsOf number of swaps so far */
  readonly renew: (swapsOf: (orb: FleetOrb) => number) => Promise<void>;
}

const SIZE = 8;
/** Fewer than a status keeps, with room for swaps in progress. */
const MOST_SWAPS = 12;

export const otherThan = (provider: unknown): ProviderName => (provider === 'other' ? 'main' : 'other');

/** @param providerUrl answers probes */
export async function makeFleet(world: World, providerUrl: string): Promise<Fleet> {
  const { metrics } = world;
  const orbs: FleetOrb[] = [];
  let made = 0;
  const add = async (): Promise<void> => {
    made += 1;
    const name = `orb-${made}`;
    const orb = { name, orbId: `acme.${name}@1.0.0` };
    const execution = { type: 'http', method: 'GET', url: providerUrl };
    const manifest = {
      providers: { other: { execution } },
      swap_config: SHORT_SWAPS,
      inputs: {},
      outputs: {},
      execution,
    };
    const spec: unknown = JSON.parse(orbManifest(orb.orbId, { url: providerUrl, manifest }));
    metrics.set({ namespace: world.namespace, orbId: orb.orbId }, { main: 'well', other: 'well' });
    await applySpec(world, 'orbs', name, spec);
    orbs.push(orb);
  };
  while (orbs.length < SIZE) await add();
  return {
    pick: (random) => orbs[Math.floor(random() * orbs.length)] ?? { name: '', orbId: '' },
    say: ({ orbId }, provider, health) =>
      metrics.set({ namespace: world.namespace, orbId }, { main: 'well', other: 'well', [provider]: health }),
    renew: async (swapsOf) => {
      for (const orb of orbs.filter((one) => swapsOf(one) >= MOST_SWAPS)) {
        metrics.set({ namespace: world.namespace, orbId: orb.orbId }, { main: 'well', other: 'well' });
        orbs.splice(orbs.indexOf(orb), 1);
        await add();
      }
    },
  };
}

/** Number of the newest swap in its state; 0 before the first state. */
export const swapSeqOf = (orb: unknown): number => {
  const seq = at(orb, 'status', 'failover', 'swapSeq');
  return typeof seq === 'number' ? seq : 0;
};
