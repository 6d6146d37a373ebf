import { isJsonObject } from '../../core/json/json-value.ts';
import { isFormerManager } from '../../core/reconcile/former-managers.ts';
import { specWriterIn } from '../../core/reconcile/spec-writer.ts';
import type { KubeObject, ObjectMeta } from '../../core/reconcile/kube-object.ts';

/** The part of an object that a store keeps; undefined: the store treats the object as absent. Must be pure. */
export type Transform = (object: KubeObject) => KubeObject | undefined;

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Whether a manager owns `spec.pin`: its name is shown to users (failover.md §8). */
function ownsPin(entry: unknown): boolean {
  const fields = isJsonObject(entry) ? entry['fieldsV1'] : undefined;
  const spec = isJsonObject(fields) ? fields['f:spec'] : undefined;
  return isJsonObject(spec) && Object.hasOwn(spec, 'f:pin');
}

function withoutLastApplied({ annotations }: ObjectMeta): Pick<ObjectMeta, 'annotations'> {
  if (!isJsonObject(annotations) || !Object.hasOwn(annotations, LAST_APPLIED)) return {};
  return { annotations: Object.fromEntries(Object.entries(annotations).filter(([name]) => name !== LAST_APPLIED)) };
}

/** The entries of managedFields that are read. Of a former manager, and of who wrote a policy, only the names matter. */
const readEntries = (managedFields: readonly unknown[], kind: string): readonly unknown[] =>
  managedFields.flatMap((entry) => {
    if (ownsPin(entry)) return [entry];
    const writer = kind === 'OrbPolicy' ? specWriterIn(entry) : undefined;
    if (writer !== undefined) return [writer];
    if (!isJsonObject(entry) || !isFormerManager(entry)) return [];
    const { manager, operation, subresource } = entry;
    return [{ manager, operation, subresource }];
  });

/**
 * Drops managedFields, except those of managers that own `spec.pin` and the names of former managers and of the writers
 * of policies, and kubectl's copy of the whole object (operator.md A5).
 */
export function withoutUnusedFields(object: KubeObject): KubeObject {
  const { managedFields, ...metadata } = object.metadata;
  const entries = Array.isArray(managedFields) ? readEntries(managedFields, object.kind) : [];
  return {
    ...object,
    metadata: {
      ...metadata,
      ...withoutLastApplied(metadata),
      ...(entries.length > 0 ? { managedFields: entries } : {}),
    },
  };
}
