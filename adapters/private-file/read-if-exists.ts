import { readFile } from 'node:fs/promises';
import { errorCode } from '../../core/errors/error-code.ts';

/** The UTF-8 text of a file. @returns undefined when the file does not exist */
export async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
