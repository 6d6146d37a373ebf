import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import type { BenchServer } from '../subjects.ts';

export const urlOf = ({ port }: BenchServer, path: string): string => `http://127.0.0.1:${port}${path}`;

/** @throws Error the answer is no JSON object, or its status is no 2xx */
export async function objectAt(server: BenchServer, path: string): Promise<JsonObject> {
  const answer = await fetch(urlOf(server, path), { headers: server.headers });
  const text = await answer.text();
  const value: unknown = answer.ok ? JSON.parse(text) : undefined;
  if (!isJsonObject(value)) throw new Error(`GET ${path}: ${answer.status} ${text.slice(0, 300)}`);
  return value;
}

/** The ETag of an answer. */
export async function etagOf(server: BenchServer, path: string): Promise<string> {
  const answer = await fetch(urlOf(server, path), { headers: server.headers });
  const etag = answer.headers.get('etag');
  await answer.body?.cancel();
  if (!answer.ok || etag === null) throw new Error(`GET ${path}: ${answer.status}, and no ETag`);
  return etag;
}

/** Until the platform shows a certified tier of so many Orbs. @param limitMs how long that may take */
export async function untilEvaluated(server: BenchServer, orbs: number, limitMs = 60_000): Promise<void> {
  for (const end = Date.now() + limitMs; ; await delay(200)) {
    const list = await objectAt(server, '/marketplace/orbs?tier=bronze&limit=1');
    if (list['total'] === orbs) return;
    if (Date.now() > end) throw new Error(`the Orbs are not evaluated: ${JSON.stringify(list).slice(0, 300)}`);
  }
}
