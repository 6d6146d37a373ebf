import { findingsText, makeApiKey, type CreatedApiKey, type NewApiKey } from '../../adapters/api-keys/new-key.ts';
import { KINDS } from '../../adapters/kube/kinds.ts';
import type { KubeClient } from '../../adapters/kube/port.ts';
import { API_KEY_SELECTOR, parseApiKeyRecord } from '../../core/api-key/record.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { objectAt } from '../../core/json/members.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { Cluster } from '../io/cluster.ts';
import type { Io } from '../io/io.ts';
import { textAt } from '../io/output.ts';
import type { KeyPlace, StoredKeys } from './key-place.ts';

const PAGE = 500;

async function secretsOf(client: KubeClient, namespace: string, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const query = { namespace, labelSelector: API_KEY_SELECTOR, limit: PAGE };
  let page = await client.list(KINDS.secret, query, signal);
  const found = [...page.items];
  while (page.continue !== undefined && page.continue !== '') {
    page = await client.list(KINDS.secret, { ...query, continue: page.continue }, signal);
    found.push(...page.items);
  }
  return found;
}

/** The items of a LIST have no kind and version. */
const documentOf = (secret: KubeObject): JsonObject => {
  const value: unknown = { ...secret, apiVersion: 'v1', kind: 'Secret' };
  return isJsonObject(value) ? value : {};
};

function recordsOf(secrets: readonly KubeObject[]): StoredKeys {
  const read = secrets.map((secret) => ({
    file: secret.metadata.name,
    checked: parseApiKeyRecord(documentOf(secret)),
  }));
  return {
    keys: read
      .flatMap(({ checked }) => (checked.ok ? [checked.value] : []))
      .toSorted((one, other) => one.expiresAt - other.expiresAt),
    broken: read.flatMap(({ file, checked }) =>
      checked.ok ? [] : [{ file: `the Secret ${file}`, detail: findingsText(checked.findings) }],
    ),
  };
}

async function create(client: KubeClient, namespace: string, newKey: NewApiKey, io: Io): Promise<CreatedApiKey> {
  const { text, record, document } = makeApiKey(newKey, namespace, { now: io.clock.now(), random: io.random });
  const metadata = objectAt(document, 'metadata');
  const secret = {
    ...document,
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...metadata, name: textAt(metadata, 'name'), namespace },
  };
  await client.create(KINDS.secret, secret, io.signal);
  return { text, record };
}

async function revoke(client: KubeClient, namespace: string, keyId: string, signal: AbortSignal): Promise<boolean> {
  const secrets = await secretsOf(client, namespace, signal);
  const found = secrets.filter((secret) => {
    const checked = parseApiKeyRecord(documentOf(secret));
    return checked.ok && checked.value.keyId === keyId;
  });
  for (const { metadata } of found) {
    const { name, uid = '' } = metadata;
    await client.delete(KINDS.secret, { namespace, name }, { uid }, signal);
  }
  return found.length > 0;
}

/** API keys in labelled Secrets of the platform namespace (security.md §6.2). */
export function clusterKeys({ client, server }: Cluster, namespace: string, io: Io): KeyPlace {
  return {
    name: `the namespace ${namespace} of ${server}`,
    create: (newKey) => create(client, namespace, newKey, io),
    list: async () => recordsOf(await secretsOf(client, namespace, io.signal)),
    revoke: (keyId) => revoke(client, namespace, keyId, io.signal),
  };
}
