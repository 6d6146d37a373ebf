import { mkdir, open, readFile, rename } from 'node:fs/promises';
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

/** Replaces a file whole, mode 0600, durably: a crash leaves the old or the new content, never half of it. */
export async function writePrivate(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
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
