import type { EventRecorder } from '../adapters/kube/event-recorder.ts';
import type { Logger } from '../adapters/telemetry/port.ts';
import { keyOf, type KubeObject } from '../core/reconcile/kube-object.ts';
import type { EventSpec } from '../core/reconcile/event-spec.ts';

/** Number of Events with an id that are remembered as logged. The oldest is forgotten first. */
const MAX_REMEMBERED = 1000;

/** Writes Events as lines of the log, because without a cluster people read them there (operator.md A16). */
export function createLogRecorder(logger: Pick<Logger, 'info' | 'warn'>): EventRecorder {
  const logged = new Set<string>();
  /** Whether an Event was not logged yet. Events with the same id are the same Event. */
  const isNew = ({ metadata }: KubeObject, { id, reason }: EventSpec): boolean => {
    if (id === undefined) return true;
    const key = `${metadata.uid ?? ''} ${reason} ${id}`;
    if (logged.has(key)) return false;
    logged.add(key);
    const [oldest] = logged;
    if (logged.size > MAX_REMEMBERED && oldest !== undefined) logged.delete(oldest);
    return true;
  };
  return {
    record: (object, events) => {
      for (const event of events.filter((given) => isNew(object, given))) {
        const { type, reason, note } = event;
        const fields = { reason, object: `${object.kind} ${keyOf(object.metadata)}` };
        if (type === 'Warning') logger.warn(note, fields);
        else logger.info(note, fields);
      }
    },
    run: () => Promise.resolve(),
    flush: () => Promise.resolve(),
  };
}
