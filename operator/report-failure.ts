import type { RepeatedFailure } from '../adapters/kube/controller.ts';
import { KubeError } from '../adapters/kube/port.ts';
import type { EventSpec } from '../core/reconcile/event-spec.ts';
import type { KubeObject } from '../core/reconcile/kube-object.ts';
import type { Context } from './context.ts';

// The controller tells from the third failure on; the Event is for the first time that it does.
const FIRST_TOLD = 3;
const SERVER_ERROR = 500;

/** What the API server said, as far as a tenant may know it: no text of an exception. */
export const answerOf = (error: unknown): string | undefined =>
  error instanceof KubeError && error.status !== 0
    ? `the Kubernetes API answered ${error.status} ${error.reason}`.trimEnd()
    : undefined;

/**
 * An apply to an object that does not fit its schema is answered with 500 for ever (the server can't type it), so no
 * condition can be written there: security.md S29.
 */
function cause(error: unknown): string {
  const answer = answerOf(error);
  if (answer === undefined) return 'see the log of the operator.';
  const isServerError = error instanceof KubeError && error.status === SERVER_ERROR;
  const hint = ' If the object was stored before its schema, replace it by one that fits (kubectl replace).';
  return `${answer}.${isServerError ? hint : ''}`;
}

/** What is told of a failure that repeats itself. */
export const reconcileFailed = (error: unknown): EventSpec => ({
  type: 'Warning',
  reason: 'ReconcileFailed',
  action: 'Reconcile',
  note: `Reconciling fails and is tried again: ${cause(error)}`,
});

/** Where one controller tells of its failures, and what. */
export interface FailureReport {
  /** Whom a key concerns; empty when it is gone. */
  readonly objectsOf: (key: string) => readonly KubeObject[];
  readonly eventOf: (key: string, error: unknown) => EventSpec;
}

/** An Event for what fails again and again (operator.md A7): a spec may be right, and still nothing happens. */
export const reportFailure =
  ({ objectsOf, eventOf }: FailureReport, recorder: Context['recorder']) =>
  (key: string, { error, failures }: Pick<RepeatedFailure, 'error' | 'failures'>): Promise<void> => {
    if (failures === FIRST_TOLD) {
      for (const object of objectsOf(key)) recorder.record(object, [eventOf(key, error)]);
    }
    return Promise.resolve();
  };
