import { manifestOf, swappable } from '../../support/kube-objects.ts';
import { applySpec, makeNamespace, namespaceIsGone, pathOf, reportVault, type World } from './world.ts';

/** One input, after which the operator must come to rest. */
export interface WorkloadStep {
  readonly name: string;
  readonly act: (world: World) => Promise<void>;
  /** Writes are not compared from here on: what the API server does meanwhile decides them. */
  readonly uncounted?: boolean;
}

export type WorkloadName = 'W1' | 'W2' | 'W4' | 'W6' | 'W8';

type Members = Readonly<Record<string, unknown>>;

const orb = (world: World, name: string, members: Members = {}): Promise<unknown> =>
  applySpec(world, 'orbs', name, manifestOf({ orb_id: `acme.${name}@1.0.0`, ...members }));
const orbiset = (world: World, name: string): Promise<unknown> =>
  applySpec(world, 'orbisets', name, { vault: { secrets: [{ name: 'mail', allowedHosts: ['api.example.com'] }] } });
const remove = (world: World, plural: 'orbs' | 'orbisets', name: string): Promise<unknown> =>
  world.api.ok('DELETE', pathOf(world, plural, name));

const unresolved: Members = { swap_config: { primary: 'main', fallbacks: ['nobody'] } };
const broken: Members = {
  execution: { type: 'http', method: 'POST', url: 'https://api.example.com/{{inputs.nobody}}' },
};
const HOUR_MS = 3_600_000;
const pinned = (): Members => ({
  ...swappable,
  pin: { provider: 'other', reason: 'a test', expires_at: new Date(Date.now() + HOUR_MS).toISOString() },
});

/** K of reliability.md §4, as far as the operator acts in them; without policies. */
export const WORKLOADS: Readonly<Record<WorkloadName, readonly WorkloadStep[]>> = {
  W1: [
    {
      name: 'create an Orbiset and four Orbs',
      act: async (world) => {
        await orbiset(world, 'team');
        await orb(world, 'one');
        await orb(world, 'two', swappable);
        await orb(world, 'three', unresolved);
        await orb(world, 'four', broken);
      },
    },
    // Of one second or of two: the first by time is the first by name.
    { name: 'an id that is taken', act: async (world) => void (await orb(world, 'zed', { orb_id: 'acme.one@1.0.0' })) },
    { name: 'the vault is complete', act: (world) => reportVault(world, 'team', []) },
  ],
  W2: [
    { name: 'create', act: async (world) => void (await orb(world, 'two', swappable)) },
    { name: 'edit', act: async (world) => void (await orb(world, 'two', { ...swappable, description: 'Edited.' })) },
    { name: 'pin', act: async (world) => void (await orb(world, 'two', pinned())) },
    { name: 'unpin', act: async (world) => void (await orb(world, 'two', swappable)) },
    { name: 'break', act: async (world) => void (await orb(world, 'two', { ...swappable, ...broken })) },
    { name: 'mend', act: async (world) => void (await orb(world, 'two', swappable)) },
  ],
  W4: [
    {
      name: 'create',
      act: async (world) => {
        await orb(world, 'two', swappable);
        await orbiset(world, 'team');
      },
    },
    {
      name: 'delete and re-create at once',
      act: async (world) => {
        await remove(world, 'orbs', 'two');
        await orb(world, 'two', { description: 'Another one.' });
      },
    },
    { name: 'delete the Orbiset', act: async (world) => void (await remove(world, 'orbisets', 'team')) },
    { name: 'create the Orbiset again', act: async (world) => void (await orbiset(world, 'team')) },
  ],
  W6: [
    { name: 'create', act: async (world) => void (await orbiset(world, 'team')) },
    { name: 'the Secret is there', act: (world) => reportVault(world, 'team', []) },
    { name: 'the Secret is rotated', act: (world) => reportVault(world, 'team', []) },
    { name: 'the Secret is deleted', act: (world) => reportVault(world, 'team', ['mail']) },
    { name: 'the Secret is restored', act: (world) => reportVault(world, 'team', []) },
  ],
  W8: [
    {
      name: 'create',
      act: async (world) => {
        await makeNamespace(world);
        await orbiset(world, 'team');
        await orb(world, 'one');
        await orb(world, 'two', swappable);
      },
    },
    {
      name: 'delete the namespace',
      uncounted: true,
      act: async (world) => {
        await world.api.ok('DELETE', `/api/v1/namespaces/${world.namespace}`);
        for (let tries = 0; !(await namespaceIsGone(world)); tries += 1) {
          if (tries === 300) throw new Error('the namespace is still there after 30 s');
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      },
    },
  ],
};
