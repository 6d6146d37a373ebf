import { access, constants, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../adapters/process/start-error.ts';
import { errorCode } from '../core/errors/error-code.ts';

/** Paths of one standalone installation; its folder has mode 0700. */
export interface DataFolder {
  readonly path: string;
  readonly keys: string;
  readonly ledger: string;
  readonly apiKeys: string;
  readonly vault: string;
  readonly example: string;
  /** Address and key of the last start, for the command line (mode 0600). */
  readonly credentials: string;
}

/** What a full, damaged, foreign or read-only disk answers, and a file where a folder belongs. */
const DISK_FAULTS = new Set(['EACCES', 'EDQUOT', 'EEXIST', 'EIO', 'ENOENT', 'ENOSPC', 'ENOTDIR', 'EPERM', 'EROFS']);

/**
 * Carries out a step of the start that writes into the data folder.
 * @throws StartError the disk refuses it; other errors pass unchanged
 */
export async function onDataDisk<T>(path: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined || !DISK_FAULTS.has(code)) throw error;
    const message = `--data ${path}: the folder can't be made or written (${code}): name another one, on a disk with room`;
    throw new StartError(message, 1, { cause: error });
  }
}

/** Creates the folder and its parts; existing files stay. @throws StartError it can't be made or written */
export async function openDataFolder(path: string): Promise<DataFolder> {
  const folder: DataFolder = {
    path,
    keys: join(path, 'keys'),
    ledger: join(path, 'ledger'),
    apiKeys: join(path, 'api-keys'),
    vault: join(path, 'vault'),
    example: join(path, 'example'),
    credentials: join(path, 'credentials.json'),
  };
  await onDataDisk(path, async () => {
    for (const dir of [path, folder.ledger, folder.apiKeys, folder.vault, folder.example]) {
      await mkdir(dir, { recursive: true, mode: 0o700 });
      await access(dir, constants.W_OK);
    }
  });
  return folder;
}
