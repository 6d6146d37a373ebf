import type { ObjectRef } from '../../core/reconcile/kube-object.ts';
import type { Kind, ListQuery, Selection, WatchQuery } from './port.ts';

/** `?a=b` of the parameters that are defined; '' when there are none. */
function query(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? '' : `?${search.toString()}`;
}

/** @throws TypeError the text can't be a name: it is empty, or a step such as `..` in the path */
function segment(name: string): string {
  if (/^[.]{0,2}$/.test(name)) throw new TypeError(`not a name: '${name}'`);
  return encodeURIComponent(name);
}

/** Path of a kind's objects, in one namespace or in all. */
export function collectionPath(kind: Kind, namespace: string | undefined): string {
  const { group, version, plural, namespaced } = kind;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespaced && namespace !== undefined
    ? `${root}/namespaces/${segment(namespace)}/${plural}`
    : `${root}/${plural}`;
}

/** @throws TypeError a namespaced object without namespace: its path would name another resource */
export function objectPath(kind: Kind, { namespace, name }: ObjectRef, subresource?: string): string {
  if (kind.namespaced && namespace === undefined) throw new TypeError(`${kind.kind} ${name} needs a namespace`);
  const path = `${collectionPath(kind, namespace)}/${segment(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

const selectors = ({ fieldSelector, labelSelector }: Selection): Record<string, string | undefined> => ({
  fieldSelector,
  labelSelector,
});

/** `resourceVersion` stays unset: this reads the most recent state, never the watch cache (operator.md A3). */
export const listPath = (kind: Kind, list: ListQuery): string =>
  collectionPath(kind, list.namespace) + query({ ...selectors(list), limit: list.limit, continue: list.continue });

export const watchPath = (kind: Kind, watch: WatchQuery): string =>
  collectionPath(kind, watch.namespace) +
  query({
    ...selectors(watch),
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: watch.resourceVersion,
    timeoutSeconds: watch.timeoutSeconds,
  });

/**
 * Without it the server parses an applied text a second time, to warn of unknown and duplicate members. Nobody reads such
 * a warning about a status, which a program writes. Members that the schema does not have are dropped in either case.
 */
const validationOf = (subresource: 'status' | undefined): 'Ignore' | undefined =>
  subresource === 'status' ? 'Ignore' : undefined;

export const patchPath = (
  kind: Kind,
  ref: ObjectRef,
  options: { readonly fieldManager: string; readonly force?: boolean; readonly subresource?: 'status' },
): string =>
  objectPath(kind, ref, options.subresource) +
  query({
    fieldManager: options.fieldManager,
    force: options.force === true ? 'true' : undefined,
    fieldValidation: validationOf(options.subresource),
  });
