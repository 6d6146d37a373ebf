import type { Condition, WantedCondition } from './conditions.ts';
import type { EventSpec } from './event-spec.ts';
import { done, type Outcome } from './outcome.ts';

/** Result of a reconcile; only this file turns it into conditions, Event and outcome (operator.md A7, B2 no. 5). */
export type Verdict =
  | { readonly kind: 'ready'; readonly reason: string; readonly message: string }
  /** Another actor must do something first, and will do it: `Reconciling=True`. */
  | {
      readonly kind: 'awaiting';
      readonly ready: 'False' | 'Unknown';
      readonly reason: string;
      readonly message: string;
    }
  /** Something beside this object is missing. It is watched, so its arrival starts a reconcile. */
  | { readonly kind: 'unready'; readonly reason: string; readonly message: string }
  /** A person must change this object: `Stalled=True`. */
  | {
      readonly kind: 'stalled';
      readonly reason: string;
      readonly message: string;
      /** One line for each fault: each becomes an Event. Absent: the message is the only one. */
      readonly lines?: readonly string[];
    };

const READY = {
  ready: 'True',
  unready: 'False',
  stalled: 'False',
} as const;

/**
 * kstatus: `Ready` is always present, the abnormal-true `Reconciling` and `Stalled` only while they hold (packaging.md
 * §3).
 */
export function conditionsFor(verdict: Verdict): readonly WantedCondition[] {
  const { kind, reason, message } = verdict;
  const status = kind === 'awaiting' ? verdict.ready : READY[kind];
  const ready: WantedCondition = { type: 'Ready', status, reason, message };
  if (kind === 'awaiting') return [ready, { type: 'Reconciling', status: 'True', reason, message }];
  if (kind === 'stalled') return [ready, { type: 'Stalled', status: 'True', reason, message }];
  return [ready];
}

/** The outcome for the key. Missing objects elsewhere are watched, so only `stalled` differs from `done`. */
export const outcomeOf = (verdict: Verdict): Outcome =>
  verdict.kind === 'stalled' ? { kind: 'stalled', reason: verdict.reason, message: verdict.message } : done;

const differs = (before: Condition | undefined, wanted: WantedCondition): boolean =>
  before?.status !== wanted.status || before.reason !== wanted.reason || before.message !== wanted.message;

/** An Event for a condition that is new or has changed; no Event without a change (operator.md A10). */
export function changeEvent(
  before: readonly Condition[],
  wanted: WantedCondition,
  { action, warning }: { readonly action: string; readonly warning: boolean },
): readonly EventSpec[] {
  const { type, reason, message } = wanted;
  const last = before.find((condition) => condition.type === type);
  return differs(last, wanted) ? [{ type: warning ? 'Warning' : 'Normal', reason, action, note: message }] : [];
}
