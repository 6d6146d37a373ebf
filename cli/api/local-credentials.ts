import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { codeOf, invalid } from '../io/failure.ts';
import { parseServer } from './address.ts';

/** What `npm start` left for the command line. */
export interface Credentials {
  readonly url: URL;
  readonly key: string;
}

async function readCredentials(data: string): Promise<JsonObject | undefined> {
  const path = join(data, 'credentials.json');
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw invalid(`${path}: it can't be read (${codeOf(error) ?? 'no JSON'})`);
  }
}

/** @returns undefined when there is none @throws Failure the file is damaged */
export async function localCredentials(data: string): Promise<Credentials | undefined> {
  const { url, api_key: key } = (await readCredentials(data)) ?? {};
  if (typeof url !== 'string' || typeof key !== 'string' || !URL.canParse(url)) return undefined;
  return { url: parseServer(url, 'credentials.json'), key };
}
