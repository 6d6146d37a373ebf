import type { RepeatedFailure } from '../../adapters/kube/controller.ts';
import { KubeError } from '../../adapters/kube/port.ts';
import type { EventSpec } from '../../core/reconcile/event-spec.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { Context } from './context.ts';

// The controller reports from the third failure on. The Event is recorded at its first report.
const REPORTED_AT = 3;
const SERVER_ERROR = 500;

/** The API server's answer in a form that a tenant may see: without exception texts. */
export const answerOf = (error: unknown): string | undefined =>
  error instanceof KubeError && error.status !== 0
    ? `the Kubernetes API answered ${error.status} ${error.reason}`.trimEnd()
    : undefined;

/**
 * Cause of a failure. An apply to an object that does not fit its schema is always answered with 500 (the server can't
 * type it). So no condition can be written there: security.md S29.
 */
function cause(error: unknown): string {
  const answer = answerOf(error);
  if (answer === undefined) return 'see the log of the operator.';
  const isServerError = error instanceof KubeError && error.status === SERVER_ERROR;
  const hint = ' If the object was stored before its schema, replace it by one that fits (kubectl replace).';
  return `${answer}.${isServerError ? hint : ''}`;
}

/** The Event for a repeated failure. */
export const reconcileFailed = (error: unknown): EventSpec => ({
  type: 'Warning',
  reason: 'ReconcileFailed',
  action: 'Reconcile',
  note: `Reconciling fails and is retried: ${cause(error)}`,
});

/** Where a controller reports its failures, and the text. */
export interface FailureReport {
  /** The objects that a key concerns; empty when they are gone. */
  readonly objectsOf: (key: string) => readonly KubeObject[];
  readonly eventOf: (key: string, error: unknown) => EventSpec;
}

/** Records an Event for repeated failures (operator.md A7). The spec may be right while nothing happens. */
export const reportFailure =
  ({ objectsOf, eventOf }: FailureReport, recorder: Context['recorder']) =>
  (key: string, { error, failures }: Pick<RepeatedFailure, 'error' | 'failures'>): Promise<void> => {
    if (failures === REPORTED_AT) {
      for (const object of objectsOf(key)) recorder.record(object, [eventOf(key, error)]);
    }
    return Promise.resolve();
  };
