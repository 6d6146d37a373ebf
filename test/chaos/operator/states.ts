import { setTimeout as delay } from 'node:timers/promises';
import { openAdminWatch, type AdminWatch } from '../rig/admin-watch.ts';
import { metadataOf } from '../rig/json.ts';
import { at } from '../../../hack/control-plane/json.ts';
import { checkMonotony } from '../rig/oracles/monotony.ts';
import { SwapWitness, type SwapsOfOrb } from '../rig/oracles/swaps.ts';
import type { World } from './world.ts';

/** Every state of Orbs, Orbisets and policies from now on, observed by the rig itself. */
export interface States {
  /** Swaps so far of the Orbs in the world's namespace. */
  readonly swaps: () => readonly SwapsOfOrb[];
  /** @returns faults of oracle d in the observed states */
  readonly end: () => Promise<readonly string[]>;
}

const WATCHED = ['orbs', 'orbisets', 'orbpolicies'];

/**
 * Watches without the proxy; reopens watches that a dying API server closes: states in between are then not observed.
 */
export async function watchStates({ plane, namespace }: World): Promise<States> {
  const target = { url: plane.server.url, ca: plane.ca, token: plane.users.admin.token };
  const seen: unknown[] = [];
  const witness = new SwapWitness();
  const stop = new AbortController();
  const see = (object: unknown): void => {
    seen.push(object);
    if (at(object, 'kind') === 'Orb' && metadataOf(object)['namespace'] === namespace) witness.saw(object);
  };
  const drain = async ({ next }: AdminWatch): Promise<void> => {
    for (;;) {
      const event = await next(100);
      if (event === 'end' || stop.signal.aborted) return;
      if (event !== 'silence' && at(event, 'type') !== 'DELETED') see(at(event, 'object'));
    }
  };
  const follow = async (resource: string): Promise<void> => {
    while (!stop.signal.aborted) {
      const path = `/apis/orbs.dev/v1alpha1/${resource}?watch=true`;
      const watch = await openAdminWatch(target, path).catch(() => undefined);
      if (watch === undefined) await delay(200);
      else await drain(watch);
      watch?.close();
    }
  };
  const following = Promise.all(WATCHED.map(follow));
  return {
    swaps: () => witness.orbs(),
    end: async () => {
      stop.abort();
      await following;
      return [...checkMonotony(seen), ...witness.faults()];
    },
  };
}
