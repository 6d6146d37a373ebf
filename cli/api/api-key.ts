import type { Args } from '../../adapters/process/arguments.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import { invalid } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { readText } from '../io/read-file.ts';

export const KEY_FLAG: Flag = {
  name: 'key-file',
  value: 'FILE',
  text: 'file with the API key (else ORB_API_KEY, else the key of npm start)',
};

export const KEY_VARIABLE = 'ORB_API_KEY';

const MAX_BYTES = 16 * 1024;

/** @throws Failure the text is not allowed in a header */
export function parseKey(text: string, from: string): string {
  const key = text.trim();
  if (!/^[\x21-\x7e]{1,4096}$/.test(key)) throw invalid(`${from} holds no API key`);
  return key;
}

/** A key with the place that it is from, for the message when the platform refuses it. */
export interface GivenKey {
  readonly key: string;
  readonly keySource: string;
}

/** The key that the flag or the environment names. */
export async function givenKey(args: Args, io: Io): Promise<GivenKey | undefined> {
  const file = args.one('key-file');
  if (file !== undefined) return { key: parseKey(await readText(file, MAX_BYTES, io), file), keySource: file };
  const variable = io.env[KEY_VARIABLE];
  if (variable === undefined || variable === '') return undefined;
  return { key: parseKey(variable, KEY_VARIABLE), keySource: KEY_VARIABLE };
}
