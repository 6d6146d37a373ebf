import type { RepeatedFailure } from '../adapters/kube/controller.ts';
import { KubeError, type Store } from '../adapters/kube/port.ts';
import type { Context } from './context.ts';

// The controller tells from the third failure on; the Event is for the first time that it does.
const FIRST_TOLD = 3;
const SERVER_ERROR = 500;

/**
 * What a tenant may know of a failure: no text of an exception. An apply to an object that does not fit its schema is
 * answered with 500 for ever (the server can't type it), so no condition can be written there: security.md S29.
 */
function cause(error: unknown): string {
  if (!(error instanceof KubeError) || error.status === 0) return 'see the log of the operator.';
  const answer = `the Kubernetes API answered ${error.status} ${error.reason}`.trimEnd();
  const hint = ' If the object was stored before its schema, replace it by one that fits (kubectl replace).';
  return `${answer}.${error.status === SERVER_ERROR ? hint : ''}`;
}

/** An Event for an object that fails again and again (operator.md A7): its spec may be right, and still nothing happens. */
export const reportFailure =
  (store: Pick<Store, 'get'>, recorder: Context['recorder']) =>
  (key: string, { error, failures }: Pick<RepeatedFailure, 'error' | 'failures'>): Promise<void> => {
    const object = store.get(key);
    if (object !== undefined && failures === FIRST_TOLD) {
      const note = `Reconciling fails and is tried again: ${cause(error)}`;
      recorder.record(object, [{ type: 'Warning', reason: 'ReconcileFailed', action: 'Reconcile', note }]);
    }
    return Promise.resolve();
  };
