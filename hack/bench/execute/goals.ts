import { median } from '../../../test/support/rank.ts';
import { callersName, type Row } from './measurement.ts';
import type { Round, SubjectName } from './round.ts';
import { compared, valuesOf } from './within-rounds.ts';

/** A limit of performance.md §5. */
interface Goal {
  readonly what: string;
  readonly unit: string;
  readonly digits: number;
  /** Whether a result must be at least, or at most, as large. */
  readonly bound: 'least' | 'most';
  readonly goal: number;
  /** A result beyond it fails the benchmark. */
  readonly gate?: number;
  /** A value for each round. */
  readonly values: (rounds: readonly Round[]) => readonly number[];
}

const rate = (row: Row): number => row.rps;
const rateOver =
  (other: SubjectName, callers: number): Goal['values'] =>
  (rounds) => {
    const name = callersName(callers);
    const pair = [
      ['platform', name],
      [other, name],
    ] as const;
    return compared(rounds, pair, (one, two) => rate(one) / rate(two));
  };
const at32 =
  (value: (row: Row) => number): Goal['values'] =>
  (rounds) =>
    valuesOf(rounds, ['platform', callersName(32)], value);
const addedP50: Goal['values'] = (rounds) => {
  const pair = [
    ['platform', callersName(1)],
    ['pass-through', callersName(1)],
  ] as const;
  return compared(rounds, pair, (one, two) => one.p50 - two.p50);
};

const ratio = { unit: '', digits: 2, bound: 'least' } as const;
const atMost = { bound: 'most' } as const;

const GOALS: readonly Goal[] = [
  { what: 'rate at 32 callers ÷ Portkey', ...ratio, goal: 1.7, gate: 1.3, values: rateOver('portkey', 32) },
  { what: 'rate at 32 callers ÷ pass-through', ...ratio, goal: 0.33, gate: 0.25, values: rateOver('pass-through', 32) },
  { what: 'rate at 256 callers ÷ Portkey', ...ratio, goal: 2, gate: 1.6, values: rateOver('portkey', 256) },
  { what: 'added p50 at 1 caller', unit: ' ms', digits: 2, ...atMost, goal: 0.6, gate: 0.9, values: addedP50 },
  { what: 'p99 at 32 callers', unit: ' ms', digits: 1, ...atMost, goal: 20, gate: 40, values: at32((row) => row.p99) },
  {
    what: 'CPU of a run at 32 callers',
    unit: ' µs',
    digits: 0,
    ...atMost,
    goal: 450,
    gate: 560,
    values: at32((row) => row.serverCpu),
  },
  {
    what: 'of it on the main thread',
    unit: ' µs',
    digits: 0,
    ...atMost,
    goal: 300,
    values: at32((row) => row.threads.main),
  },
  {
    what: 'RSS at 32 callers',
    unit: ' MB',
    digits: 0,
    ...atMost,
    goal: 350,
    gate: 450,
    values: at32((row) => row.rssMb),
  },
  {
    what: 'event-loop delay p99 at 32 callers',
    unit: ' ms',
    digits: 1,
    ...atMost,
    goal: 6,
    gate: 15,
    values: at32((row) => row.inside?.loopDelayP99 ?? Number.NaN),
  },
];

type Verdict = 'pass' | 'miss' | 'gate missed' | 'not measured';

export interface JudgedGoal {
  readonly what: string;
  readonly verdict: Verdict;
  /** One line for the reader. */
  readonly text: string;
}

function verdictOf({ bound, goal, gate }: Goal, measured: number): Verdict {
  const holds = (limit: number): boolean => (bound === 'least' ? measured >= limit : measured <= limit);
  if (Number.isNaN(measured)) return 'not measured';
  if (holds(goal)) return 'pass';
  return gate === undefined || holds(gate) ? 'miss' : 'gate missed';
}

/** Compares medians with the limits. */
export function judgeGoals(rounds: readonly Round[]): readonly JudgedGoal[] {
  return GOALS.map((goal) => {
    const { what, unit, digits, bound } = goal;
    const measured = median(goal.values(rounds));
    const verdict = verdictOf(goal, measured);
    const sign = bound === 'least' ? '≥' : '≤';
    const limits = `goal ${sign} ${goal.goal}${goal.gate === undefined ? '' : `, gate ${sign} ${goal.gate}`}`;
    const shown = verdict === 'not measured' ? '–' : `${measured.toFixed(digits)}${unit}`;
    return { what, verdict, text: `${what.padEnd(36)}${shown.padEnd(12)}${limits.padEnd(30)}${verdict}` };
  });
}
