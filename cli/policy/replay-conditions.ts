import type { JsonObject } from '../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../core/json/members.ts';
import { faultText } from '../api/problem.ts';
import { usage } from '../io/failure.ts';
import { printable, textAt } from '../io/output.ts';

/** What `--fail-if` may name, and the count of a replay (policy.md §5) that it means. */
const COUNTS = {
  'new-denies': 'allow_to_deny',
  'new-allows': 'deny_to_allow',
  'obligations-changed': 'obligations_changed',
  errors: 'error',
  indeterminate: 'indeterminate',
} as const;

type CountName = keyof typeof COUNTS;

/** A limit of the command line: `new-denies>0`, `indeterminate>=5%`. */
export interface FailIf {
  readonly text: string;
  readonly count: CountName;
  readonly isInclusive: boolean;
  readonly limit: number;
  /** Of the decided runs; of all runs for `indeterminate`. */
  readonly isPercent: boolean;
}

const isCountName = (text: string): text is CountName => Object.hasOwn(COUNTS, text);

/** @throws Failure (64) another form */
export function parseFailIf(text: string): FailIf {
  const [, count = '', sign, limit = '', percent] = /^([a-z-]+)(>=?)(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  if (!isCountName(count))
    throw usage(`--fail-if ${printable(text)}: such as 'new-denies>0' or 'indeterminate>=5%'`, COUNT_NAMES);
  return { text, count, isInclusive: sign === '>=', limit: Number(limit), isPercent: percent === '%' };
}

const COUNT_NAMES = `counts are ${Object.keys(COUNTS).join(', ')}`;

const numberAt = (counts: JsonObject, name: string): number => {
  const found = member(counts, name);
  return typeof found === 'number' ? found : 0;
};

/** Runs that could be decided. */
const decidedRuns = (replay: JsonObject): number => {
  const counts = objectAt(replay, 'counts');
  return ['unchanged', 'allow_to_deny', 'deny_to_allow', 'obligations_changed']
    .map((name) => numberAt(counts, name))
    .reduce((sum, count) => sum + count, 0);
};

/** The larger number of both ways to read facts that count, as the gate of a policy takes it. */
const countOf = (replay: JsonObject, name: CountName): number =>
  Math.max(...['counts', 'as_recorded', 'recomputed'].map((which) => numberAt(objectAt(replay, which), COUNTS[name])));

function holds(replay: JsonObject, { count, isInclusive, isPercent, limit }: FailIf): boolean {
  const found = countOf(replay, count);
  const whole = decidedRuns(replay) + (count === 'indeterminate' ? countOf(replay, 'indeterminate') : 0);
  const actual = isPercent ? (whole === 0 ? 0 : (100 * found) / whole) : found;
  return isInclusive ? actual >= limit : actual > limit;
}

/** What a finished replay means for a pipeline. `why` is for people, a line each. */
export interface ReplayVerdict {
  readonly kind: 'passed' | 'failed' | 'undecidable';
  readonly why: readonly string[];
}

const NO_FACTS = [
  'no run of the window could be decided',
  'a policy without rules in mode Audit has facts recorded; replay when runs with facts are in the window',
];

/**
 * Whether a replay passes the gate of its policy (spec.promotion.requireReplay) and the limits of the command line.
 * Nothing was decided, or the replay did not complete: undecidable.
 */
export function replayVerdict(replay: JsonObject, limits: readonly FailIf[]): ReplayVerdict {
  const status = textAt(replay, 'status');
  if (status !== 'completed') {
    const error = textAt(replay, 'error');
    return {
      kind: 'undecidable',
      why: [`the replay is ${status}${error === '' || error === 'null' ? '' : `: ${error}`}`],
    };
  }
  if (decidedRuns(replay) === 0) return { kind: 'undecidable', why: NO_FACTS };
  const gate = objectAt(replay, 'gate');
  const faults = member(gate, 'passed') === false ? listAt(gate, 'failing').map(faultText) : [];
  const broken = limits
    .filter((limit) => holds(replay, limit))
    .map(({ text, count }) => `--fail-if ${text}: ${countOf(replay, count)} of ${decidedRuns(replay)} decided runs`);
  const isFailed = member(gate, 'passed') === false || broken.length > 0;
  return { kind: isFailed ? 'failed' : 'passed', why: [...faults, ...broken] };
}
