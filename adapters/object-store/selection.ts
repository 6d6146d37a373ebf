import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { Selection } from '../kube/port.ts';

/** A write, as the watchers of a selection see it. */
export interface ShownWrite {
  readonly kind: string;
  readonly before: KubeObject | undefined;
  /** Carries the version of the write; for a deletion: the last state. */
  readonly object: KubeObject;
  readonly version: string;
  readonly isDeletion: boolean;
}

/** `a=1,b`: label a is 1, and label b exists. */
function hasLabels({ metadata }: KubeObject, labelSelector: string): boolean {
  const terms = labelSelector.split(',').filter((term) => term !== '');
  return terms.every((term) => {
    const [name = '', value] = term.split('=');
    const label = metadata.labels?.[name];
    return value === undefined ? label !== undefined : label === value;
  });
}

/** The only field to select by is `metadata.name`. */
export function matches(object: KubeObject, { namespace, fieldSelector, labelSelector }: Selection): boolean {
  const { metadata } = object;
  return (
    (namespace === undefined || metadata.namespace === namespace) &&
    (fieldSelector === undefined || fieldSelector === `metadata.name=${metadata.name}`) &&
    (labelSelector === undefined || hasLabels(object, labelSelector))
  );
}

/** An object whose labels no longer match is removed from that selection. */
export function changeFor({ before, object, isDeletion }: ShownWrite, selection: Selection): 'put' | 'remove' | 'none' {
  if (!isDeletion && matches(object, selection)) return 'put';
  return before !== undefined && matches(before, selection) ? 'remove' : 'none';
}
