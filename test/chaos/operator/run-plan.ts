import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../seeded-random.ts';
import { writesOf } from '../rig/journal.ts';
import { compareEndState, type Snapshot } from '../rig/oracles/end-state.ts';
import { checkExplained } from '../rig/oracles/explained.ts';
import { checkPreconditions } from '../rig/oracles/monotony.ts';
import { checkSwaps, type SwapsOfOrb } from '../rig/oracles/swaps.ts';
import { compareWriteCounts, countWrites, type WriteCounts } from '../rig/oracles/write-counts.ts';
import type { WritePoint } from '../rig/write-points.ts';
import { documentedReasons } from './documented.ts';
import { arm } from './arm.ts';
import type { Plan } from './plan.ts';
import { startSubject, type Subject } from './subject.ts';
import { watchStates } from './states.ts';
import { isCollected, isSeen, readEvents, readObjects, readSnapshot, resetWorld, type World } from './world.ts';
import { flagsOf, WORKLOADS, type WorkloadName, type WorkloadStep } from './workloads.ts';
import { lastAnswer } from '../../support/wait-for.ts';

/** A run without a fault, which all other runs are compared with. */
export interface Reference {
  readonly workload: WorkloadName;
  /** After each step. */
  readonly snapshots: readonly Snapshot[];
  /** Up to the first uncounted step. */
  readonly counts: WriteCounts;
  readonly points: readonly WritePoint[];
  readonly events: readonly string[];
  /** Requests, except those of leases, Events and watches. */
  readonly requests: number;
}

/** The result of a plan. */
export interface PlanResult {
  readonly plan: Plan;
  /** Empty: passed. */
  readonly faults: readonly string[];
  /** Whether the fault happened. A plan whose fault never happened proves nothing. */
  readonly reached: boolean;
  /** From the last start, or the end of the fault, to the expected state, ms; by step. */
  readonly convergedMs: readonly number[];
  readonly lists: number;
  /** Requests, except those of leases, Events and watches. */
  readonly requests: number;
  /** Requests of the run without a fault. */
  readonly referenceRequests: number;
}

const QUIET_MS = 1000;
const SETTLE_MS = 400;
const POLL_MS = 40;
/** Longest wait for an Event: a new leader records it at its first reconcile, and a refused one is sent again after 5 s. */
const EVENTS_MS = 10_000;
/** Longest time of a step; the limit to pass is 10 s after a restart, which is checked separately. */
const STEP_MS = 60_000;

const countedRequests = ({ proxy }: Subject): number =>
  proxy.journal.requests.filter(
    ({ resource, verb }) => resource !== 'leases' && resource !== 'events' && verb !== 'watch',
  ).length;

/** Waits until no write has come for `ms`. */
async function untilQuiet({ proxy }: Subject, ms: number): Promise<void> {
  let count = -1;
  while (count !== writesOf(proxy.journal).length) {
    count = writesOf(proxy.journal).length;
    await delay(ms);
  }
}

/** Waits until the operator has seen everything and writes no more. */
async function untilAtRest(world: World, subject: Subject, { isDone, ownMs = 0 }: WorkloadStep): Promise<void> {
  const until = performance.now() + STEP_MS + ownMs;
  const isOver = isDone ?? (() => Promise.resolve(true));
  do {
    await untilQuiet(subject, QUIET_MS);
    if (performance.now() > until) throw new Error('the run without a fault did not come to rest within 60 s');
  } while (!(await isSeen(world)) || !(await isCollected(world)) || !(await isOver(world)));
  // The last write may have come after the check.
  await untilQuiet(subject, QUIET_MS);
}

/** Runs a workload without a fault. */
export async function recordReference(world: World, workload: WorkloadName, seed: number): Promise<Reference> {
  await resetWorld(world);
  const subject = await startSubject(world, seededRandom(seed), [...ONE_WORKER, ...flagsOf(workload, world)]);
  const snapshots: Snapshot[] = [];
  let counts: WriteCounts | undefined;
  for (const step of WORKLOADS[workload]) {
    if (step.uncounted === true) counts ??= countWrites([subject.proxy.journal]);
    await step.act(world);
    await untilAtRest(world, subject, step);
    snapshots.push(await readSnapshot(world));
  }
  counts ??= countWrites([subject.proxy.journal]);
  const { proxy } = subject;
  const found = { points: proxy.points(), events: proxy.eventNames(), requests: countedRequests(subject) };
  const faults = await subject.stop();
  if (faults.length > 0) throw new Error(`the run without a fault failed: ${faults.join('; ')}`);
  return { workload, snapshots, counts, ...found };
}

