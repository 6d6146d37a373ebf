import { Duplex } from 'node:stream';
import { connect } from 'node:net';
import { KubeError, type KubeClient } from '../../../adapters/kube/port.ts';
import type { Cluster, ClusterWish, PodPort } from '../../../cli/cluster/cluster.ts';
import { isJsonObject } from '../../../core/json/json-value.ts';
import { patched, type Operation } from '../json-patch.ts';
import { createFakeKubeClient, kubeError, type FakeKubeClient } from './fake-kube-client.ts';

/** A cluster in memory, as the command line opens it. */
export interface ACluster {
  readonly kube: FakeKubeClient;
  /** For `Io.openCluster`. */
  readonly open: (wish: ClusterWish) => Promise<Cluster>;
  readonly wishes: readonly ClusterWish[];
  /** Ports of pods that were connected to. */
  readonly connected: readonly PodPort[];
}

const isOperation = (value: unknown): value is Operation =>
  isJsonObject(value) && typeof value['op'] === 'string' && typeof value['path'] === 'string';
const operationsIn = (body: unknown): readonly Operation[] => (Array.isArray(body) ? body.filter(isOperation) : []);

interface Answers {
  /** `username` of SelfSubjectReviews. */
  readonly username?: string;
  /** Token of TokenRequests. */
  readonly token?: string;
}

const never = new Duplex();

/** @param port of this machine, where connections to pods go */
export function aCluster(answers: Answers = {}, port?: number): ACluster {
  const kube = createFakeKubeClient();
  const wishes: ClusterWish[] = [];
  const connected: PodPort[] = [];
  const create: KubeClient['create'] = async (kind, object, signal) => {
    const review = { apiVersion: 'v1', kind: kind.kind, metadata: { name: '' } };
    if (kind.kind === 'SelfSubjectReview') return { ...review, status: { userInfo: { username: answers.username } } };
    if (kind.kind !== 'TokenRequest') return kube.create(kind, object, signal);
    await kube.before({ verb: 'create', kind: kind.kind, key: kind.plural }, signal);
    return { ...review, status: { token: answers.token } };
  };
  // The fake API knows merge patches only.
  const patch: KubeClient['patch'] = async (kind, ref, options, signal) => {
    if (options.type === 'merge') return kube.patch(kind, ref, options, signal);
    const found: unknown = await kube.get(kind, ref, signal);
    if (!isJsonObject(found)) throw kubeError(404, 'NotFound');
    try {
      const object = patched(found, operationsIn(options.body));
      return await kube.update(kind, { ...object, apiVersion: '', kind: kind.kind, metadata: { ...ref } }, signal);
    } catch (error) {
      throw error instanceof KubeError ? error : kubeError(422, 'Invalid');
    }
  };
  const cluster: Cluster = {
    client: { ...kube, create, patch },
    server: 'https://kube.example:6443',
    context: 'production',
    namespace: 'acme',
    connect: async (target) => {
      connected.push(target);
      return port === undefined ? never : connect(port, '127.0.0.1');
    },
  };
  const open = async (wish: ClusterWish): Promise<Cluster> => {
    wishes.push(wish);
    return cluster;
  };
  return { kube, open, wishes, connected };
}
