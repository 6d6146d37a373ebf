import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where everything of one standalone installation lives; made with mode 0700. */
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

/** Makes the folder and its parts; what is there stays as it is. */
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
  for (const dir of [path, folder.ledger, folder.apiKeys, folder.vault, folder.example]) {
    await mkdir(dir, { recursive: true, mode: 0o700 });
  }
  return folder;
}

/** @returns undefined when there is no such file */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
