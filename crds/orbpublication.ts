// generated from schemas/orbpublication.schema.json by hack/generate.ts: do not edit
import type { Manifest } from './manifest.ts';

/**
 * One published version of an Orb: the manifest as it was published, and its test report.
 */
export interface OrbPublication {
  /**
   * Version of the resource.
   */
  readonly apiVersion: 'orbs.dev/v1alpha1';
  /**
   * Kind of the resource.
   */
  readonly kind: 'OrbPublication';
  readonly metadata: ObjectMeta;
  readonly spec: OrbPublicationSpec;
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
 * What is published.
 */
export interface OrbPublicationSpec {
  /**
   * The manifest (manifest.schema.json): what the published digest is over.
   */
  readonly manifest: Manifest;
  /**
   * Report of the test run, CTRF JSON.
   */
  readonly test_results: {
    readonly [k: string]: unknown;
  };
  /**
   * Suites that the report is about: the content of *.orbtest.json files.
   *
   * @maxItems 64
   */
  readonly test_suites?: readonly TestSuite[];
  /**
   * True refuses new runs of this version: the publisher's own switch.
   */
  readonly suspended?: boolean;
}
/**
 * One suite, format orbtest/1.
 */
export interface TestSuite {
  readonly [k: string]: unknown;
}
