import type { JsonObject } from '../../../core/json/json-value.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import { specOf, statusOf } from '../../../core/reconcile/read-object.ts';
import type { JsonSchema } from '../../http/operation.ts';
import { closed, count, text } from '../../http/schemas.ts';
import { policyEtag } from '../../policy/policy-objects.ts';

const API_VERSION = 'orbs.dev/v1alpha1';

/** A policy as answers show it: the object without what only its server needs. */
export function policyJson(policy: KubeObject): JsonObject {
  const { name, namespace = '', uid = '', generation = 0, creationTimestamp = '' } = policy.metadata;
  const { labels = {}, annotations = {} } = policy.metadata;
  return {
    apiVersion: API_VERSION,
    kind: 'OrbPolicy',
    metadata: {
      name,
      namespace,
      uid,
      generation,
      creationTimestamp,
      labels: { ...labels },
      annotations: { ...annotations },
    },
    spec: specOf(policy),
    status: statusOf(policy),
  };
}

/** Headers of an answer with one policy. */
export const policyHeaders = (policy: KubeObject): Readonly<Record<string, string>> => ({
  etag: policyEtag(policy),
  'cache-control': 'private, no-cache',
});

const names = { type: 'object', additionalProperties: { type: 'string' } } as const;

/** A policy in an answer. */
export const policyObjectSchema: JsonSchema = closed({
  apiVersion: { const: API_VERSION },
  kind: { const: 'OrbPolicy' },
  metadata: closed({
    name: text('Name.'),
    namespace: text('Tenant.'),
    uid: text('Id of the object.'),
    generation: count('Grows with every change of spec.'),
    creationTimestamp: text('RFC 3339.'),
    labels: names,
    annotations: names,
  }),
  spec: { type: 'object', description: 'As it was written.' },
  status: { type: 'object', description: 'What the platform says of it.' },
});

/** Header of an answer with one policy. */
export const etagHeader = {
  ETag: { description: 'Changes with the spec, not with the status; send it as If-Match.', schema: { type: 'string' } },
} as const;
