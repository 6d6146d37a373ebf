// generated from schemas/secret.schema.json by hack/generate.ts: do not edit

/**
 * A Secret of Kubernetes: values of a vault.
 */
export interface Secret {
  /**
   * Version of the resource.
   */
  readonly apiVersion: 'v1';
  /**
   * Kind of the resource.
   */
  readonly kind: 'Secret';
  readonly metadata: ObjectMeta;
  /**
   * Type of the Secret; Opaque when absent.
   */
  readonly type?: string;
  /**
   * Values in base64, by key.
   */
  readonly data?: {
    readonly [k: string]: string;
  };
  /**
   * Values as text, by key; they win over data.
   */
  readonly stringData?: {
    readonly [k: string]: string;
  };
  /**
   * Whether Kubernetes refuses changes.
   */
  readonly immutable?: boolean;
}
/**
 * Metadata of a resource, as Kubernetes has it; only name, namespace, labels and annotations matter here.
 */
export interface ObjectMeta {
  /**
   * Lower-case letters, digits, "-" and ".", each part between dots with a letter or digit at both ends; at most 253 characters.
   */
  readonly name: string;
  /**
   * The tenant; the default namespace when absent.
   */
  readonly namespace?: string;
  /**
   * Labels.
   */
  readonly labels?: {
    /**
     * Letters, digits, ".", "_" and "-", with a letter or digit at both ends, or nothing.
     */
    readonly [k: string]: string;
  };
  /**
   * Annotations.
   */
  readonly annotations?: {
    readonly [k: string]: string;
  };
  /**
   * Set by Kubernetes; not read.
   */
  readonly creationTimestamp?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly deletionTimestamp?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly deletionGracePeriodSeconds?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly finalizers?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly generateName?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly generation?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly managedFields?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly ownerReferences?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly resourceVersion?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly selfLink?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly uid?: unknown;
}
