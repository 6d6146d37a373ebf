import { isJsonObject } from '../../core/json/json-value.ts';
import type { KubeObject, ObjectMeta } from '../../core/reconcile/kube-object.ts';

/** What a store keeps of an object; undefined: nothing, as if it were not there. Must be pure. */
export type Transform = (object: KubeObject) => KubeObject | undefined;

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Whether a manager owns `spec.pin`: who pinned is shown (failover.md §8). */
function ownsPin(entry: unknown): boolean {
  const fields = isJsonObject(entry) ? entry['fieldsV1'] : undefined;
  const spec = isJsonObject(fields) ? fields['f:spec'] : undefined;
  return isJsonObject(spec) && Object.hasOwn(spec, 'f:pin');
}

function withoutLastApplied({ annotations }: ObjectMeta): Pick<ObjectMeta, 'annotations'> {
  if (!isJsonObject(annotations) || !Object.hasOwn(annotations, LAST_APPLIED)) return {};
  return { annotations: Object.fromEntries(Object.entries(annotations).filter(([name]) => name !== LAST_APPLIED)) };
}

/** Drops managedFields, except of those who own `spec.pin`, and kubectl's copy of the whole object (operator.md A5). */
export function withoutBallast(object: KubeObject): KubeObject {
  const { managedFields, ...metadata } = object.metadata;
  const pinners = Array.isArray(managedFields) ? managedFields.filter(ownsPin) : [];
  return {
    ...object,
    metadata: {
      ...metadata,
      ...withoutLastApplied(metadata),
      ...(pinners.length > 0 ? { managedFields: pinners } : {}),
    },
  };
}
