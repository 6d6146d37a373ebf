// generated from schemas/orb.schema.json by hack/generate.ts: do not edit
import type { Manifest } from './manifest.ts';

/**
 * A manifest, member for member, plus the pin.
 */
export type OrbSpec = Manifest & { readonly pin?: Pin };

/**
 * A manifest as a resource, with an optional pin.
 */
export interface Orb {
  /**
   * Version of the resource.
   */
  readonly apiVersion: 'orbs.dev/v1alpha1';
  /**
   * Kind of the resource.
   */
  readonly kind: 'Orb';
  readonly metadata: ObjectMeta;
  /**
   * The manifest (manifest.schema.json, the other members), plus pin.
   */
  readonly spec: OrbSpec;
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
/**
 * Holds one provider for a while. Not part of the manifest or its digest.
 */
export interface Pin {
  /**
   * A provider that the manifest defines. A letter or digit, then up to 62 letters, digits, ".", "_" or "-".
   */
  readonly provider: string;
  /**
   * End of the pin in UTC, RFC 3339, such as 2026-01-31T12:00:00Z; at most 168 hours ahead.
   */
  readonly expires_at: string;
  /**
   * soft (default): a broken provider may be left. hard: nothing leaves it. once: a swap without a pin.
   */
  readonly mode?: 'soft' | 'hard' | 'once';
  /**
   * swp_ and a UUID; the digest of the pin when absent.
   */
  readonly id?: string;
  /**
   * Who pinned it: key:ID or sa:NAMESPACE/NAME; set by the server.
   */
  readonly actor?: string;
  /**
   * Why.
   */
  readonly reason?: string;
}
