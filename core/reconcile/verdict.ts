import type { Condition, WantedCondition } from './conditions.ts';
import type { EventSpec } from './event-spec.ts';
import { done, type Outcome } from './outcome.ts';

/** What a reconcile found; the one place that turns it into conditions, Event and outcome (operator.md A7, B2 no. 5). */
export type Verdict =
  | { readonly kind: 'ready'; readonly reason: string; readonly message: string }
  /** Somebody else must do something first, and will: `Reconciling=True`. */
  | {
      readonly kind: 'awaiting';
      readonly ready: 'False' | 'Unknown';
      readonly reason: string;
      readonly message: string;
    }
  /** Something beside this object is missing; its arrival is a change that is seen. */
  | { readonly kind: 'unready'; readonly reason: string; readonly message: string }
  /** A person must change this object: `Stalled=True`. */
  | { readonly kind: 'stalled'; readonly reason: string; readonly message: string };

const READY = {
  ready: 'True',
  unready: 'False',
  stalled: 'False',
} as const;

/** kstatus: `Ready` always, the abnormal-true `Reconciling` and `Stalled` only while they hold (packaging.md §3). */
export function conditionsFor(verdict: Verdict): readonly WantedCondition[] {
  const { kind, reason, message } = verdict;
  const status = kind === 'awaiting' ? verdict.ready : READY[kind];
  const ready: WantedCondition = { type: 'Ready', status, reason, message };
  if (kind === 'awaiting') return [ready, { type: 'Reconciling', status: 'True', reason, message }];
  if (kind === 'stalled') return [ready, { type: 'Stalled', status: 'True', reason, message }];
  return [ready];
}

/** What becomes of the key: what is missing elsewhere is watched, so only `stalled` differs from `done`. */
export const outcomeOf = (verdict: Verdict): Outcome =>
  verdict.kind === 'stalled' ? { kind: 'stalled', reason: verdict.reason, message: verdict.message } : done;

const differs = (before: Condition | undefined, wanted: WantedCondition): boolean =>
  before?.status !== wanted.status || before.reason !== wanted.reason || before.message !== wanted.message;

/** An Event for a condition that is new or says something else than before; none when nothing happened (operator.md A10). */
export function changeEvent(
  before: readonly Condition[],
  wanted: WantedCondition,
  { action, warning }: { readonly action: string; readonly warning: boolean },
): readonly EventSpec[] {
  const { type, reason, message } = wanted;
  const last = before.find((condition) => condition.type === type);
  return differs(last, wanted) ? [{ type: warning ? 'Warning' : 'Normal', reason, action, note: message }] : [];
}
