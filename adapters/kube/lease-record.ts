import { isJsonObject } from '../../core/json/json-value.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { AppliedObject } from './port.ts';

/** Content of a Lease. A stored object may hold anything: a value of the wrong type counts as absent. */
export interface LeaseRecord {
  /** '' when the lease is free. */
  readonly holder: string;
  readonly durationMs: number | undefined;
  /** Grows by one with each change of the holder. */
  readonly transitions: number;
  readonly acquireTime: string | undefined;
}

/** Content to write into a Lease. */
export interface LeaseClaim {
  readonly holder: string;
  readonly durationMs: number;
  readonly transitions: number;
  /** `metav1.MicroTime`. */
  readonly acquireTime: string;
  readonly renewTime: string;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** As `metav1.MicroTime` is written. @param now ms since epoch */
export const microTime = (now: number): string => new Date(now).toISOString().replace('Z', '000Z');

export function leaseRecord(lease: KubeObject): LeaseRecord {
  const spec = isJsonObject(lease.spec) ? lease.spec : {};
  const seconds = count(spec['leaseDurationSeconds']);
  return {
    holder: text(spec['holderIdentity']) ?? '',
    durationMs: seconds === undefined || seconds === 0 ? undefined : seconds * 1000,
    transitions: count(spec['leaseTransitions']) ?? 0,
    acquireTime: text(spec['acquireTime']),
  };
}

/**
 * @param base metadata of the Lease that was read, kept as it is; without its resourceVersion the write overwrites any
 *   version
 */
export const leaseObject = (base: AppliedObject['metadata'], claim: LeaseClaim): AppliedObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: base,
  spec: {
    holderIdentity: claim.holder,
    leaseDurationSeconds: Math.ceil(claim.durationMs / 1000),
    acquireTime: claim.acquireTime,
    renewTime: claim.renewTime,
    leaseTransitions: claim.transitions,
  },
});
