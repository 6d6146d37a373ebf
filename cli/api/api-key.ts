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

const MAX_BYTES = 16 * 1024;

/** @throws Failure the text is not allowed in a header */
export function parseKey(text: string, from: string): string {
  const key = text.trim();
  if (!/^[\x21-\x7e]{1,4096}$/.test(key)) throw invalid(`${from} holds no API key`);
  return key;
}

/** The key that the flag or the environment names. */
export async function givenKey(args: Args, io: Io): Promise<string | undefined> {
  const file = args.one('key-file');
  if (file !== undefined) return parseKey(await readText(file, MAX_BYTES, io), file);
  const variable = io.env['ORB_API_KEY'];
  return variable === undefined || variable === '' ? undefined : parseKey(variable, 'ORB_API_KEY');
}