/** Concurrency 1, so that write points come in one order (reliability.md §2.2). */
const ONE_WORKER = ['--workers', '1'] as const;

interface StepOutcome {
  readonly faults: readonly string[];
  readonly ms: number;
}

/** Waits until the objects are as they were after this step without a fault. */
async function untilEqual(
  world: World,
  { step, expected, since }: { readonly step: WorkloadStep; readonly expected: Snapshot; readonly since: () => number },
): Promise<StepOutcome> {
  const { ownMs = 0 } = step;
  const differences = (): Promise<readonly string[]> =>
    readSnapshot(world).then(
      (found) => compareEndState(expected, found),
      (error: unknown) => [String(error)],
    );
  const faults = await lastAnswer(differences, (found) => found.length === 0, STEP_MS + ownMs, POLL_MS);
  const ms = performance.now() - since();
  if (faults.length === 0) return { faults, ms: Math.max(0, ms - ownMs) };
  return { faults: faults.map((fault) => `step "${step.name}": ${fault}`), ms };
}

/** Faults of swaps and their Events. Events follow the status later, also after a restart: waits for missing ones. */
async function swapFaults(world: World, swaps: () => readonly SwapsOfOrb[]): Promise<readonly string[]> {
  const faults = async (): Promise<readonly string[]> => checkSwaps(swaps(), await readEvents(world).catch(() => []));
  return lastAnswer(faults, (found) => found.length === 0, EVENTS_MS, POLL_MS);
}

/** Runs a workload under a plan and checks it with the oracles. */
export async function runPlan(world: World, plan: Plan, reference: Reference): Promise<PlanResult> {
  await resetWorld(world);
  const subject = await startSubject(world, seededRandom(plan.seed), [...ONE_WORKER, ...flagsOf(plan.workload, world)]);
  const states = await watchStates(world);
  const armed = await arm(world, plan, subject);
  const outcomes: StepOutcome[] = [];
  let counts: WriteCounts | undefined;
  for (const [index, step] of WORKLOADS[plan.workload].entries()) {
    const expected = reference.snapshots[index];
    if (expected === undefined) continue;
    if (step.uncounted === true) counts ??= countWrites([subject.proxy.journal]);
    const began = performance.now();
    const during = armed.stepBegins(index);
    await step.act(world).catch(async (error: unknown) => {
      // A step that fails because the API server is down is repeated, as a user would.
      await during;
      await delay(1000);
      await step.act(world).catch(() => Promise.reject(error instanceof Error ? error : new Error(String(error))));
    });
    await during;
    const since = (): number => Math.max(began, subject.startedAt(), armed.endedAt());
    const { ms, faults } = await untilEqual(world, { step, expected, since });
    // Only after it leads again can it do forbidden writes.
    await subject.settled();
    await untilQuiet(subject, SETTLE_MS);
    const later = faults.length > 0 ? faults : (await untilEqual(world, { step, expected, since })).faults;
    outcomes.push({ ms, faults: later });
    if (later.length > 0) break;
  }
  counts ??= countWrites([subject.proxy.journal]);
  const swaps = await swapFaults(world, () => states.swaps());
  const explained = checkExplained(await readObjects(world).catch(() => []), documentedReasons);
  const lists = subject.proxy.journal.requests.filter(({ verb }) => verb === 'list').length;
  const requests = countedRequests(subject);
  await armed.end();
  const preconditions = checkPreconditions(subject.proxy.journal);
  const process = await subject.stop();
  const faults = [
    ...outcomes.flatMap((outcome) => outcome.faults),
    ...(armed.counts === 'unknown'
      ? []
      : compareWriteCounts(reference.counts, counts, { statusUpdates: armed.counts })),
    ...preconditions,
    ...(await states.end()),
    ...explained,
    ...swaps,
    ...process,
  ];
  return {
    plan,
    faults,
    reached: armed.reached(),
    convergedMs: outcomes.map(({ ms }) => ms),
    lists,
    requests,
    referenceRequests: reference.requests,
  };
}
