import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import type { Condition } from './conditions.ts';
import type { KubeObject } from './kube-object.ts';

// What a person sets to have an object looked at again, as Flux does (operator.md A15).
const RECONCILE_AT = 'orbs.dev/reconcile-at';
// An annotation may be 256 KiB; a status echoes less.
const MAX_ECHO = 256;

/** The status as members; what was stored in another shape reads as empty (security.md S29). */
export const statusOf = ({ status }: KubeObject): JsonObject => (isJsonObject(status) ? status : {});

/** The spec as members; what was stored in another shape reads as empty. */
export const specOf = ({ spec }: KubeObject): JsonObject => (isJsonObject(spec) ? spec : {});

/** Moves with every change of the spec; 0 for an object that no API server made. */
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

/** Conditions of the status, whoever wrote them; entries of another shape are left out. */
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
