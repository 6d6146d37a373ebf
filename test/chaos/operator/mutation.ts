import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { manifestOf, swappable } from '../../support/kube-objects.ts';
import { metadataOf, textOf } from '../rig/json.ts';
import { at, isRecord } from '../../../hack/control-plane/json.ts';
import { checkExplained } from '../rig/oracles/explained.ts';
import { seededRandom } from '../seeded-random.ts';
import { documentedReasons } from './documented.ts';
import { mutationsOf, mutate, type Mutation } from './mutations.ts';
import type { Procedure } from './procedure.ts';
import { startSubject } from './subject.ts';
import { isSeen, pathOf, resetWorld, untilTrue, type World } from './world.ts';
import { APPLY } from '../rig/admin-api.ts';

const DEFINITION = join(import.meta.dirname, '../../../crds/definitions/orb.yaml');
const REDUCED = 60;
/** A bad spec is Stalled within 5 s (reliability.md §4.1, R10); here hundreds arrive at once. */
const SEEN_MS = 60_000;
const AT_ONCE = 16;

interface Tried {
  readonly name: string;
  readonly mutation: Mutation;
}

const baseSpec = (name: string): Readonly<Record<string, unknown>> =>
  manifestOf({
    orb_id: `acme.${name}@1.0.0`,
    ...swappable,
    pin: { provider: 'main', expires_at: new Date(Date.now() + 3_600_000).toISOString() },
  });

function schemaOfSpec(): unknown {
  const definition: unknown = parse(readFileSync(DEFINITION, 'utf8'));
  const versions = at(definition, 'spec', 'versions');
  return Array.isArray(versions) ? at(versions[0], 'schema', 'openAPIV3Schema', 'properties', 'spec') : undefined;
}

/** @returns whether it was accepted. Server-side apply refuses a wrong type with 500, other errors with 422. */
async function put(world: World, name: string, spec: unknown): Promise<boolean> {
  const body = { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { name }, spec };
  const path = `${pathOf(world, 'orbs', name)}?fieldManager=kubectl&force=true`;
  const { status } = await world.api.call('PATCH', path, { body, type: APPLY });
  return status < 300;
}

async function each<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const work = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await act(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** The active provider depends on earlier pins: without metrics nothing fails back by itself. */
const HISTORY = /^FailedOver\//;
const OWN = /^(Ready|Reconciling|Stalled)\//;

/**
 * The part of the state that must not depend on earlier states. For a broken spec, only the part about the spec itself:
 * provider, pin and digest are those of the last valid version, which keeps running.
 */
function essence(object: unknown): string {
  const conditions = at(object, 'status', 'conditions');
  const reported = Array.isArray(conditions)
    ? conditions.filter(isRecord).map(({ type, status, reason }) => [type, status, reason].map(String).join('/'))
    : [];
  const stalled = reported.some((condition) => condition.startsWith('Stalled/True'));
  return reported
    .filter((condition) => !HISTORY.test(condition) && (!stalled || OWN.test(condition)))
    .toSorted()
    .join(' ');
}

const isStalled = (object: unknown): boolean => essence(object).includes('Stalled/True');

async function read(world: World): Promise<ReadonlyMap<string, unknown>> {
  await untilTrue('the operator has not seen everything', () => isSeen(world), SEEN_MS);
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const objects = await world.api.list(pathOf(world, 'orbs'));
  return new Map(objects.map((object) => [textOf(metadataOf(object)['name']) ?? '', object]));
}

function stuck(objects: ReadonlyMap<string, unknown>): readonly string[] {
  return [...objects].flatMap(([name, object]) => {
    const found = essence(object);
    const reconciling = found.includes('Reconciling/True') ? [`${name} is stuck: ${found}`] : [];
    const unready =
      found.includes('Ready/False') && !isStalled(object) ? [`${name} is neither Ready nor Stalled: ${found}`] : [];
    return [...reconciling, ...unready];
  });
}

/**
 * R10 (Acto): every field of the schema takes odd values; the state depends only on the spec, not on earlier states.
 */
export const mutation: Procedure = async (world, { seed, full }) => {
  await resetWorld(world);
  const subject = await startSubject(world, seededRandom(seed));
  const random = seededRandom(seed);
  const all = mutationsOf(schemaOfSpec(), baseSpec('base'));
  const chosen = full
    ? all
    : all
        .map((one) => [random(), one] as const)
        .toSorted(([a], [b]) => a - b)
        .slice(0, REDUCED)
        .map(([, one]) => one);
  const tried: readonly Tried[] = chosen.map((one, index) => ({ name: `m${index}`, mutation: one }));
  const taken = new Set<string>();
  await each(tried, async ({ name }) => void (await put(world, name, baseSpec(name))));
  const before = await read(world);
  await each(tried, async ({ name, mutation: change }) => {
    if (await put(world, name, mutate(baseSpec(name), change))) taken.add(name);
  });
  const began = performance.now();
  await untilTrue('the operator has not seen everything', () => isSeen(world), SEEN_MS);
  const seenMs = Math.round(performance.now() - began);
  const mutated = await read(world);
  await each(tried, async ({ name }) => void (await put(world, name, baseSpec(name))));
  const back = await read(world);
  await each(tried, async ({ name }) => void (await world.api.ok('DELETE', pathOf(world, 'orbs', name))));
  await each(
    tried,
    async ({ name, mutation: change }) =>
      void (taken.has(name) && (await put(world, name, mutate(baseSpec(name), change)))),
  );
  const direct = await read(world);
  const what = new Map(
    tried.map(({ name, mutation: { pointer, value } }) => [name, `${pointer}=${JSON.stringify(value) ?? 'absent'}`]),
  );
  const differing = (
    one: ReadonlyMap<string, unknown>,
    other: ReadonlyMap<string, unknown>,
    way: string,
  ): readonly string[] =>
    [...other].flatMap(([name, object]) =>
      essence(one.get(name)) === essence(object)
        ? []
        : [`${what.get(name)} ${way}: ${essence(one.get(name))} | ${essence(object)}`],
    );
  const faults = [
    ...stuck(mutated),
    ...differing(before, back, 'and back'),
    ...differing(mutated, direct, 'directly'),
    ...checkExplained([...mutated.values(), ...direct.values()], documentedReasons),
    ...(await subject.stop()),
  ];
  const stalled = [...mutated.values()].filter(isStalled).length;
  return [{ name: 'mutation', faults, measured: { mutations: tried.length, taken: taken.size, stalled, seenMs } }];
};
