import { manifestOf, swappable } from '../../support/kube-objects.ts';
import { at } from '../../../hack/control-plane/json.ts';
import type { Health } from '../rig/scripted-metrics.ts';
import type { OrbPolicySpec } from '../../../crds/orbpolicy.ts';
import { applySpec, makeNamespace, namespaceIsGone, pathOf, reportVault, type World } from './world.ts';
import { untilTrue } from '../../support/wait-for.ts';

/** One input, after which the operator must come to rest. */
export interface WorkloadStep {
  readonly name: string;
  readonly act: (world: World) => Promise<void>;
  /** Writes are not compared from this step on: they depend on the API server's own work. */
  readonly uncounted?: boolean;
  /** Whether the operator's own timed work is done: without it, being at rest does not end the step. */
  readonly isDone?: (world: World) => Promise<boolean>;
  /** Longest time that `isDone` takes without a fault, by the settings of the Orb; default 0. */
  readonly ownMs?: number;
}

export type WorkloadName = 'W1' | 'W2' | 'W4' | 'W5' | 'W6' | 'W8' | 'policies';

type Members = Readonly<Record<string, unknown>>;

const orb = (world: World, name: string, members: Members = {}): Promise<unknown> =>
  applySpec(world, 'orbs', name, manifestOf({ orb_id: `acme.${name}@1.0.0`, ...members }));
const orbiset = (world: World, name: string): Promise<unknown> =>
  applySpec(world, 'orbisets', name, { vault: { secrets: [{ name: 'mail', allowedHosts: ['api.example.com'] }] } });
const policy = (world: World, name: string, spec: OrbPolicySpec): Promise<unknown> =>
  applySpec(world, 'orbpolicies', name, spec);
const remove = (world: World, plural: 'orbs' | 'orbisets' | 'orbpolicies', name: string): Promise<unknown> =>
  world.api.ok('DELETE', pathOf(world, plural, name));

const denyBelow = (score: number): OrbPolicySpec => ({
  rules: [{ name: 'score', effect: 'deny', when: `orb.score < ${score}` }],
});
const gated: OrbPolicySpec = {
  ...denyBelow(40),
  mode: 'Enforce',
  promotion: { requireReplay: { window: '24h', minReceipts: 1, maxNewDenies: 0, maxIndeterminatePercent: 0 } },
};

const unresolved: Members = { swap_config: { primary: 'main', fallbacks: ['nobody'] } };
const broken: Members = {
  execution: { type: 'http', method: 'POST', url: 'https://api.example.com/{{inputs.nobody}}' },
};
const HOUR_MS = 3_600_000;
// Without an id its digest would identify it, and the digest includes the time.
const PIN = { id: 'swp_0193a1c2-7f10-7c3e-9a41-5d2f0b6c8e11', provider: 'other', reason: 'a test' };
const pinned = (): Members => ({
  ...swappable,
  pin: { ...PIN, expires_at: new Date(Date.now() + HOUR_MS).toISOString() },
});

const EVALUATION_MS = 15_000;
const HOLD_MS = 30_000;
/** Evaluations, holds and steps as short as allowed (failover.md §4). */
export const SHORT_SWAPS = {
  primary: 'main',
  fallbacks: ['other'],
  strategy: 'latency',
  latency: { consecutive: 1, evaluation_interval: '15s' },
  dwell: { min: '15s', hold_down: '30s', multiplier: 1, jitter: 0, max_swaps_per_hour: 20 },
  failback: { consecutive: 1, min_probe_samples: 1, ramp: [100] },
  probe: { interval: '5m', max_per_hour: 150 },
} as const;
const get = (url: string): Members => ({ type: 'http', method: 'GET', url });
/** Swapped by its metrics; its requests can be sent as probes. */
export const measured: Members = {
  inputs: {},
  execution: get('https://api.example.com/echo'),
  providers: { other: { execution: get('https://other.example.com/echo') } },
  swap_config: SHORT_SWAPS,
};
const setHealth = ({ metrics, namespace }: World, main: Health): void =>
  metrics.set({ namespace, orbId: 'acme.five@1.0.0' }, { main, other: 'well' });
/** Whether its metrics were evaluated. */
export const isMeasured = (found: unknown): boolean => {
  const conditions = at(found, 'status', 'conditions');
  return Array.isArray(conditions) && conditions.some((one) => at(one, 'reason') === 'MetricsFresh');
};
const isSwapped =
  (times: number): NonNullable<WorkloadStep['isDone']> =>
  async (world) =>
    at(await world.api.ok('GET', pathOf(world, 'orbs', 'five')), 'status', 'failover', 'swapSeq') === times;

/** Flags of the operator for a workload, in addition to the common flags. */
export const flagsOf = (workload: WorkloadName, { metrics }: World): readonly string[] =>
  workload === 'W5' ? ['--failover-tick', '1s', '--prometheus-url', metrics.url] : [];

/** K of reliability.md §4, where the operator takes part; policies are a workload of their own. */
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
    // The objects may be created in the same second or not: the first by time is also the first by name.
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
  W5: [
    {
      name: 'create',
      act: async (world) => {
        setHealth(world, 'well');
        await orb(world, 'five', measured);
      },
      isDone: async (world) => isMeasured(await world.api.ok('GET', pathOf(world, 'orbs', 'five'))),
    },
    {
      name: 'the primary is slow',
      act: (world) => Promise.resolve(setHealth(world, 'slow')),
      isDone: isSwapped(1),
      ownMs: EVALUATION_MS,
    },
    {
      name: 'the primary is well again',
      act: (world) => Promise.resolve(setHealth(world, 'well')),
      isDone: isSwapped(2),
      ownMs: HOLD_MS + EVALUATION_MS,
    },
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
        await untilTrue('the namespace is gone', () => namespaceIsGone(world));
      },
    },
  ],
  policies: [
    {
      name: 'create policies',
      act: async (world) => {
        await policy(world, 'limits', denyBelow(50));
        await policy(world, 'broken', { rules: [{ name: 'score', effect: 'deny', when: 'orb.scor < 50' }] });
      },
    },
    {
      name: 'enforce',
      act: async (world) => void (await policy(world, 'limits', { ...denyBelow(50), mode: 'Enforce' })),
    },
    { name: 'mend', act: async (world) => void (await policy(world, 'broken', denyBelow(30))) },
    { name: 'ask for a replay', act: async (world) => void (await policy(world, 'limits', gated)) },
    {
      name: 'delete and re-create at once',
      act: async (world) => {
        await remove(world, 'orbpolicies', 'limits');
        await policy(world, 'limits', denyBelow(60));
      },
    },
    { name: 'delete', act: async (world) => void (await remove(world, 'orbpolicies', 'broken')) },
  ],
};
