import { CRASH_MODES } from '../rig/rules.ts';
import type { Edit } from '../rig/watch-editor.ts';
import type { Plan, PlannedFault } from './plan.ts';
import type { Reference } from './run-plan.ts';
import { WORKLOADS, type WorkloadName } from './workloads.ts';

/** How to make the plans of one test. */
export interface PlannedTest {
  readonly workloads: readonly WorkloadName[];
  /** Limit to pass: p99 from the restart, or the end of the fault, to the expected state (reliability.md §4.1). */
  readonly limitMs: number;
  /** Limit to pass: ratio of the requests of all runs to those of the same number of runs without a fault. */
  readonly mostRequests?: number;
  /** All faults; a reduced run draws some of them. */
  readonly faults: (reference: Reference, random: () => number) => readonly PlannedFault[];
}

/** Runs without a fault: a failure here is a false alarm of the oracles. */
const CONTROL_RUNS = 3;
const HEAL_MS = 300;
const DELAY_MS = 1200;
/** A workload makes about twenty requests: at 1 % most runs meet no error, so there are more runs at 1 %. */
const ERROR_RATES = [...Array.from({ length: 10 }, () => 0.01), 0.05, 0.05, 0.05, 0.2, 0.2, 0.2];
const STALE_MS = 3000;
const COMPACTIONS = 20;
const WITHIN_STEP_MS = 1500;

const crashes = ({ points }: Reference): readonly PlannedFault[] =>
  points.flatMap((point) => CRASH_MODES.map((when) => ({ kind: 'crash', point, when }) as const));

const stale = ({ points }: Reference): readonly PlannedFault[] =>
  points.map((point) => ({ kind: 'stale', point, when: 'after-send', ms: STALE_MS }) as const);

/** Each watch event in turn is dropped, delayed and merged with the next of its object. */
const unobserved = ({ events }: Reference): readonly PlannedFault[] =>
  events.flatMap((event) => {
    const place = { resource: event.split(' ')[0] ?? '', at: { event } } as const;
    const edits: readonly Edit[] = [
      { ...place, kind: 'drop', healMs: HEAL_MS },
      { ...place, kind: 'delay', ms: DELAY_MS },
      { ...place, kind: 'merge', of: 2, ms: DELAY_MS },
    ];
    return edits.map((edit) => ({ kind: 'edit', edit }) as const);
  });

const STREAM_FAULTS = ['orbs', 'orbisets', 'rolebindings'].flatMap((resource): readonly Edit[] => {
  const first = { resource, at: { nth: 1 } } as const;
  const second = { resource, at: { nth: 2 } } as const;
  return [
    { ...first, kind: 'error', code: 410, reason: 'Expired' },
    { ...first, kind: 'error', code: 500, reason: 'InternalError' },
    { ...first, kind: 'end' },
    { ...first, kind: 'reset' },
    { ...first, kind: 'cut' },
    { ...first, kind: 'bookmarks-only', ms: DELAY_MS },
    { ...first, kind: 'duplicate' },
    { ...second, kind: 'swap', ms: DELAY_MS },
  ];
});
const HTTP_FAULTS = [410, 429, 500, 503];

const watchFaults = (): readonly PlannedFault[] => [
  ...STREAM_FAULTS.map((edit) => ({ kind: 'edit', edit }) as const),
  ...HTTP_FAULTS.map((status) => ({ kind: 'watch-status', resource: 'orbs', status, times: 1 }) as const),
];

/** Tests of reliability.md §4.1 that are one workload under one fault. */
export const PLANNED: Readonly<Record<string, PlannedTest>> = {
  R0: {
    limitMs: 10_000,
    workloads: ['W1', 'W2', 'W4', 'W5', 'W6', 'W8', 'policies'],
    faults: () => Array.from({ length: CONTROL_RUNS }, () => ({ kind: 'none' }) as const),
  },
  R1: { limitMs: 10_000, workloads: ['W1', 'W2', 'W4', 'W5', 'W6', 'W8', 'policies'], faults: crashes },
  R2: { limitMs: 10_000, workloads: ['W1', 'W2', 'W4', 'policies'], faults: stale },
  R3: { limitMs: 10_000, workloads: ['W1', 'W2', 'W4', 'W6', 'policies'], faults: unobserved },
  R4: { limitMs: 5000, workloads: ['W1', 'W4'], faults: watchFaults },
  R5: {
    limitMs: 60_000,
    mostRequests: 1.5,
    workloads: ['W1', 'W2', 'W4', 'W5'],
    faults: () => ERROR_RATES.map((rate) => ({ kind: 'errors', rate }) as const),
  },
  R6: {
    limitMs: 10_000,
    workloads: ['W1', 'W2', 'W4', 'W5'],
    faults: ({ workload }, random) =>
      Array.from({ length: Math.ceil((COMPACTIONS * 5) / 3) }, () => ({
        kind: 'compaction',
        step: Math.floor(random() * WORKLOADS[workload].length),
        ms: Math.floor(random() * WITHIN_STEP_MS),
      })),
  },
};

/** Some of the items, drawn evenly; all items when there are not more. */
function drawn<T>(all: readonly T[], count: number, random: () => number): readonly T[] {
  const left = [...all];
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(Math.floor(random() * left.length), 1),
  ).flat();
}

/** @param most plans of this workload; Infinity: all */
export function plansOf(
  test: string,
  reference: Reference,
  { random, most }: { readonly random: () => number; readonly most: number },
): readonly Plan[] {
  const faults = PLANNED[test]?.faults(reference, random) ?? [];
  const chosen = most === Infinity ? faults : drawn(faults, most, random);
  return chosen.map((fault) => ({
    test,
    workload: reference.workload,
    seed: Math.floor(random() * 2 ** 31),
    fault,
  }));
}
