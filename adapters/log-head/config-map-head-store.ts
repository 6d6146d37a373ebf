import { isJsonObject } from '../../core/json/json-value.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { KINDS } from '../kube/kinds.ts';
import { KubeError, type KubeClient } from '../kube/port.ts';
import { HeadMoved, type HeadStore } from './port.ts';

/** The RBAC rules name it (charts/orb-platform/files/rbac/api.yaml). */
export const LOG_HEAD_NAME = 'orb-log-head';
const ENTRY = 'checkpoint';
const MANAGER = 'orb-api';

export interface ConfigMapHeadOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>;
  /** Namespace of the platform. */
  readonly namespace: string;
}

/** A ConfigMap without the entry of the head is damaged, not absent. */
function noteOf(object: KubeObject): string {
  const { data } = object;
  const note = isJsonObject(data) && Object.hasOwn(data, ENTRY) ? data[ENTRY] : undefined;
  return typeof note === 'string' ? note : '';
}

const versionOf = ({ metadata }: KubeObject): string => metadata.resourceVersion ?? '';

/** 409: it was changed or made in the meantime; 404: it was deleted. */
const hasMoved = (error: unknown): boolean =>
  error instanceof KubeError && (error.status === 409 || error.status === 404);

/** The head in a ConfigMap. The API server refuses a write over a head that the writer has not seen. */
export function createConfigMapHeadStore({ client, namespace }: ConfigMapHeadOptions): HeadStore {
  const ref = { namespace, name: LOG_HEAD_NAME };
  const place = `the ConfigMap ${namespace}/${LOG_HEAD_NAME}`;
  const make = (note: string, signal: AbortSignal): Promise<KubeObject> => {
    const labels = { 'app.kubernetes.io/name': 'orb-platform' };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...ref, labels }, data: { [ENTRY]: note } };
    return client.create(KINDS.configMap, object, signal);
  };
  const replace = (note: string, resourceVersion: string, signal: AbortSignal): Promise<KubeObject> => {
    const body = { metadata: { resourceVersion }, data: { [ENTRY]: note } };
    return client.patch(KINDS.configMap, ref, { type: 'merge', body, fieldManager: MANAGER }, signal);
  };
  return {
    place,
    read: async (signal) => {
      const found = await client.get(KINDS.configMap, ref, signal);
      return found === undefined ? undefined : { note: noteOf(found), version: versionOf(found) };
    },
    write: async (note, replaced, signal) => {
      try {
        return versionOf(await (replaced === undefined ? make(note, signal) : replace(note, replaced, signal)));
      } catch (error) {
        if (hasMoved(error)) throw new HeadMoved(`${place} was changed by somebody else`, { cause: error });
        throw error;
      }
    },
  };
}
