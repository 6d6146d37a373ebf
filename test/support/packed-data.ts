import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { isJsonObject } from '../../core/json/json-value.ts';
import { jsonOf } from './suites.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures/ledger');

/**
 * Writes the files that a platform of an earlier version left: its data folder, and the head of its log beside it.
 * @param name `before-policies`
 * @param folder receives `data` and `data.log-head`
 */
export function unpackData(name: string, folder: string): void {
  const packed = readFileSync(join(FIXTURES, `${name}.json.gz`));
  const files = jsonOf(JSON.parse(gunzipSync(packed).toString('utf8')));
  if (!isJsonObject(files)) throw new TypeError(`${name} holds no files`);
  for (const [path, content] of Object.entries(files)) {
    if (typeof content !== 'string') throw new TypeError(`${path} of ${name} has no content`);
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, Buffer.from(content, 'base64'), { mode: 0o600 });
  }
}
