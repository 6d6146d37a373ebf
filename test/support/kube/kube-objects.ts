import type { KubeObject, ObjectMeta } from '../../../core/reconcile/kube-object.ts';

/** An Orb with as few members as possible. */
export function anObject(
  name: string,
  resourceVersion: string | number,
  change: { readonly uid?: string; readonly metadata?: Partial<ObjectMeta>; readonly spec?: unknown } = {},
): KubeObject {
  return {
    apiVersion: 'orbs.dev/v1alpha1',
    kind: 'Orb',
    metadata: {
      name,
      namespace: 'acme',
      uid: change.uid ?? `uid-${name}`,
      resourceVersion: String(resourceVersion),
      ...change.metadata,
    },
    spec: change.spec ?? {},
  };
}

/** One line of a watch, with its line end. */
export const watchLine = (type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): string =>
  `${JSON.stringify({ type, object })}\n`;

export const bookmarkLine = (resourceVersion: string | number): string =>
  `${JSON.stringify({ type: 'BOOKMARK', object: { kind: 'Orb', metadata: { resourceVersion: String(resourceVersion) } } })}\n`;

/** The answer to an old resource version: HTTP 200 and this line. */
export const errorLine = (code: number, details: Readonly<Record<string, unknown>> = {}): string =>
  `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code, reason: code === 410 ? 'Expired' : '', details } })}\n`;
