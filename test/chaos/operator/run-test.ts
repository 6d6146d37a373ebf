import { seededRandom } from '../seeded-random.ts';
import type { Plan } from './plan.ts';
import { PLANNED, plansOf } from './plans.ts';
import { storeResult } from './results.ts';
import { recordReference, runPlan, type PlanResult, type Reference } from './run-plan.ts';
import type { World } from './world.ts';
import type { WorkloadName } from './workloads.ts';

export interface TestOptions {
  readonly seed: number;
  /** Plans of each workload; Infinity: all. */
  readonly most: number;
  readonly say: (line: string) => void;
  /** Some of the test's workloads; default: all. */
  readonly workloads?: readonly WorkloadName[];
  /** Runs without a fault that are known already; newly recorded runs are added. */
  readonly references?: Map<WorkloadName, Reference>;
}

/** W8 deletes its namespace. */
const worldOf = (world: World, workload: WorkloadName): World =>
  workload === 'W8' ? { ...world, namespace: `${world.namespace}-gone` } : world;

async function tryPlan(world: World, plan: Plan, reference: Reference): Promise<PlanResult> {
  return runPlan(world, plan, reference).catch((error: unknown) => ({
    plan,
    faults: [error instanceof Error ? error.message : String(error)],
    reached: true,
    convergedMs: [],
    lists: 0,
    requests: 0,
    referenceRequests: 0,
  }));
}

function report({ plan, faults, reached, convergedMs }: PlanResult, say: TestOptions['say']): void {
  const mark = faults.length > 0 ? 'FAIL' : reached ? 'ok' : 'unreached';
  const slowest = Math.round(Math.max(0, ...convergedMs));
  say(`${mark.padEnd(9)} ${plan.test} ${plan.workload} ${JSON.stringify(plan.fault)} ${slowest} ms`);
  for (const fault of faults.slice(0, 8)) say(`          ${fault}`);
  if (faults.length > 0)
    say(`          replay: npm run chaos operator -- --plan ${storeResult(`failed-${plan.test}-${plan.seed}`, plan)}`);
}

/** Runs one plan again, against its own reference. */
export async function replay(world: World, plan: Plan, { say }: Pick<TestOptions, 'say'>): Promise<PlanResult> {
  const own = worldOf(world, plan.workload);
  const result = await tryPlan(own, plan, await recordReference(own, plan.workload, plan.seed));
  report(result, say);
  return result;
}

/** All workloads of a test, each against its reference. */
export async function runPlanned(world: World, test: string, options: TestOptions): Promise<readonly PlanResult[]> {
  const { seed, most, say, workloads = PLANNED[test]?.workloads ?? [] } = options;
  const references = options.references ?? new Map<WorkloadName, Reference>();
  const random = seededRandom(seed);
  const results: PlanResult[] = [];
  for (const workload of workloads) {
    const own = worldOf(world, workload);
    const reference = references.get(workload) ?? (await recordReference(own, workload, seed));
    references.set(workload, reference);
    for (const plan of plansOf(test, reference, { random, most })) {
      const result = await tryPlan(own, plan, reference);
      report(result, say);
      results.push(result);
    }
  }
  return results;
}
