// generated from schemas/orbiset.schema.json by hack/generate.ts: do not edit

/**
 * Tenant container in which Orbs are executed.
 */
export interface Orbiset {
  /**
   * Version of the resource.
   */
  readonly apiVersion: 'orbs.dev/v1alpha1';
  /**
   * Kind of the resource.
   */
  readonly kind: 'Orbiset';
  readonly metadata: ObjectMeta;
  readonly spec: OrbisetSpec;
  /**
   * Written by the platform; not read from files.
   */
  readonly status?: unknown;
}
/**
 * Metadata of a resource, as Kubernetes has it; only name, namespace, labels and annotations matter here.
 */
export interface ObjectMeta {
  /**
   * Lower-case letters, digits and "-", without a dot: paths write NAMESPACE.NAME; at most 253 characters.
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
/**
 * Vault, foreign Orbs, limits and policies.
 */
export interface OrbisetSpec {
  readonly vault?: Vault;
  /**
   * Orbs of other namespaces that may be executed here: org.name for every version, or org.name@version.
   *
   * @maxItems 1024
   *
   * Items: org.name or org.name@version.
   */
  readonly orbs?: readonly string[];
  readonly limits?: Limits;
  readonly policies?: OrbisetPolicySettings;
  /**
   * True refuses new runs and ends those in flight.
   */
  readonly suspended?: boolean;
}
/**
 * The tenant secrets vault.
 */
export interface Vault {
  /**
   * Secrets of the same namespace whose values may be used.
   *
   * @maxItems 64
   */
  readonly secrets?: readonly SecretBinding[];
}
/**
 * One Secret, with the hosts that its values may be sent to.
 */
export interface SecretBinding {
  /**
   * Name of the Secret.
   */
  readonly name: string;
  /**
   * Hosts that its values may be sent to: a name, *.suffix, or "*" written out. There is no default.
   *
   * @minItems 1
   * @maxItems 64
   *
   * Items: A host name, *.suffix, or "*", without scheme, port and path: api.example.com.
   */
  readonly allowedHosts: readonly string[];
  /**
   * Entries of the vault: a list of keys, or a map from entry to key; all keys when absent.
   */
  readonly keys?:
    | readonly string[]
    | {
        /**
         * Name of a vault entry or of a key: letters, digits, ".", "_" and "-".
         */
        readonly [k: string]: string;
      };
}
/**
 * Limits only lower: the smallest of the platform's, these and the manifest's holds.
 */
export interface Limits {
  /**
   * Runs in a second, in a burst of one second and at least one run; each API process counts for itself.
   */
  readonly rate_per_second?: number;
  /**
   * Runs at the same time.
   */
  readonly in_flight?: number;
  /**
   * Whole run in milliseconds.
   */
  readonly timeout_ms?: number;
  /**
   * Body of a request in bytes; only lowers the limit of the platform, 1048576 unless the installation says otherwise.
   */
  readonly request_bytes?: number;
}
/**
 * What holds beside the OrbPolicies of the namespace.
 */
export interface OrbisetPolicySettings {
  /**
   * What happens to a run that no rule of a policy allows; allow when absent. A policy that matches the run may say deny as well.
   */
  readonly defaultEffect?: 'allow' | 'deny';
  /**
   * True: while a policy of the namespace has no version in force, the runs that it matches are denied.
   */
  readonly requireReady?: boolean;
}
