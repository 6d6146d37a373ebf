import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { parseApiKeyRecord, type ApiKeyRecord } from '../../core/api-key/record.ts';
import { errorCode } from '../../core/errors/error-code.ts';
import { isJsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { replacePrivate } from '../private-file/private-file.ts';
import { findingsText, makeApiKey, type CreatedApiKey, type NewApiKey } from './new-key.ts';

export interface ListedApiKeys {
  /** Sorted by expiry, the earliest first. */
  readonly keys: readonly ApiKeyRecord[];
  /** Files without a usable key, and the reason; no values. */
  readonly broken: readonly { readonly file: string; readonly detail: string }[];
}

const NAMESPACE = 'orb-system';
const HEAD = '# An API key of this installation: its hash and what it may do. Delete the file to revoke it.\n';
const FILE = /^[^.].*\.ya?ml$/;

const isMissing = (error: unknown): boolean => errorCode(error) === 'ENOENT';
const isYamlValue = (value: unknown): value is JsonValue => isJsonObject(value);

export type ReadApiKey =
  | { readonly ok: true; readonly record: ApiKeyRecord }
  | { readonly ok: false; readonly detail: string };

/** Reads one document. The parser's own messages quote the text and are not passed on. */
function parseKeyFile(text: string): ReadApiKey {
  let document: unknown;
  try {
    document = parse(text, { prettyErrors: false, logLevel: 'error', maxAliasCount: 0 });
  } catch {
    return { ok: false, detail: 'The file is not YAML.' };
  }
  if (!isYamlValue(document)) return { ok: false, detail: 'The file holds no document.' };
  const checked = parseApiKeyRecord(document);
  if (checked.ok) return { ok: true, record: checked.value };
  return { ok: false, detail: findingsText(checked.findings) };
}

/** The names of key files, sorted; empty when the folder does not exist. */
export async function apiKeyFiles(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => FILE.test(name)).toSorted();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Reads one file of the folder; a file that can't be read holds no key. @returns undefined when the file is gone */
export async function readApiKeyFile(folder: string, file: string): Promise<ReadApiKey | undefined> {
  try {
    return parseKeyFile(await readFile(join(folder, file), 'utf8'));
  } catch (error) {
    return isMissing(error) ? undefined : { ok: false, detail: 'The file cannot be read.' };
  }
}

/**
 * Makes a key and stores its hash, durable when this returns (file 0600, folder 0700). Needs no running server; a
 * running server accepts the key within 2 s.
 * @param now ms since epoch
 * @throws ApiKeyError the request breaks a rule of security.md §6.2: no file is written
 */
export async function createApiKey(
  folder: string,
  newKey: NewApiKey,
  { now, random }: { readonly now: number; readonly random: (bytes: number) => Uint8Array },
): Promise<CreatedApiKey> {
  const { text, record, document } = makeApiKey(newKey, NAMESPACE, { now, random });
  await replacePrivate(join(folder, `${record.keyId}.yaml`), HEAD + stringify(document, { lineWidth: 0 }));
  return { text, record };
}

/** All keys of a folder, expired ones too. */
export async function listApiKeys(folder: string): Promise<ListedApiKeys> {
  const keys: ApiKeyRecord[] = [];
  const broken: { readonly file: string; readonly detail: string }[] = [];
  for (const file of await apiKeyFiles(folder)) {
    const read = await readApiKeyFile(folder, file);
    if (read?.ok === true) keys.push(read.record);
    else if (read !== undefined) broken.push({ file, detail: read.detail });
  }
  return { keys: keys.toSorted((a, b) => a.expiresAt - b.expiresAt), broken };
}

/**
 * Deletes every file that holds this key, whatever its name. A running server refuses the key within 2 s.
 * @returns false when no file holds it
 */
export async function revokeApiKey(folder: string, keyId: string): Promise<boolean> {
  let found = false;
  for (const file of await apiKeyFiles(folder)) {
    const read = await readApiKeyFile(folder, file);
    if (read?.ok !== true || read.record.keyId !== keyId) continue;
    await rm(join(folder, file), { force: true });
    found = true;
  }
  return found;
}
