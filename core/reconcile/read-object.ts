import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import type { Condition } from './conditions.ts';
import type { KubeObject } from './kube-object.ts';

// A person sets this annotation to have an object reconciled now, as with Flux (operator.md A15).
const RECONCILE_AT = 'orbs.dev/reconcile-at';
// An annotation may be 256 KiB; the echo in the status is shorter.
const MAX_ECHO = 256;

/** The status as members; a stored status of another shape reads as empty (security.md S29). */
export const statusOf = ({ status }: KubeObject): JsonObject => (isJsonObject(status) ? status : {});

/** The spec as members; a stored spec of another shape reads as empty. */
export const specOf = ({ spec }: KubeObject): JsonObject => (isJsonObject(spec) ? spec : {});

/** Labels, without those of another shape (security.md S29). */
export function labelsOf({ metadata }: KubeObject): Readonly<Record<string, string>> {
  const { labels } = metadata;
  const entries = isJsonObject(labels) ? Object.entries(labels) : [];
  return Object.fromEntries(entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
}

/** Grows with every change of the spec; 0 for an object that the API server did not create. */
export const generationOf = ({ metadata }: KubeObject): number => metadata.generation ?? 0;

const isStatus = (status: unknown): status is Condition['status'] =>
  status === 'True' || status === 'False' || status === 'Unknown';

function parseCondition(value: unknown): readonly Condition[] {
  if (!isJsonObject(value)) return [];
  const { type, status, reason, message, observedGeneration, lastTransitionTime } = value;
  if (typeof type !== 'string' || !isStatus(status)) return [];
  return [
    {
      type,
      status,
      reason: typeof reason === 'string' ? reason : '',
      message: typeof message === 'string' ? message : '',
      observedGeneration: typeof observedGeneration === 'number' ? observedGeneration : 0,
      lastTransitionTime: typeof lastTransitionTime === 'string' ? lastTransitionTime : '',
    },
  ];
}

/** Conditions of the status from all writers; entries of another shape are left out. */
export function conditionsOf(object: KubeObject): readonly Condition[] {
  const { conditions } = statusOf(object);
  return Array.isArray(conditions) ? conditions.flatMap(parseCondition) : [];
}

/** The condition of one type. */
export const conditionOf = (object: KubeObject, type: string): Condition | undefined =>
  conditionsOf(object).find((condition) => condition.type === type);

/** Echo of the annotation that asks for a reconcile now; absent without one. */
export function handledReconcileAt({ metadata }: KubeObject): { readonly lastHandledReconcileAt?: string } {
  const { annotations = {} } = metadata;
  const asked: unknown = isJsonObject(annotations) ? annotations[RECONCILE_AT] : undefined;
  return typeof asked === 'string' ? { lastHandledReconcileAt: asked.slice(0, MAX_ECHO).toWellFormed() } : {};
}
