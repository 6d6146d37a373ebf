import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Replaces a whole file, mode 0600; a missing folder is made, mode 0700. Durable when it returns: a crash leaves the
 * old or the new content, never a mixture. Not covered: two writers at once (the last one wins; `withFileLock` prevents
 * them).
 */
export async function replacePrivate(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeAndSync(temporary, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Writes a new file, mode 0600, complete and synced; its name is durable after `syncFolder`. */
export async function writeAndSync(path: string, text: string): Promise<void> {
  await rm(path, { force: true }); // left by a crashed process with the same pid: its mode may differ
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The folder stores the new name: without this a power failure may bring the old file back. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
