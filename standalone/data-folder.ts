import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

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

/** Creates the folder and its parts; existing files stay. */
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
