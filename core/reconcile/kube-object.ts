/** An owner. The garbage collector removes the object with its last owner. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/**
 * Metadata as the API server sends it. Everything but the name may be missing in objects from tests or after faults.
 */
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
 * An object as it comes from the API server, immutable. Only the envelope is known. `spec`, `status` and the rest may
 * have any shape, because an object may be older than its schema (security.md S29).
 */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: unknown;
  readonly status?: unknown;
  /**
   * JSON Pointers of integers beyond ±(2^53−1), which were rounded when decoded. The decoder sets them; they are never
   * sent.
   */
  readonly unsafeIntegers?: readonly string[];
  readonly [member: string]: unknown;
}

/** Location of one object. */
export interface ObjectRef {
  /** Absent for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly name: string;
}

/** Key of stores and queues: `namespace/name`, or `name` for cluster-scoped kinds. */
export const keyOf = ({ namespace, name }: ObjectRef): string =>
  namespace === undefined ? name : `${namespace}/${name}`;
