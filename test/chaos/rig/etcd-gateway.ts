import { readJson, textOf } from './json.ts';
import { at } from '../../../hack/control-plane/json.ts';

async function call(endpoint: string, path: string, body: unknown): Promise<unknown> {
  const response = await fetch(`${endpoint}${path}`, { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`etcd answered ${path} with ${response.status}: ${text.slice(0, 200)}`);
  return readJson(text);
}

/**
 * Removes all history up to now, physically (reliability.md §2.2). A running API server still has it in its watch
 * cache: without a restart it still serves an old resourceVersion.
 * @param endpoint of etcd's HTTP gateway, `http://127.0.0.1:PORT`
 * @returns the oldest revision that remains
 */
export async function compactEtcd(endpoint: string): Promise<string> {
  const key = Buffer.from('compact').toString('base64');
  const revision = textOf(at(await call(endpoint, '/v3/kv/range', { key }), 'header', 'revision'));
  if (revision === undefined) throw new Error('etcd named no revision');
  await call(endpoint, '/v3/kv/compaction', { revision, physical: true });
  return revision;
}
