import type { IncomingMessage } from 'node:http';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';

const MAX_BODY_BYTES = 1024 * 1024;

async function readText(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The body as a JSON object; undefined for anything else, and for more than 1 MiB. */
export async function readObject(request: IncomingMessage): Promise<JsonObject | undefined> {
  const text = await readText(request);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
