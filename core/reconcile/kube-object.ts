/** An owner; the garbage collector removes the object with its last one. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** Metadata as the API server sends it: everything but the name may be missing in what a test or a fault sends. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  /** RFC 3339, whole seconds. */
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly unknown[];
}

/**
 * An object as it comes from the API server. Only the envelope is known: `spec`, `status` and the rest have any shape, as
 * an object may have been stored before there was a schema (security.md S29). Immutable.
 */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: unknown;
  readonly status?: unknown;
  /** JSON Pointers of integers beyond ±(2^53−1), which were rounded on the way in; set by the decoder, never sent. */
  readonly unsafeIntegers?: readonly string[];
  readonly [member: string]: unknown;
}

/** Where one object is. */
export interface ObjectRef {
  /** Absent for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly name: string;
}

/** Key of stores and queues: `namespace/name`, or `name` for cluster-scoped kinds. */
export const keyOf = ({ namespace, name }: ObjectRef): string =>
  namespace === undefined ? name : `${namespace}/${name}`;
