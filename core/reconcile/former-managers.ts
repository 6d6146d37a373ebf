import { isJsonObject } from '../json/json-value.ts';
import type { KubeObject } from './kube-object.ts';

/**
 * Field managers with which an earlier version wrote a part of a status that `orb-operator` writes now. A member that
 * they still own would stay when `orb-operator` leaves it out, so each object is taken over once (security.md §6.1).
 */
const FORMER_MANAGERS: readonly string[] = ['orb-operator-failover'];

function managerIn(entry: unknown): string | undefined {
  const { manager, operation, subresource } = isJsonObject(entry) ? entry : {};
  const isStatus = operation === 'Apply' && subresource === 'status';
  return isStatus && typeof manager === 'string' && FORMER_MANAGERS.includes(manager) ? manager : undefined;
}

/** Whether an entry of managedFields is one of a former manager. */
export const isFormerManager = (entry: unknown): boolean => managerIn(entry) !== undefined;

/** A former manager that still owns a part of the object's status; undefined for nearly every object. */
export function formerManagerOf({ metadata }: KubeObject): string | undefined {
  const { managedFields } = metadata;
  return Array.isArray(managedFields) ? managedFields.map(managerIn).find((name) => name !== undefined) : undefined;
}
