import type { OrbisetPolicies } from '../../manifest/policies.ts';
import type { KeptResults } from '../decision/kept-results.ts';
import { listObligations, type Obligations } from '../decision/obligations.ts';
import type { PolicySet } from '../decision/policy-set.ts';
import type { Indeterminate, RecordedRun } from './recorded-run.ts';
import { replayRun, type DecidedRun, type ReplayedRun } from './replay-run.ts';
import { ShiftedCounts } from './shifted-counts.ts';

/** Which counts of the day a replay decides by (policy.md §6). */
export const STATEFUL = ['as_recorded', 'recomputed', 'both'] as const;
export type Stateful = (typeof STATEFUL)[number];

/** With what a replay compares: the decision in the receipt, or that of the policies in force now. */
export const BASELINES = ['recorded', 'current'] as const;
export type Baseline = (typeof BASELINES)[number];

/** A recorded run, and what was decided about it then. */
export interface ReplayInput {
  readonly receiptId: string;
  /** When the receipt was issued, ms since epoch. */
  readonly at: number;
  readonly orbId: string;
  /** `key:…`, `sa:…` or `anonymous`; empty when nothing says it. */
  readonly caller: string;
  /** Namespace of the Orbiset. */
  readonly namespace: string;
  /** What the Orbiset says now; undefined: it is gone. */
  readonly orbiset: OrbisetPolicies | undefined;
  readonly decision: 'allow' | 'deny';
  /** `policy/rule` or a code, of the denial that was reported; empty when allowed or unknown. */
  readonly rule: string;
  /** JSON of the obligations of then, as `listObligations` orders them; undefined: unknown, so that no change of them is seen. */
  readonly obligations: string | undefined;
  readonly run: RecordedRun;
}

/** How the replayed policies differ from the baseline about one run. */
type ChangeKind = 'unchanged' | 'allow_to_deny' | 'deny_to_allow' | 'obligations_changed';

export type Compared =
  | {
      readonly kind: ChangeKind;
      readonly from: 'allow' | 'deny';
      readonly to: 'allow' | 'deny';
      /** The rule that made the denial, of the one side that denies; else empty. */
      readonly rule: string;
      readonly result: DecidedRun;
    }
  | Indeterminate;

/** Both results about one run. */
export interface WalkedRun {
  readonly input: ReplayInput;
  readonly asRecorded: Compared;
  /** Undefined: not asked for. */
  readonly recomputed: Compared | undefined;
}

export interface WalkOptions {
  /** The policies in force with the replayed one, enforced, in place of the one of its name. */
  readonly candidate: PolicySet;
  /** The policies in force; undefined: the baseline is what was recorded. */
  readonly current: PolicySet | undefined;
  readonly stateful: Stateful;
  readonly kept: KeptResults | undefined;
}

const obligationsText = (obligations: Obligations): string => JSON.stringify(listObligations(obligations));

/** `policy/rule`, or the code of a denial that no rule made; empty when allowed. */
function denierOf({ run }: DecidedRun): string {
  const [denial] = run.denials;
  if (denial === undefined) return '';
  const rule = denial.rule === '' ? denial.code : denial.rule;
  return denial.policy === '' ? rule : `${denial.policy}/${rule}`;
}

interface Before {
  readonly decision: 'allow' | 'deny';
  readonly rule: string;
  readonly obligations: string | undefined;
}

function changeKind(before: Before, result: DecidedRun): ChangeKind {
  const to = result.run.decision;
  if (before.decision !== to) return to === 'deny' ? 'allow_to_deny' : 'deny_to_allow';
  const isBound = to === 'allow' && before.obligations !== undefined;
  return isBound && before.obligations !== obligationsText(result.obligations) ? 'obligations_changed' : 'unchanged';
}

const hasStarted = (deniedIn: RecordedRun['deniedIn']): boolean => deniedIn === undefined || deniedIn === 'Response';

/**
 * Decides recorded runs again, in the order of their receipts, and compares. Pure: the same runs in the same order give
 * the same results. Call `next` for a run, then `note` when its result holds.
 */
export class ReplayWalk {
  readonly #options: WalkOptions;
  readonly #counts = new ShiftedCounts();

  constructor(options: WalkOptions) {
    this.#options = options;
  }

  next(input: ReplayInput): WalkedRun {
    const { stateful } = this.#options;
    const asRecorded = this.#compared(input, input.run);
    if (stateful === 'as_recorded') return { input, asRecorded, recomputed: undefined };
    const run = this.#counts.of(input.run);
    return { input, asRecorded, recomputed: run === input.run ? asRecorded : this.#compared(input, run) };
  }

  /** Counts the run as the replayed policies decided about it: later runs of its day see that. */
  note({ input: { run }, recomputed }: WalkedRun): void {
    if (recomputed === undefined || recomputed.kind === 'indeterminate') return;
    this.#counts.note(run, Number(hasStarted(recomputed.result.deniedIn)) - Number(hasStarted(run.deniedIn)));
  }

  #replayed(set: PolicySet, { orbiset, namespace }: ReplayInput, run: RecordedRun): ReplayedRun {
    return replayRun(set, run, { orbiset, namespace, kept: this.#options.kept });
  }

  #compared(input: ReplayInput, run: RecordedRun): Compared {
    const result = this.#replayed(this.#options.candidate, input, run);
    if (result.kind === 'indeterminate') return result;
    const before = this.#before(input);
    if ('kind' in before) return before;
    const to = result.run.decision;
    const kind = changeKind(before, result);
    return { kind, from: before.decision, to, rule: to === 'deny' ? denierOf(result) : before.rule, result };
  }

  #before(input: ReplayInput): Before | Indeterminate {
    const { current } = this.#options;
    if (current === undefined) return input;
    const result = this.#replayed(current, input, input.run);
    if (result.kind === 'indeterminate') return result;
    const { decision } = result.run;
    return { decision, rule: denierOf(result), obligations: obligationsText(result.obligations) };
  }
}

export const isChanged = (compared: Compared | undefined): boolean =>
  compared !== undefined && compared.kind !== 'indeterminate' && compared.kind !== 'unchanged';
