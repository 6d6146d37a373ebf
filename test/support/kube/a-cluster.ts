import { Duplex } from 'node:stream';
import { connect } from 'node:net';
import type { KubeClient } from '../../../adapters/kube/port.ts';
import type { Cluster, ClusterSelection, PodPort } from '../../../cli/io/cluster.ts';
import { createFakeKubeClient, type FakeKubeClient } from './fake-kube-client.ts';

/** A cluster in memory, in the form that the command line opens. */
export interface ACluster {
  readonly kube: FakeKubeClient;
  /** For `Io.openCluster`. */
  readonly open: (selection: ClusterSelection) => Promise<Cluster>;
  readonly selections: readonly ClusterSelection[];
  /** Ports of pods that were connected to. */
  readonly connected: readonly PodPort[];
}

interface Answers {
  /** `username` of SelfSubjectReviews. */
  readonly username?: string;
  /** Token of TokenRequests. */
  readonly token?: string;
}

const never = new Duplex();

/** @param port port of this machine that connections to pods reach */
export function aCluster(answers: Answers = {}, port?: number): ACluster {
  const kube = createFakeKubeClient();
  const selections: ClusterSelection[] = [];
  const connected: PodPort[] = [];
  const create: KubeClient['create'] = async (kind, object, signal) => {
    const review = { apiVersion: 'v1', kind: kind.kind, metadata: { name: '' } };
    if (kind.kind === 'SelfSubjectReview') return { ...review, status: { userInfo: { username: answers.username } } };
    if (kind.kind !== 'TokenRequest') return kube.create(kind, object, signal);
    await kube.before({ verb: 'create', kind: kind.kind, key: kind.plural }, signal);
    return { ...review, status: { token: answers.token } };
  };
  const cluster: Cluster = {
    client: { ...kube, create },
    server: 'https://kube.example:6443',
    context: 'production',
    namespace: 'acme',
    connect: async (target) => {
      connected.push(target);
      return port === undefined ? never : connect(port, '127.0.0.1');
    },
  };
  const open = async (selection: ClusterSelection): Promise<Cluster> => {
    selections.push(selection);
    return cluster;
  };
  return { kube, open, selections, connected };
}
