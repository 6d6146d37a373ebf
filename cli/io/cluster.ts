import type { Duplex } from 'node:stream';
import type { KubeClient } from '../../adapters/kube/port.ts';

/** Which Kubernetes API to use; when nothing is given, the same choice as kubectl. */
export interface ClusterSelection {
  /** File instead of `KUBECONFIG` and ~/.kube/config. */
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** A port of a pod. */
export interface PodPort {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

/** A Kubernetes API as the user's kubeconfig opens it. */
export interface Cluster {
  readonly client: KubeClient;
  /** Address of the API server, for messages. */
  readonly server: string;
  /** Name in the kubeconfig, also when no flag names it; undefined in a pod. */
  readonly context: string | undefined;
  /** Namespace of the context. */
  readonly namespace: string;
  /** One connection to a pod, through the API server. @throws KubeError the API server refused */
  readonly connect: (target: PodPort, signal: AbortSignal) => Promise<Duplex>;
}
