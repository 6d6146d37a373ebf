import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { errorCode } from '../../core/errors/error-code.ts';
import { syncFolder, writeAndSync } from '../private-file/private-file.ts';
import { newKeyFiles, type NewKeys } from './new-keys.ts';

async function isEmpty(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length === 0;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true;
    throw error;
  }
}

/** Renaming onto a folder works only while the folder is missing or empty. Of two starts at once, the second loses. */
async function publish(built: string, folder: string): Promise<'made' | 'kept'> {
  try {
    await rename(built, folder);
    return 'made';
  } catch (error) {
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
    return 'kept';
  }
}

/**
 * Makes every key of `newKeyFiles` once, as files: 0600, folder 0700, all of them or none, durable when it returns.
 * @returns `kept`: the folder is not empty, and was not changed
 */
export async function initKeys(folder: string, options: NewKeys): Promise<'made' | 'kept'> {
  if (!(await isEmpty(folder))) return 'kept';
  const parent = dirname(resolve(folder));
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const built = await mkdtemp(join(parent, '.keys-'));
  try {
    for (const [name, text] of newKeyFiles(options)) await writeAndSync(join(built, name), text);
    await syncFolder(built);
    const outcome = await publish(built, folder);
    await syncFolder(parent);
    return outcome;
  } finally {
    await rm(built, { recursive: true, force: true });
  }
}
