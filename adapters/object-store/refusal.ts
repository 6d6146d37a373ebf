import { KubeError } from '../kube/port.ts';

/** An error in the form of a Kubernetes API server (adapters/kube/port.ts). */
export const refusal = (
  status: number,
  reason: string,
  causes: readonly string[] = [],
  managers: readonly string[] = [],
): KubeError => new KubeError(`${status} ${reason}`, { status, reason, causes, managers });
