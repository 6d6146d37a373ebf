import { createHash, randomBytes } from 'node:crypto';
import { newApiKey } from '../../core/api-key/format.ts';
import { apiKeyDocument } from '../../core/api-key/record.ts';
import type { Scope } from '../../core/api-key/scopes.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { orbManifest, type OrbOptions } from './orbs.ts';

const VERSION = 'orbs.dev/v1alpha1';
const DAY_MS = 86_400_000;

/** An Orb resource around a manifest of `orbManifest`. */
export const orb = (name: string, orbId: string, options: OrbOptions): object => ({
  apiVersion: VERSION,
  kind: 'Orb',
  metadata: { name },
  spec: JSON.parse(orbManifest(orbId, options)) as unknown,
});

/** An Orbiset that binds Secrets, each for loopback. */
export const orbiset = (name: string, secrets: readonly string[], spec: object = {}): object => ({
  apiVersion: VERSION,
  kind: 'Orbiset',
  metadata: { name },
  spec: { vault: { secrets: secrets.map((secret) => ({ name: secret, allowedHosts: ['127.0.0.1'] })) }, ...spec },
});

export const secret = (name: string, stringData: Readonly<Record<string, string>>): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData,
});

/** The object that the operator creates in a namespace with an Orbiset. */
export const vaultReader = (): object => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: 'orb-vault-reader' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'orb-vault-reader' },
  subjects: [{ kind: 'ServiceAccount', name: 'orb-api', namespace: 'orb-system' }],
});

/** An API key, and the Secret that stores it. */
export function apiKeySecret(
  tenants: readonly string[],
  scopes: readonly Scope[] = ['orbs:execute', 'receipts:read'],
): { readonly key: string; readonly name: string; readonly document: object } {
  const key = newApiKey((bytes) => randomBytes(bytes));
  const now = Date.now();
  const document = apiKeyDocument(
    {
      keyId: key.keyId,
      sha256: createHash('sha256').update(key.text).digest('hex'),
      tenants,
      scopes,
      notBefore: now - 1000,
      expiresAt: now + DAY_MS,
      createdBy: 'test',
    },
    'orb-system',
  );
  const { metadata } = document;
  const name = isJsonObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : '';
  return { key: key.text, name, document };
}
