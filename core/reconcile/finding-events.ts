import type { Condition } from './conditions.ts';
import type { EventSpec } from './event-spec.ts';
import type { KubeObject } from './kube-object.ts';
import { generationOf } from './read-object.ts';
import { changeEvent, conditionsFor, type Verdict } from './verdict.ts';

/** More findings of one generation are in the condition; an object has a budget of Events (operator.md A10). */
const MAX_EVENTS = 8;

/** Notes of at most 8 Events: one for each line, and how many are left. */
const notesOf = (lines: readonly string[]): readonly string[] =>
  lines.length <= MAX_EVENTS
    ? lines
    : [...lines.slice(0, MAX_EVENTS - 1), `and ${lines.length - MAX_EVENTS + 1} more: the condition Ready names them`];

/**
 * One Event for each finding about a generation of an object, so that none hides another.
 * @param lines what to write and where, at most 900 bytes each
 */
export function findingEvents(
  object: KubeObject,
  lines: readonly string[],
  { reason, action }: Pick<EventSpec, 'reason' | 'action'>,
): readonly EventSpec[] {
  const { uid = '' } = object.metadata;
  // Events of one reason are counted together unless they have ids.
  const prefix = `${reason}-${uid.slice(0, 8)}-g${generationOf(object)}`;
  return notesOf(lines).map((note, index) => ({ type: 'Warning', reason, action, note, id: `${prefix}-${index + 1}` }));
}

/**
 * Events of a changed `Ready`: one for each fault of a stalled object, else one for the change.
 * @param before conditions as they are stored
 */
export function readyEvents(
  object: KubeObject,
  verdict: Verdict,
  before: readonly Condition[],
  { action, warning }: { readonly action: string; readonly warning: boolean },
): readonly EventSpec[] {
  const changed = conditionsFor(verdict)
    .filter(({ type }) => type === 'Ready')
    .flatMap((condition) => changeEvent(before, condition, { action, warning }));
  const lines = verdict.kind === 'stalled' ? (verdict.lines ?? []) : [];
  return changed.length === 0 || lines.length === 0
    ? changed
    : findingEvents(object, lines, { reason: verdict.reason, action });
}
