import type { ManagedElsewhere, WantedPolicy } from '../../core/policy/document/plan-write.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';

export interface PolicyPlace {
  readonly namespace: string;
  readonly name: string;
}

/** The Kubernetes API did not answer; a write may have happened. */
export type Away = { readonly kind: 'away' };

export type PolicyWritten =
  | { readonly kind: 'written'; readonly policy: KubeObject }
  | { readonly kind: 'gone' }
  /** It is not the version that the caller read. */
  | { readonly kind: 'changed' }
  | ManagedElsewhere
  /** The server refused the object, for a reason that the checks before did not find. */
  | { readonly kind: 'refused'; readonly detail: string }
  | Away;

export type PolicyCreated =
  | Extract<PolicyWritten, { kind: 'written' | 'refused' | 'away' }>
  | { readonly kind: 'exists' }
  | { readonly kind: 'no-namespace' };

export type PolicyDeleted = { readonly kind: 'deleted' } | Exclude<PolicyWritten, { kind: 'written' | 'refused' }>;

/**
 * OrbPolicies as objects: on a cluster those of the Kubernetes API, in standalone those of the local store. A caller that
 * goes away aborts nothing; each call has a time limit of its own.
 */
export interface PolicyObjects {
  /** Undefined: there is none. */
  readonly read: (
    place: PolicyPlace,
  ) => Promise<{ readonly kind: 'read'; readonly policy: KubeObject | undefined } | Away>;
  readonly list: (
    namespace: string,
  ) => Promise<{ readonly kind: 'read'; readonly policies: readonly KubeObject[] } | Away>;
  readonly create: (place: PolicyPlace, wanted: WantedPolicy) => Promise<PolicyCreated>;
  /**
   * @param matches whether the version is the one that the caller read
   * @param wanted what the version that is there is to become
   */
  readonly replace: (
    place: PolicyPlace,
    matches: (policy: KubeObject) => boolean,
    wanted: (policy: KubeObject) => WantedPolicy,
  ) => Promise<PolicyWritten>;
  readonly remove: (place: PolicyPlace, matches: (policy: KubeObject) => boolean) => Promise<PolicyDeleted>;
}
