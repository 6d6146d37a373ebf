import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { conditionOf, generationOf, statusOf } from '../../core/reconcile/read-object.ts';

export type Kstatus = 'Terminating' | 'InProgress' | 'Failed' | 'Current';

/**
 * The status that Helm, Flux and `kubectl wait` compute for an object (operator.md B1: the rule of kstatus, ported).
 */
export function kstatus(object: KubeObject): Kstatus {
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const { observedGeneration } = statusOf(object);
  if (typeof observedGeneration === 'number' && observedGeneration < generationOf(object)) return 'InProgress';
  const holds = (type: string, status: string): boolean => conditionOf(object, type)?.status === status;
  if (holds('Stalled', 'True')) return 'Failed';
  if (holds('Reconciling', 'True') || holds('Ready', 'False') || holds('Ready', 'Unknown')) return 'InProgress';
  return 'Current';
}
